import { expect, onTestFinished, test } from 'vitest';
import { sleep } from '../../src/async/sleep.js';
import { createMirror } from '../../src/mirror/mirror.js';
import { serialize } from '../../src/streams/once/database.js';
import { emptySqlite } from '../databases/sqlite.js';
import { mirrorWorld } from './world.js';

test('a mirror does not underestimate the lag while the database is busy', async () => {
  const into = emptySqlite();
  const { emulator, sallyport } = await mirrorWorld({}, into);
  const mirror = createMirror(sallyport, { into, maxLagMs: 20_000, pollMs: 50 });
  onTestFinished(() => mirror.close());
  await mirror.setUp();
  void mirror.run();
  await mirror.ready();
  await emulator.faults.add({ operation: 'events.list', status: 503 });
  const failedAt = Date.now();

  // Other transactions keep the connection busy, so that the mirror has to wait for it.
  for (let round = 0; round < 4; round++) await serialize(into, () => sleep(600, new AbortController().signal));

  const [row] = into.all('SELECT fresh_at FROM sallyport_mirrors') as { fresh_at: string }[];
  expect(Date.parse(row!.fresh_at)).toBeLessThanOrEqual(failedAt);
});
