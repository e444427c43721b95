import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.js';
import { checkTargets } from '../../src/cli/init/targets.js';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-targets-'));
  folder = join(root, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'elsewhere/file'), '');
  writeFileSync(join(folder, 'file'), '');
});
afterEach(() => rmSync(root, { recursive: true }));

const check = (...paths: string[]) => {
  return () => checkTargets(folder, paths);
};
const links = (names: string): CommandError =>
  new CommandError(
    `init does not write through symbolic links, even inside the project. These are links: ${names}. Nothing was written. Replace them with real files or folders and run init again.`,
  );
const obstacles = (names: string): CommandError =>
  new CommandError(
    `init cannot write its files because these are in the way: ${names}. Nothing was written. Move them and run init again.`,
  );

test.each(['file', 'new', 'src/new', 'new/deep/new'])('init can write to the path "%s"', (path) => {
  expect(check(path)).not.toThrow();
});

test.each([
  ['to a file outside the project', '../elsewhere/file'],
  ['to a missing file outside the project', '../elsewhere/new'],
  ['to a folder outside the project', '../elsewhere'],
  ['to a file in the project', 'file'],
  ['that points to itself', 'link'],
])('init does not write to a symbolic link %s', (_what, to) => {
  symlinkSync(to, join(folder, 'link'));

  expect(check('link')).toThrow(links('link'));
});

test.each([
  ['a folder outside the project', '../../elsewhere'],
  ['a missing folder outside the project', '../../nowhere'],
  ['a folder in the project', '../src'],
])('init does not write through a symbolic link to %s', (_what, to) => {
  symlinkSync(to, join(folder, 'src/lib'));

  expect(check('src/lib/server/sessions.ts')).toThrow(links('src/lib'));
});

test('init reports all symbolic links in the paths of new files in one error', () => {
  symlinkSync('../elsewhere/new', join(folder, '.env'));
  symlinkSync('../../elsewhere', join(folder, 'src/lib'));

  expect(check('src/lib/one.ts', 'src/lib/two.ts', 'file', '.env')).toThrow(links('src/lib, .env'));
});

test('init does not write to a path that is a folder', () => {
  expect(check('file', 'src')).toThrow(obstacles('src'));
});

test('init does not write to a path below a file', () => {
  expect(check('file/new/deep')).toThrow(obstacles('file'));
});
