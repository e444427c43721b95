// Writes how to call the methods of the client, from the operations and the published types.
import ts from 'typescript';
import { operations } from '../../src/service/operations.js';
import { basesOf, type Declaration, type Member, membersOf, type Published } from './declarations.js';

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
export function callOf(
  method: string,
  signature: ts.SignatureDeclaration,
  names: Declaration['names'],
  published: Published,
): string | undefined {
  const operation = Object.values(operations).find(({ client, io }) => client === method || io.earlierForm === method);
  if (!operation) return undefined;
  const values = signature.parameters
    .filter(({ questionToken }) => !questionToken)
    .map(({ name, type }) => {
      const fields = [...new Set(requiredFields(type!, names, published))];
      return fields.length > 0 ? `{ ${fields.join(', ')} }` : name.getText();
    });
  const call = `sallyport.${method}(${values.join(', ')})`;
  if (operation.kind === 'list') return `for await (const item of ${call}) console.log(item);`;
  return operation.kind === 'url' ? `const url = ${call};` : `await ${call};`;
}

/** List the fields that a type requires; of a union, those of its first type. Types that are not objects have none. */
function requiredFields(type: ts.TypeNode, names: Declaration['names'], published: Published): string[] {
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap((one) => requiredFields(one, names, published));
  if (ts.isUnionTypeNode(type)) return requiredFields(type.types[0]!, names, published);
  if (ts.isParenthesizedTypeNode(type)) return requiredFields(type.type, names, published);
  if (ts.isTypeLiteralNode(type)) return requiredMembers(type.members);
  if (!ts.isTypeReferenceNode(type)) return [];
  const [first, second] = type.typeArguments ?? [];
  if (type.typeName.getText() === 'Omit') {
    const left = requiredFields(first!, names, published);
    return left.filter((name) => !second!.getText().includes(`'${name}'`));
  }
  const declaration = published.declarations.get(names.get(type.typeName.getText()) ?? '');
  if (!declaration) return [];
  const bases = basesOf(declaration).flatMap(({ expression }) => declaration.names.get(expression.getText()) ?? []);
  return [
    ...bases.flatMap((id) => requiredMembers(membersOf(published.declarations.get(id)!))),
    ...requiredMembers(membersOf(declaration)),
    ...declaration.nodes
      .filter(ts.isTypeAliasDeclaration)
      .flatMap((one) => requiredFields(one.type, declaration.names, published)),
  ];
}

const requiredMembers = (members: readonly Member[]): string[] =>
  members.flatMap((one) => (ts.isPropertySignature(one) && !one.questionToken ? one.name.getText() : []));
