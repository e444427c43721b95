import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { programsOf } from '../../builds/programs.js';
import { requires } from '../../runner/requirements.js';

requires(
  'node22',
  'node24',
  'node26',
  'bun',
)("exactlyOnce with a runtime's built-in SQLite", () => {
  const programs = programsOf(['test/streams/once/own-sqlite.ts']);

  test.each(['node22', 'node24', 'node26', 'bun'])('applies each event only once on %s', async (runtime) => {
    const { stdout } = await promisify(execFile)(runtime, [programs.file('own-sqlite')]);

    expect(JSON.parse(stdout)).toEqual([
      'applied',
      'duplicate',
      'superseded',
      'dead_letter',
      ['Error: broken'],
      [{ id: 'event_0003', outcome: 'applied' }],
      'applied',
      true,
      false,
      'a',
      [{ id: 'user_ada', email: 'ada3@acme.test' }],
    ]);
  });
});
