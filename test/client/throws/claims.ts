import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Sallyport } from 'sallyport';
import ts from 'typescript';

const folder = new URL('../../../src/client/', import.meta.url);

/** A promise of a method's comment: `mfa.getFactor NotFoundError`. */
export interface Claim {
  readonly name: string;
  /** The text of the comment after the class. */
  readonly text: string;
}

/** Functions and interfaces that the other entries export. */
const entries = [
  '../session/sessions.ts',
  '../session/types.ts',
  '../session/read/reader.ts',
  '../session/read/token-verifier.ts',
  '../session/read/verified-cache.ts',
  '../webhooks/verify.ts',
  '../webhooks/receive.ts',
  '../crypto/signature.ts',
  '../streams/checkpoint.ts',
  '../streams/follow/follow.ts',
  '../streams/registry.ts',
  '../streams/revocations/follow-revocations.ts',
  '../emulator/emulator.ts',
  '../emulator/rooms/emulator/worlds-controls.ts',
  '../testing/world.ts',
  '../testing/worlds.ts',
  '../browser/client.ts',
  '../react/hooks.ts',
];

/** Entries with some exports of the same name. */
const adapters = ['express', 'fastify', 'hono', 'next'];

/** Every `@throws` in the comments of the client's classes, and of the functions and interfaces of the entries. */
export function claims(): Claim[] {
  const paths = pathsByClass();
  return [
    ...readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => claimsOf(name, paths)),
    ...entries.flatMap((file) => claimsOfEntry(file)),
    ...adapters.flatMap((name) => claimsOfEntry(`../adapters/${name}.ts`, `${name}.`)),
  ];
}

const parsed = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(new URL(file, folder), 'utf8'), ts.ScriptTarget.Latest, true);

function claimsOfEntry(file: string, prefix = ''): Claim[] {
  return parsed(file).statements.flatMap((declared) => {
    if (ts.isFunctionDeclaration(declared)) return thrownBy(declared, prefix + (declared.name?.text ?? ''));
    if (ts.isVariableStatement(declared))
      return declared.declarationList.declarations.flatMap(({ name, initializer }) => [
        ...thrownBy(declared, prefix + name.getText()),
        ...thrownByFields(initializer, prefix + name.getText()),
      ]);
    if (prefix && ts.isExportDeclaration(declared)) return claimsOfExport(file, prefix, declared);
    if (!ts.isInterfaceDeclaration(declared) && !ts.isClassDeclaration(declared)) return [];
    return [...declared.members]
      .filter((member) => ts.isMethodSignature(member) || ts.isMethodDeclaration(member))
      .filter(({ name }) => !ts.isPrivateIdentifier(name))
      .flatMap((method) => thrownBy(method, `${declared.name?.text}.${method.name.getText()}`));
  });
}

/** The claims of what an adapter exports from another file. */
function claimsOfExport(
  file: string,
  prefix: string,
  { exportClause, moduleSpecifier }: ts.ExportDeclaration,
): Claim[] {
  if (!moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) return [];
  const names = exportClause.elements.map(({ name }) => prefix + name.text);
  // The specifier is in quotes.
  const source = posix.join(posix.dirname(file), moduleSpecifier.getText().slice(1, -1).replace(/js$/, 'ts'));
  return claimsOfEntry(source, prefix).filter(({ name }) => names.includes(name.split(' ', 1)[0] ?? ''));
}

/** The claims of the fields of an object and of its nested objects. */
function thrownByFields(object: ts.Expression | undefined, path: string): Claim[] {
  if (!object || !ts.isObjectLiteralExpression(object)) return [];
  return object.properties.filter(ts.isPropertyAssignment).flatMap((field) => {
    const name = `${path}.${field.name.getText()}`;
    return [...thrownBy(field, name), ...thrownByFields(field.initializer, name)];
  });
}

function claimsOf(file: string, paths: ReadonlyMap<string, string>): Claim[] {
  return parsed(file)
    .statements.filter(ts.isClassDeclaration)
    .flatMap((declared) => {
      const room = paths.get(declared.name?.text ?? '') ?? declared.name?.text ?? '';
      return [
        ...thrownBy(declared, `${room}.constructor`),
        ...declared.members
          .filter(ts.isMethodDeclaration)
          .flatMap((method) => thrownBy(method, `${room}.${method.name.getText()}`)),
      ];
    });
}

function thrownBy(node: ts.Node, method: string): Claim[] {
  return ts
    .getJSDocTags(node)
    .filter(ts.isJSDocThrowsTag)
    .map(({ typeExpression, comment }) => ({
      name: `${method} ${typeExpression?.type.getText() ?? 'no class'}`,
      text: ts.getTextOfJSDocComment(comment) ?? '',
    }));
}

/** The property of the client that has the methods of a class, through any inheritance: `Users` is `userManagement`. */
function pathsByClass(): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const visit = (room: object, path: string): void => {
    for (let at = Object.getPrototypeOf(room); at && at !== Object.prototype; at = Object.getPrototypeOf(at))
      if (at.constructor.name !== 'Namespace') paths.set(at.constructor.name, path);
    for (const [name, value] of Object.entries(room))
      if (typeof value === 'object' && value !== null && name !== 'transport')
        visit(value, path === 'Sallyport' ? name : `${path}.${name}`);
  };
  visit(new Sallyport({ apiKey: 'sk_test_0123456789abcdef', baseUrl: 'http://localhost:4100' }), 'Sallyport');
  return paths;
}
