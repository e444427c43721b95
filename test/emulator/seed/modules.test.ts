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

const writeModule = (name: string, text: string): string => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** Names of the organizations of an emulator with this seed. */
async function namesIn(seed: string | URL): Promise<string[]> {
  const emulator = await createEmulator({ seed });
  const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
  const { body } = await send('GET /organizations');
  await emulator.close();
  return body.data.map(({ name }: { readonly name: string }) => name);
}

/** The error message for a refused seed, without its folder. */
const refusalOf = async (seed: string): Promise<string> => {
  const error = await createEmulator({ seed }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_seed' });
  return (error as Error).message.replaceAll(`${folder}/`, '');
};

describe('a seed module', () => {
  test.each([
    ['an object', 'seed.mjs', "export default { organizations: [{ name: 'Acme' }] };"],
    ['a function', 'seed.mjs', "export default () => ({ organizations: [{ name: 'Acme' }] });"],
    ['a promise', 'seed.mjs', "export default Promise.resolve({ organizations: [{ name: 'Acme' }] });"],
    ['an async function', 'seed.mjs', "export default async () => ({ organizations: [{ name: 'Acme' }] });"],
    ['an object through module.exports', 'seed.cjs', "module.exports = { organizations: [{ name: 'Acme' }] };"],
    [
      'a function through module.exports in a .js file',
      'seed.js',
      "module.exports = () => ({ organizations: [{ name: 'Acme' }] });",
    ],
  ])('can export %s', async (_what, name, text) => {
    expect(await namesIn(writeModule(name, text))).toEqual(['Acme']);
  });

  test('can be passed as a file URL', async () => {
    const file = writeModule('seed.mjs', "export default { organizations: [{ name: 'Acme' }] };");

    expect(await namesIn(pathToFileURL(file))).toEqual(['Acme']);
  });

  test.each([
    ['seed.mjs', 'export default'],
    ['seed.cjs', 'module.exports ='],
  ])('named %s is loaded again for each emulator', async (name, start) => {
    const file = writeModule(name, `${start} { organizations: [{ name: 'Acme' }] };`);
    expect(await namesIn(file)).toEqual(['Acme']);

    writeModule(name, `${start} { organizations: [{ name: 'Tailspin' }] };`);

    expect(await namesIn(file)).toEqual(['Tailspin']);
  });

  test.each([
    [
      'exports a function that returns nothing',
      'export default () => {};',
      'Its default export is not a seed or a function that returns one',
    ],
    ['has no default export', 'export const seed = {};', 'Its default export is not a seed'],
    [
      'throws an error',
      "export default () => {\n  throw new TypeError('no way');\n};",
      'The seed seed.mjs cannot be run. TypeError: no way (seed.mjs:2:9). Correct it and try again.',
    ],
    ['throws a string', "throw 'no way';", 'The seed seed.mjs cannot be run. no way.'],
    ['imports a missing file', "import './none.mjs';", 'none.mjs'],
    [
      'contains a function',
      'export default { users: [() => 1] };',
      'seed.mjs: users[0] must be a JSON value; found a function',
    ],
    [
      'contains a weak password',
      "export default { users: [{ email: 'ada@acme.test', password: 'hunter2' }] };",
      'The seed seed.mjs has a problem. Correct it and try again:\n  seed.mjs: users[0].password must have at least 8 characters',
    ],
    [
      'contains a date',
      'export default { users: [new Date(0)] };',
      'seed.mjs: users[0] must be a JSON value; found a Date',
    ],
  ])('that %s is rejected, and the error names the file', async (_what, text, message) => {
    const refusal = await refusalOf(writeModule('seed.mjs', text));

    expect(refusal).toContain(message);
    expect(refusal).not.toContain('hunter2');
    expect(refusal).not.toMatch(/\n\s+at /);
  });

  test('is rejected if the file does not exist', async () => {
    expect(await refusalOf(join(folder, 'none.mjs'))).toContain(
      'The seed none.mjs cannot be read. The file does not exist.',
    );
  });
});
