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
  test('is found where the path says', () => {
    expect(missingOf(['a-program'], `/nowhere::${folder}`)).toEqual([]);
  });

  test('is missing where the path does not lead to it, or leads to what cannot be run', () => {
    expect(missingOf(['a-program', 'b-program'], folder)).toEqual(['b-program']);
    expect(missingOf(['a-program'], '')).toEqual(['a-program']);
  });

  test('that is on no path is found where Debian puts it', () => {
    expect(missingOf(['postgresql'], '', { postgresql: folder })).toEqual([]);
    expect(missingOf(['postgresql'], '', { postgresql: join(folder, 'absent') })).toEqual(['postgresql']);
  });

  test('with a slash in its name is a folder of this project', () => {
    expect(missingOf(['test/runner/requirements', 'test/no-such-folder'], folder)).toEqual(['test/no-such-folder']);
  });
});

describe('a suite that needs programs or takes long', () => {
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

  test('is left out of `npm test`, its title saying why', () => {
    const { status, stdout } = run(false);

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numPendingTests: 3, numFailedTests: 0 });
    expect(stdout).toContain('a suite that has what it needs (needs node: npm run test:all)');
    expect(stdout).toContain('a suite with a need (needs node and no-such-program: npm run test:all)');
    expect(stdout).toContain('a suite that takes long (takes long: npm run test:all)');
  });

  test('is run by `npm run test:all`, and fails where one is missing', () => {
    const { status, stdout } = run(true);

    expect(status).not.toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 3, numPendingTests: 0, numFailedTests: 1 });
    expect(stdout).toContain('no-such-program not found. Install it on PATH, or run npm test');
  });
});

describe('a file of tests', () => {
  test.each([
    ['that needs programs', "import { requires } from '../requirements.js';", 'rest'],
    ['that takes long', "import { missingOf, takesLong } from './requirements.js';", 'rest'],
    ['that replaces modules', "vi.mock('../src/index.js', load);", 'alone'],
    ['that loads its modules again', 'vi.resetModules();', 'alone'],
    ['that changes its folder', "process.chdir('/');", 'alone'],
    ['that sets a variable', "process.env.SALLYPORT_LOG = 'warn';", 'alone'],
    ['that takes a variable away', 'delete process.env.SALLYPORT_LOG;', 'alone'],
    ['that sets many variables', 'Object.assign(process.env, variables);', 'alone'],
    [
      'whose fake timers, spies and variables are put back',
      "vi.useFakeTimers(); vi.stubEnv('NODE_ENV', 'x');",
      'together',
    ],
    ['that reads a variable', 'const { PATH } = process.env;', 'together'],
    ['that asks what is missing', "import { missingOf } from './requirements.js';", 'together'],
    ['of no such kind', "import { expect, test } from 'vitest';", 'together'],
  ])('%s', (_, text, project) => {
    expect(projectOf(text)).toBe(project);
  });

  // `npm run test:rest` runs whole files: what `npm test` has run would be run twice.
  test('that `npm test` leaves out has no test that `npm test` runs', () => {
    const { rest, together } = filesByProject('.', 'test');
    const outside = rest.filter((file) => /^(?:test|describe)\b/m.test(readFileSync(file, 'utf8')));

    expect(rest).toContain('test/runtimes/runtimes.test.ts');
    expect(together).toContain('test/architecture/architecture.test.ts');
    expect(outside).toEqual([]);
  });

  test('that `npm test` leaves out changes no process, because others share it', () => {
    const { rest } = filesByProject('.', 'test');

    expect(rest.filter((file) => changesProcess(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
