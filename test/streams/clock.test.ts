import { Sallyport } from 'sallyport';
import { expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { startWorld, until } from './world.js';

/** Creates a service that sends its time, and a stream with a clock that is off by some milliseconds. */
async function skewed(offMs: number, dateOffMs = 0) {
  const surroundings = await startWorld();
  const { emulator, stream } = surroundings;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init);
    const headers = new Headers(response.headers);
    headers.set('date', new Date(emulator.clock.now() + dateOffMs).toUTCString());
    return new Response(await response.text(), { status: response.status, headers });
  };
  const client = new Sallyport({ ...emulator.credentials, fetch, maxRetries: 0 });
  const one = stream({ now: () => emulator.clock.now() + offMs }, client);
  return { ...surroundings, one };
}

test.each([
  ['ahead', 600_000],
  ['behind', -600_000],
])("a stream measures lag with the service's clock if the local clock is ten minutes %s", async (_, offMs) => {
  const { one, user, emulator } = await skewed(offMs);
  await user('ada');
  const { promise: finished, resolve: finish } = deferred<void>();
  void one.run(() => finished);
  await until(() => one.status().inFlight === 1);

  expect([one.status().lagMs, one.health().ok]).toEqual([0, true]);
  await emulator.clock.advance('6m');
  expect([one.status().lagMs, one.health().ok]).toEqual([360_000, false]);
  finish();
  await until(() => one.status().handled === 1);
});

test("a stream measures lag with the local clock if the service's clock is off by a year", async () => {
  const { one, user, emulator } = await skewed(0, 365 * 86_400_000);
  await user('ada');
  void one.run(() => new Promise(() => {}));
  await until(() => one.status().inFlight === 1);
  await emulator.clock.advance('6m');

  expect(one.status().lagMs).toBe(360_000);
});
