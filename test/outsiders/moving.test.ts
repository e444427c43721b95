import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, optionsOf } from '../builds/compiler.js';
import { methodRowsOf, missingPartsOf, movingPage } from '../moving/page.js';
import { requires } from '../runner/requirements.js';
import { folderOf, installed } from './run.js';

const root = join(import.meta.dirname, '../..');

const options = optionsOf({
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
});

/** Read a file of test/moving with the import of @workos-inc/node, and without the comments that expect errors. */
const asTheirs = (file: string): string =>
  readFileSync(join(root, 'test/moving', file), 'utf8')
    .replace("import { Sallyport as WorkOS } from 'sallyport';", "import { WorkOS } from '@workos-inc/node';")
    .replace(/^ *\/\/ @ts-expect-error.*\n/gm, '');

/** The receivers of methods: the client, its parts, a sealed session and a list. */
const receivers = `
import { WorkOS } from '@workos-inc/node';
export declare const workos: WorkOS;
export declare const session: ReturnType<WorkOS['userManagement']['loadSealedSession']>;
export declare const list: Awaited<ReturnType<WorkOS['userManagement']['listUsers']>>;
`;

const isPublic = ({ declarations = [] }: ts.Symbol): boolean =>
  !declarations.some((one) => ts.getCombinedModifierFlags(one) & ts.ModifierFlags.NonPublicAccessibilityModifier);

/** The public methods of @workos-inc/node by part: `sso.getProfile`, and `workos.get` of the client itself. */
function methodsOf(file: string): string[] {
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file)!;
  const membersOf = (type: ts.Type): { readonly name: string; readonly type: ts.Type }[] =>
    checker
      .getPropertiesOfType(type)
      .filter(isPublic)
      .map((one) => ({ name: one.name, type: checker.getTypeOfSymbolAtLocation(one, source) }));
  const methodsIn = (name: string, type: ts.Type): string[] =>
    membersOf(type)
      .filter((member) => member.type.getCallSignatures().length > 0)
      .map((member) => `${name}.${member.name}`);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
  const types = exported.map((one) => [one.name, checker.getTypeOfSymbolAtLocation(one, source)] as const);
  const parts = types
    .flatMap(([, type]) => membersOf(type))
    // Other fields are texts and options, and `client` sends the requests of the parts.
    .filter(({ name, type }) => type.isClass() && name !== 'client')
    .map(({ name, type }) => [name, type] as const);
  return [...types, ...parts].flatMap(([name, type]) => methodsIn(name, type)).sort();
}

requires(installed('incumbent-11'))('moving from @workos-inc/node', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'moving-'));
    symlinkSync(join(folderOf('incumbent-11'), 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const complaintsAbout = (text: string): readonly string[] | undefined => {
    writeFileSync(join(folder, 'theirs.mts'), text);
    return compile(folder, ['theirs.mts'], options)['theirs.mts'];
  };

  test.each(['calls.ts', 'exceptions.ts'])('%s compiles with @workos-inc/node', (file) => {
    const text = asTheirs(file);

    expect(text).toContain("import { WorkOS } from '@workos-inc/node';");
    expect(complaintsAbout(text)).toEqual([]);
  });

  test('a call that @workos-inc/node does not have is refused', () => {
    const text = asTheirs('calls.ts').replaceAll('organizations.getOrganization(', 'organizations.getCompany(');

    expect(complaintsAbout(text)).toContainEqual(expect.stringMatching(/TS2339 .*'getCompany' does not exist/));
  });

  test('docs/moving.md lists every method of @workos-inc/node, and every part that is missing', () => {
    const file = join(folder, 'receivers.mts');
    writeFileSync(file, receivers);
    const methods = methodsOf(file);
    const listed = methodRowsOf(movingPage()).map(({ method }) => method);
    const missing = missingPartsOf(movingPage());

    const partOf = (method: string): string => method.split('.')[0]!;
    expect(methods.length).toBeGreaterThan(200);
    expect(listed.filter((method) => !methods.includes(method))).toEqual([]);
    expect(methods.filter((method) => !listed.includes(method) && !missing.includes(partOf(method)))).toEqual([]);
    expect(missing.filter((part) => !methods.some((method) => partOf(method) === part))).toEqual([]);
  });
});
