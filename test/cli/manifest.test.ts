import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.js';
import { frameworkOf, frameworks, manifestIn } from '../../src/cli/frameworks.js';
import { packageManagerOf } from '../../src/cli/init/package-manager.js';
import { setupOf } from '../../src/cli/init/setup.js';
import fc from '../runner/property.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-manifest-'));
  mkdirSync(join(folder, 'app'));
  for (const name of ['app/root.tsx', 'app/routes.ts', 'index.js']) writeFileSync(join(folder, name), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string): void => writeFileSync(join(folder, 'package.json'), text);

test.each([[7], [null], [true], [['pnpm@9']], [{ name: 'pnpm@9' }]])(
  'a packageManager field with the value %j in package.json is ignored',
  (packageManager) => {
    write(JSON.stringify({ packageManager }));
    writeFileSync(join(folder, 'yarn.lock'), '');

    expect(packageManagerOf(folder, manifestIn(folder)!).name).toBe('yarn');
  },
);

test('a packageManager field that is a string names the package manager', () => {
  write('{"packageManager":"pnpm@9.1.0"}');
  writeFileSync(join(folder, 'yarn.lock'), '');

  expect(packageManagerOf(folder, manifestIn(folder)!).name).toBe('pnpm');
});

test.each([
  ['dependencies that are null', { dependencies: null }],
  ['dependencies that are a list', { dependencies: ['express'] }],
  ['dependencies that are a string', { dependencies: 'express' }],
  ['a version that is a number', { dependencies: { express: 5 } }],
  ['a version that is null', { devDependencies: { express: null } }],
])('no framework is found in a package.json with %s', (_what, manifest) => {
  write(JSON.stringify(manifest));

  expect(frameworkOf(manifestIn(folder)!)).toBeUndefined();
});

test('a version field of an unexpected type does not hide another version', () => {
  write(JSON.stringify({ dependencies: { express: 5 }, devDependencies: { express: '5.3.0' } }));

  expect(frameworkOf(manifestIn(folder)!)?.name).toBe('express');
});

test.each(['null', '[]', '5', 'true', '"express"'])('a package.json that contains %s is refused', (text) => {
  write(text);

  expect(() => manifestIn(folder)).toThrow(
    new CommandError('package.json must contain a JSON object. Correct it and try again.'),
  );
});

test.each(['', '{', '{"name":"x",}', '{"name"', 'name: x'])('a package.json that contains %j is refused', (text) => {
  write(text);

  expect(() => manifestIn(folder)).toThrow(/^package\.json cannot be read\. .+\. Correct it and try again\.$/);
});

test('a package.json may start with a byte order mark', () => {
  write('\ufeff{"dependencies":{"express":"5.3.0"}}');

  expect(frameworkOf(manifestIn(folder)!)?.name).toBe('express');
});

test.each([
  ['a folder', 'app'],
  ['the project', './'],
  ['the folder above', '../'],
  ['an invalid path', '\0'],
  ['a path that is too long', 'x'.repeat(5_000)],
])('a main field in package.json that is %s is ignored', (_what, main) => {
  write(JSON.stringify({ dependencies: { express: '5.3.0' }, main }));
  const manifest = manifestIn(folder)!;

  const { command } = setupOf({ folder, manifest, framework: frameworkOf(manifest)! });

  expect(command).toBe('node index.js');
});

test('init never fails with an unexpected error, even if package.json has values of unexpected types', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('app', 'index.js', 'module', '\0', 'npm@1', '16', 'latest', '\ud800'),
    fc.array(fc.constantFrom('next', 'express')),
    fc.dictionary(fc.constantFrom('dev', 'toString', '__proto__'), fc.jsonValue()),
  );
  const versions = fc.dictionary(fc.constantFrom(...frameworks.map((one) => one.dependency), 'sallyport'), odd);
  const manifests = fc.record(
    {
      type: odd,
      main: odd,
      packageManager: odd,
      scripts: odd,
      dependencies: fc.oneof(versions, odd),
      devDependencies: fc.oneof(versions, odd),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(manifests, fc.jsonValue()), (value) => {
      write(JSON.stringify(value));
      try {
        const manifest = manifestIn(folder)!;
        packageManagerOf(folder, manifest);
        for (const framework of frameworks) setupOf({ folder, manifest, framework });
      } catch (error) {
        expect(error).toBeInstanceOf(CommandError);
      }
    }),
    { numRuns: 300 },
  );
});
