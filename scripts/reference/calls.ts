// Writes how to call the methods of the client, from the descriptions of the operations.
import ts from 'typescript';
import type { Descriptor } from '../../src/service/describe/define.js';
import { descriptorOf, type Operation } from '../../src/service/describe/operation.js';
import { operations } from '../../src/service/operations.js';
import { membersOf, type Published } from './declarations.js';

/** Parts of the client by declaration: `client.Organizations` is `organizations`, and `client.Scim` is `legacy.scim`. */
export function partsOf(published: Published): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  const visit = (id: string, path: string): void => {
    const declaration = published.declarations.get(id)!;
    for (const member of membersOf(declaration)) {
      const isField = ts.isPropertyDeclaration(member) || ts.isPropertySignature(member);
      const type = isField ? declaration.names.get(member.type?.getText() ?? '') : undefined;
      if (!type || parts.has(type)) continue;
      const part = `${path}${member.name!.getText()}`;
      parts.set(type, part);
      visit(type, `${part}.`);
    }
  };
  visit(published.entries.get('index')!.get('Sallyport')!, '');
  return parts;
}

/** Write a call of a method such as `organizations.createOrganization`, or undefined if it does not call an operation. */
export function callOf(method: string, signature: ts.SignatureDeclaration): string | undefined {
  const operation = Object.values(operations).find(({ client, io }) => client === method || io.earlierForm === method);
  if (!operation) return undefined;
  const parameters = signature.parameters.filter((one) => !one.questionToken && !one.initializer);
  const inPath = parameters.filter(({ type }) => type?.kind === ts.SyntaxKind.StringKeyword).length;
  const values = parameters.map((one) => (isPayload(one) && payloadOf(operation, inPath, one.type!)) || nameOf(one));
  const call = `sallyport.${method}(${values.join(', ')})`;
  if (operation.kind === 'list') return `for await (const item of ${call}) console.log(item);`;
  return operation.kind === 'url' ? `const url = ${call};` : `await ${call};`;
}

const nameOf = (parameter: ts.ParameterDeclaration): string => parameter.name.getText();

const isPayload = ({ type }: ts.ParameterDeclaration): boolean =>
  !!type && type.kind !== ts.SyntaxKind.StringKeyword && !ts.isArrayTypeNode(type) && !ts.isTypeOperatorNode(type);

/** Write the object that a method takes: path parameters without their own argument, and required fields. */
function payloadOf({ path, io }: Operation, inPath: number, type: ts.TypeNode): string | undefined {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => camel(name));
  if (io.argument) names.splice(-1, 1, io.argument);
  const sent = [io.body, io.query].flatMap((one) => (one ? requiredFields(descriptorOf(one)) : []));
  const fields = ts.isTypeLiteralNode(type) ? membersIn(type) : [...names.slice(inPath), ...membersIn(type), ...sent];
  return fields.length > 0 ? `{ ${[...new Set(fields)].join(', ')} }` : undefined;
}

/** List the required members that a type spells out: `id` of `WebhookEndpointUpdate & { readonly id: string }`. */
function membersIn(type: ts.TypeNode): string[] {
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(membersIn);
  if (!ts.isTypeLiteralNode(type)) return [];
  return type.members.flatMap((one) => (ts.isPropertySignature(one) && !one.questionToken ? one.name.getText() : []));
}

const requiredFields = ({ model }: Descriptor): string[] =>
  Object.entries<Descriptor>(model?.shape ?? {})
    .filter(([, { optional, kind }]) => !optional && kind !== 'constant')
    .map(([name]) => name);

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
