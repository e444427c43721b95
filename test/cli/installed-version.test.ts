import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.js';
import { frameworks } from '../../src/cli/frameworks.js';
import { majorVersionOf } from '../../src/cli/init/installed-version.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-version-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, content: object): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(content));
};

/** The major version of Next in apps/web, which has a range in its package.json. */
const majorOf = (range: string | undefined, name = 'next'): number => {
  const dependencies = range === undefined ? {} : { [name]: range };
  return majorVersionOf(
    { folder: join(root, 'apps/web'), manifest: { dependencies }, framework: frameworks[0]! },
    name,
  );
};

test.each([
  ['in the project', 'apps/web/node_modules/next'],
  ['in the workspace root', 'node_modules/next'],
])('the version of a package installed %s takes precedence over the range in package.json', (_where, path) => {
  write(`${path}/package.json`, { version: '15.5.28' });

  for (const range of ['catalog:', 'catalog:react19', 'latest', 'workspace:*', '*', '>=14', '^16.0.0', undefined])
    expect(majorOf(range)).toBe(15);
});

test('the version installed in the project takes precedence over the version installed in the workspace root', () => {
  write('node_modules/next/package.json', { version: '16.4.5' });
  write('apps/web/node_modules/next/package.json', { version: '15.5.28' });

  expect(majorOf('catalog:')).toBe(15);
});

test('the version of a package is found even if the package does not export package.json', () => {
  write('node_modules/@sveltejs/kit/package.json', { version: '2.63.0', exports: { '.': './index.js' } });

  expect(majorOf('catalog:', '@sveltejs/kit')).toBe(2);
});

test('a prerelease has the major version of the release that it precedes', () => {
  write('node_modules/next/package.json', { version: '16.0.0-canary.3' });

  expect(majorOf('canary')).toBe(16);
});

test.each([
  ['15.5.28', 15],
  ['^15.5.0', 15],
  ['~15.5', 15],
  ['15', 15],
  ['15.x', 15],
  ['v15.0.0-rc.1', 15],
  ['^15.4.0 || 15.x', 15],
  ['npm:next@^15.0.0', 15],
  ['npm:@acme/next-16@15.1.0', 15],
  ['workspace:^15.0.0', 15],
])('the major version of a package that is not installed is read from the range %s', (range, major) => {
  expect(majorOf(range)).toBe(major);
});

test.each([
  'catalog:',
  'catalog:next15',
  'latest',
  'canary',
  '*',
  '',
  '>=15.0.0',
  '^15.0.0 || ^16.0.0',
  'workspace:*',
  'file:../next-15',
  'github:vercel/next.js#v15.1.0',
  'https://acme.test/next-15.2.0.tgz',
])('the major version of a package that is not installed cannot be read from the range "%s"', (range) => {
  expect(() => majorOf(range)).toThrow(
    new CommandError(
      `init cannot tell the version of next: it is not installed, and package.json asks for ${JSON.stringify(range)}. What init writes depends on it. Run npm install, and run init again.`,
    ),
  );
});

test('the major version of a package that is neither listed nor installed cannot be determined', () => {
  expect(() => majorOf(undefined)).toThrow('it is not installed, and package.json does not list it.');
});
