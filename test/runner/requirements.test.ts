import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesProcess, filesByProject, projectOf } from './projects.js';
import { missingOf } from './requirements.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-requirements-'));
  writeFileSync(join(folder, 'a-program'), '#!/bin/sh\n');
  chmodSync(join(folder, 'a-program'), 0o755);
  writeFileSync(join(folder, 'a-text'), 'no program\n', { mode: 0o644 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a program', () => {
  test('is found in the folders in PATH', () => {
    expect(missingOf(['a-program'], `/nowhere::${folder}`)).toEqual([]);
  });

  test('is reported as missing if no folder in PATH contains the program', () => {
    expect(missingOf(['a-program', 'b-program'], folder)).toEqual(['b-program']);
    expect(missingOf(['a-program'], '')).toEqual(['a-program']);
    expect(missingOf(['a-text'], folder)).toEqual(['a-text']);
  });

  test('outside PATH is found in a known Debian folder', () => {
    expect(missingOf(['postgresql'], '', { postgresql: folder })).toEqual([]);
    expect(missingOf(['postgresql'], '', { postgresql: join(folder, 'absent') })).toEqual(['postgresql']);
  });

  test('with a slash in the name is looked up as a path in the project', () => {
    expect(missingOf(['test/runner/requirements', 'test/no-such-folder'], folder)).toEqual(['test/no-such-folder']);
  });
});

describe('a suite that needs programs or is slow', () => {
  const run = (all: boolean) => {
    const { SALLYPORT_TEST_ALL: _, ...env } = process.env;
    return spawnSync(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        'test/runner/requirements/vitest.config.ts',
        '--reporter=json',
      ],
      { env: all ? { ...env, SALLYPORT_TEST_ALL: '1' } : env, encoding: 'utf8' },
    );
  };

  test('is skipped by `npm test`, and the title contains the reason', () => {
    const { status, stdout } = run(false);

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numPendingTests: 3, numFailedTests: 0 });
    expect(stdout).toContain('a suite that has what it needs (needs node: npm run test:all)');
    expect(stdout).toContain('a suite with a need (needs node and no-such-program: npm run test:all)');
    expect(stdout).toContain('a suite that takes long (takes long: npm run test:all)');
  });

  test('is run by `npm run test:all`, and fails if a program is missing', () => {
    const { status, stdout } = run(true);

    expect(status).not.toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 3, numPendingTests: 0, numFailedTests: 1 });
    expect(stdout).toContain('no-such-program not found. Install it on PATH, or run npm test');
  });
});

describe('a test file', () => {
  test.each([
    ['that needs programs', 'rest', "import { requires } from '../requirements.js';"],
    ['with a long suite', 'rest', "import { missingOf, takesLong } from './requirements.js';"],
    ['that replaces modules', 'alone', "vi.mock('../src/index.js', load);"],
    ['that reloads modules', 'alone', 'vi.resetModules();'],
    ['that changes the working directory', 'alone', "process.chdir('/');"],
    ['that sets an environment variable', 'alone', "process.env.SALLYPORT_LOG = 'warn';"],
    ['that deletes an environment variable', 'alone', 'delete process.env.SALLYPORT_LOG;'],
    ['that sets several environment variables', 'alone', 'Object.assign(process.env, variables);'],
    ['with fake timers and stubbed variables', 'together', "vi.useFakeTimers(); vi.stubEnv('NODE_ENV', 'x');"],
    ['that reads an environment variable', 'together', 'const { PATH } = process.env;'],
    ['with random input', 'together', "import fc, { runs } from '../runner/property.js';"],
    ['that looks for missing programs', 'together', "import { missingOf } from './requirements.js';"],
    ['that imports only Vitest', 'together', "import { expect, test } from 'vitest';"],
  ])('%s is run in the Vitest project "%s"', (_, project, text) => {
    expect(projectOf(text, false)).toBe(project);
    expect(projectOf(text, true)).toBe(project);
  });

  test('with extra cases for `npm run test:all` is run by `npm test` and by `npm run test:rest`', () => {
    const text = "import fc, { runs, triesAll } from '../runner/property.js';";

    expect(projectOf(text, false)).toBe('together');
    expect(projectOf(text, true)).toBe('rest');
  });

  // `npm run test:rest` runs whole files, so a test of `npm test` would be run twice.
  test('for `npm run test:rest` contains no test that `npm test` runs', () => {
    const { rest, together } = filesByProject('.', 'test');
    const outside = rest.filter((file) => /^(?:test|describe)\b/m.test(readFileSync(file, 'utf8')));

    expect(rest).toContain('test/runtimes/runtimes.test.ts');
    expect(together).toContain('test/architecture/architecture.test.ts');
    expect(outside).toEqual([]);
  });

  test('for `npm run test:rest` does not change the shared process', () => {
    const { rest } = filesByProject('.', 'test', true);

    expect(rest).toContain('test/streams/property.test.ts');
    expect(rest.filter((file) => changesProcess(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
