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

  test('is missing if no folder in PATH contains it, or if it cannot be run', () => {
    expect(missingOf(['a-program', 'b-program'], folder)).toEqual(['b-program']);
    expect(missingOf(['a-program'], '')).toEqual(['a-program']);
  });

  test('that is not in PATH is found in its Debian folder', () => {
    expect(missingOf(['postgresql'], '', { postgresql: folder })).toEqual([]);
    expect(missingOf(['postgresql'], '', { postgresql: join(folder, 'absent') })).toEqual(['postgresql']);
  });

  test('with a slash in its name is a file or folder in this project', () => {
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

  test('is skipped by `npm test`, and its title says why', () => {
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
    ['that needs programs', "import { requires } from '../requirements.js';", 'rest'],
    ['that takes long', "import { missingOf, takesLong } from './requirements.js';", 'rest'],
    ['that replaces modules', "vi.mock('../src/index.js', load);", 'alone'],
    ['that loads its modules again', 'vi.resetModules();', 'alone'],
    ['that changes its folder', "process.chdir('/');", 'alone'],
    ['that sets a variable', "process.env.SALLYPORT_LOG = 'warn';", 'alone'],
    ['that deletes a variable', 'delete process.env.SALLYPORT_LOG;', 'alone'],
    ['that sets many variables', 'Object.assign(process.env, variables);', 'alone'],
    [
      'with fake timers, spies and variables that are put back',
      "vi.useFakeTimers(); vi.stubEnv('NODE_ENV', 'x');",
      'together',
    ],
    ['that reads a variable', 'const { PATH } = process.env;', 'together'],
    ['with random input', "import fc, { runs } from '../runner/property.js';", 'together'],
    ['that looks for missing programs', "import { missingOf } from './requirements.js';", 'together'],
    ['without any of these', "import { expect, test } from 'vitest';", 'together'],
  ])('%s runs in its own Vitest project', (_, text, project) => {
    expect(projectOf(text, false)).toBe(project);
    expect(projectOf(text, true)).toBe(project);
  });

  test('that tries more cases in `npm run test:all` is run both by `npm test` and by `npm run test:rest`', () => {
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

  test('for `npm run test:rest` does not change its process, because other files share it', () => {
    const { rest } = filesByProject('.', 'test', true);

    expect(rest).toContain('test/streams/property.test.ts');
    expect(rest.filter((file) => changesProcess(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
