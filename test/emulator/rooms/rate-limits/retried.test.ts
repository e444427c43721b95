import { expect, onTestFinished, test, vi } from 'vitest';
import { createEmulator } from '../../../../src/emulator/index.js';
import { Sallyport } from '../../../../src/index.js';

test('the client retries a rate-limited request after the time in the Retry-After header', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00.000Z') });
  onTestFinished(() => void vi.useRealTimers());
  // The clock of this emulator follows the fake timers.
  const emulator = await createEmulator({
    rateLimits: true,
    seed: { directories: [{ id: 'directory_acme', name: 'Acme' }] },
  });
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const list = () => sallyport.directorySync.listUsers({ directory: 'directory_acme' }).withResponse();
  for (let at = 0; at < 4; at++) expect((await list()).response.attempts).toBe(1);

  const fifth = list();
  await vi.advanceTimersByTimeAsync(999);
  const early = emulator.served.get('directorySync.listUsers');
  await vi.advanceTimersByTimeAsync(1);

  expect((await fifth).response).toMatchObject({ status: 200, attempts: 2 });
  expect([early, emulator.clock.iso()]).toEqual([4, '2026-01-01T00:00:01.000Z']);
});
