import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, optionsOf } from '../builds/compiler.js';
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

requires(installed('incumbent-11'))('the calls of test/moving', () => {
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
});
