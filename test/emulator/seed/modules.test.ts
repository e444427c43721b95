import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { sender } from '../../servers/send.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-module-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** Names of the organizations that an emulator with this seed has. */
async function namesIn(seed: string | URL): Promise<string[]> {
  const emulator = await createEmulator({ seed });
  const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
  const { body } = await send('GET /organizations');
  await emulator.close();
  return body.data.map(({ name }: { readonly name: string }) => name);
}

/** What a seed is refused with, its folder left out. */
const refusalOf = async (seed: string): Promise<string> => {
  const error = await createEmulator({ seed }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_seed' });
  return (error as Error).message.replaceAll(`${folder}/`, '');
};

describe('a seed that is a module', () => {
  test.each([
    ['an object', 'seed.mjs', "export default { organizations: [{ name: 'Acme' }] };"],
    ['a function', 'seed.mjs', "export default () => ({ organizations: [{ name: 'Acme' }] });"],
    ['a promise', 'seed.mjs', "export default Promise.resolve({ organizations: [{ name: 'Acme' }] });"],
    ['an async function', 'seed.mjs', "export default async () => ({ organizations: [{ name: 'Acme' }] });"],
    ['module.exports', 'seed.cjs', "module.exports = { organizations: [{ name: 'Acme' }] };"],
    ['module.exports of a .js file', 'seed.js', "module.exports = () => ({ organizations: [{ name: 'Acme' }] });"],
  ])('gives %s', async (_what, name, text) => {
    expect(await namesIn(write(name, text))).toEqual(['Acme']);
  });

  test('may be named by its address, and by names that addresses write otherwise', async () => {
    const file = write('größe #1.mjs', "export default { organizations: [{ name: 'Acme' }] };");

    expect(await namesIn(pathToFileURL(file))).toEqual(['Acme']);
    expect(await namesIn(file)).toEqual(['Acme']);
  });

  test('is run again each time, with its imports', async () => {
    const file = write('seed.mjs', "import { names } from './names.mjs';\nexport default { organizations: names };");
    write('names.mjs', "export const names = [{ name: 'Acme' }];");
    expect(await namesIn(file)).toEqual(['Acme']);

    write('names.mjs', "export const names = [{ name: 'Tailspin' }];");

    expect(await namesIn(file)).toEqual(['Tailspin']);
  });

  test('sees the variables of the process, and leaves its globals alone', async () => {
    const file = write(
      'seed.mjs',
      'globalThis.Response = undefined;\nexport default { organizations: [{ name: process.env.npm_package_name ?? "none" }] };',
    );

    expect(await namesIn(file)).toEqual([process.env.npm_package_name ?? 'none']);
    expect(typeof Response).toBe('function');
  });

  test.each([
    ['gives nothing', 'export default () => {};', 'Its default export is not a seed or a function that returns one'],
    ['exports nothing as default', 'export const seed = {};', 'Its default export is not a seed'],
    [
      'fails',
      "export default () => {\n  throw new TypeError('no way');\n};",
      'The seed seed.mjs cannot be run. TypeError: no way (seed.mjs:2:9). Correct it and try again.',
    ],
    ['throws a text', "throw 'no way';", 'The seed seed.mjs cannot be run. no way.'],
    ['is no JavaScript', 'export default {\n  users: [,,\n};', 'node --check '],
    ['imports what is not there', "import './none.mjs';", 'none.mjs'],
    [
      'holds a function',
      'export default { users: [() => 1] };',
      'Its seed has a value that JSON does not support: () => 1',
    ],
    ['ends the process', 'process.exit(0);', 'It ended without returning a seed'],
    [
      'breaks a rule',
      "export default { users: [{ email: 'ada@acme.test', password: 'hunter2' }] };",
      'The seed seed.mjs has a problem. Correct it and try again:\n  seed.mjs: users[0].password must have at least 8 characters',
    ],
    [
      'holds a date',
      'export default { users: [new Date(0)] };',
      'seed.mjs: users[0] must be a JSON value; found a Date',
    ],
  ])('is refused by its name where it %s', async (_what, text, message) => {
    const refusal = await refusalOf(write('seed.mjs', text));

    expect(refusal).toContain(message);
    expect(refusal).not.toContain('hunter2');
    expect(refusal).not.toMatch(/\n\s+at /);
  });

  test('is refused where it is not there', async () => {
    expect(await refusalOf(join(folder, 'none.mjs'))).toContain(
      'The seed none.mjs cannot be read. The file does not exist.',
    );
  });

  // The tests of the runtimes read one; this is what Node says that does not.
  test.skipIf('typescript' in process.features && process.features.typescript)(
    'in TypeScript is refused with what to do on a Node that does not read it',
    async () => {
      const file = write('seed.ts', 'export default { users: [] };');

      expect(await refusalOf(file)).toBe(
        `The seed seed.ts cannot be run. Node ${process.version} cannot run TypeScript. ` +
          'Use Node 22.18 or later, set NODE_OPTIONS="--import tsx" with tsx installed, or write the seed as .mjs or .yaml.',
      );
    },
  );
});
