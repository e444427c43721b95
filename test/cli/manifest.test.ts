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
  'the invalid packageManager value %j in package.json is ignored',
  (packageManager) => {
    write(JSON.stringify({ packageManager }));
    writeFileSync(join(folder, 'yarn.lock'), '');

    expect(packageManagerOf(folder, manifestIn(folder)!).name).toBe('yarn');
  },
);

test('a valid packageManager value in package.json takes precedence over a lockfile', () => {
  write('{"packageManager":"pnpm@9.1.0"}');
  writeFileSync(join(folder, 'yarn.lock'), '');

  expect(packageManagerOf(folder, manifestIn(folder)!).name).toBe('pnpm');
});

test.each([
  ['null as dependencies', { dependencies: null }],
  ['a list as dependencies', { dependencies: ['express'] }],
  ['a string as dependencies', { dependencies: 'express' }],
  ['a number as the version of a dependency', { dependencies: { express: 5 } }],
  ['null as the version of a dependency', { devDependencies: { express: null } }],
])('no framework is found in a package.json that has %s', (_what, manifest) => {
  write(JSON.stringify(manifest));

  expect(frameworkOf(manifestIn(folder)!)).toBeUndefined();
});

test("a dependency's invalid version is ignored if devDependencies has a valid version", () => {
  write(JSON.stringify({ dependencies: { express: 5 }, devDependencies: { express: '5.3.0' } }));

  expect(frameworkOf(manifestIn(folder)!)?.name).toBe('express');
});

test.each(['null', '[]', '5', 'true', '"express"'])('a package.json with the JSON value %s is rejected', (text) => {
  write(text);

  expect(() => manifestIn(folder)).toThrow(
    new CommandError('package.json must contain a JSON object. Correct it and try again.'),
  );
});

test.each(['', '{', '{"name":"x",}', '{"name"', 'name: x'])(
  'a package.json with the invalid JSON %j is rejected',
  (text) => {
    write(text);

    expect(() => manifestIn(folder)).toThrow(/^package\.json cannot be read\. .+\. Correct it and try again\.$/);
  },
);

test('a package.json can start with a byte order mark', () => {
  write('\ufeff{"dependencies":{"express":"5.3.0"}}');

  expect(frameworkOf(manifestIn(folder)!)?.name).toBe('express');
});

test.each([
  ['a folder', 'app'],
  ['the project folder', './'],
  ['the parent folder', '../'],
  ['an invalid path', '\0'],
  ['a path that is too long', 'x'.repeat(5_000)],
])('the main field in package.json is ignored if the value is %s', (_what, main) => {
  write(JSON.stringify({ dependencies: { express: '5.3.0' }, main }));
  const manifest = manifestIn(folder)!;

  const { command } = setupOf({ folder, manifest, framework: frameworkOf(manifest)! });

  expect(command).toBe('node index.js');
});

test('init does not fail with an internal error if package.json contains values of unexpected types', () => {
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
