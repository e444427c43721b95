import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { hostOf, optionsIn } from '../builds/compiler.js';
import { takesLong } from '../runner/requirements.js';

// Messages of the compiler after a forgotten `.data` or `await`. Iterating names only the type, and a property typed as a
// message would show the message as `String`. The names of the types must therefore describe the value.

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = join(root, 'test/types/forgotten-in-memory.ts');
const mistakes: readonly [line: string, said: string][] = [
  ['(await list()).map(String);', "Property 'map' does not exist on type 'Page<Organization>'."],
  ['(await list()).length;', "Property 'length' does not exist on type 'Page<Organization>'."],
  [
    'for (const each of await list()) each;',
    "Type 'Page<Organization>' must have a '[Symbol.iterator]()' method that returns an iterator.",
  ],
  [
    'const [first] = await list();',
    "Type 'Page<Organization>' must have a '[Symbol.iterator]()' method that returns an iterator.",
  ],
  [
    'list().data;',
    "Property 'data' does not exist on type 'PagePromise<Organization>'. Did you forget to use 'await'?",
  ],
  ['list().length;', "Property 'length' does not exist on type 'PagePromise<Organization>'."],
  ['list().map(String);', "Property 'map' does not exist on type 'PagePromise<Organization>'."],
  [
    'for (const each of list()) each;',
    "Type 'PagePromise<Organization>' must have a '[Symbol.iterator]()' method that returns an iterator. Did you forget to use 'await'?",
  ],
  ['get().name;', "Property 'name' does not exist on type 'Call<Organization>'. Did you forget to use 'await'?"],
];
const program = `
import { Sallyport } from 'sallyport';
const { organizations } = new Sallyport();
const list = () => organizations.listOrganizations();
const get = () => organizations.getOrganization('org_01');
${mistakes.map(([line]) => `{ ${line} }`).join('\n')}
`;

/** The first compiler error for each mistake, with its hint. */
function messages(): string[] {
  const options = optionsIn(root);
  const host = hostOf(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, program, ts.ScriptTarget.ES2022) : getSourceFile(path, ...rest);
  const compiled = ts.createProgram([file], { ...options, noUnusedLocals: false }, host);
  const found = compiled.getSemanticDiagnostics(compiled.getSourceFile(file));
  return found
    .filter(({ code }) => code !== implicitAny)
    .map(({ messageText, relatedInformation = [] }) =>
      [messageText, ...relatedInformation.map((each) => each.messageText)]
        .map((text) => ts.flattenDiagnosticMessageText(text, ' '))
        .join(' '),
    );
}
const implicitAny = 7006;

takesLong('a missing `.data` or `await`', () => {
  test('causes a compiler error that names the type of the value', () => {
    expect(messages()).toEqual(mistakes.map(([, said]) => said));
  }, 60_000);
});
