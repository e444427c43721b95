import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import { requires } from '../runner/requirements.js';
import { life } from './life.js';

requires(
  'node24',
  'node26',
  'bun',
)("a mirror in a runtime's built-in SQLite", () => {
  const programs = programsOf(['test/mirror/own-sqlite.ts']);

  test.each(['node24', 'node26', 'bun'])('copies, follows, reads and verifies records in %s', async (runtime) => {
    const { stdout } = await promisify(execFile)(runtime, [programs.file('own-sqlite')]);

    expect(JSON.parse(stdout)).toEqual(life);
  });
});
