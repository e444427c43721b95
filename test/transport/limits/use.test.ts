import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { expect, onTestFinished, test, vi } from 'vitest';

// The clocks of both sides move only when the test moves them, so a busy machine makes no difference.

test('fifty concurrent list iterations over ten directories use at least 90% of the rate limit of each directory', async () => {
  const emulator = await createEmulator({ rateLimits: true, clock: '2026-05-04T08:00:00.000Z' });
  onTestFinished(() => emulator.close());
  const directories: string[] = [];
  for (let at = 0; at < 10; at++) {
    const { id } = await emulator.createDirectory({ name: `Directory ${at}`, type: 'okta scim v2.0' });
    for (let user = 0; user < 25; user++)
      await emulator.createDirectoryUser({ directoryId: id, email: `user-${user}@d${at}.test` });
    directories.push(id);
  }
  // The first call also takes the time of loading code.
  await new Sallyport({
    ...emulator.credentials,
    limits: 'published',
    fetch: emulator.fetch,
  }).directorySync.listDirectories();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const requests: { readonly directory: string | null; readonly at: number }[] = [];
  const statuses: number[] = [];
  const recording: typeof fetch = async (input, init) => {
    requests.push({ directory: new URL(String(input)).searchParams.get('directory'), at: performance.now() });
    const answer = await emulator.fetch(input, init);
    statuses.push(answer.status);
    return answer;
  };
  const sallyport = new Sallyport({ ...emulator.credentials, limits: 'published', fetch: recording });

  const walks = Promise.all(
    Array.from({ length: 50 }, (_, walk) =>
      sallyport.directorySync.listUsers({ directory: directories[walk % 10]!, limit: 5 }).toArray({ max: 1_000 }),
    ),
  );
  let isOver = false;
  void walks.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(5);
    await emulator.clock.advance(5);
    await new Promise(setImmediate);
  }
  const lists = await walks;

  expect(lists.map(({ length }) => length)).toEqual(Array(50).fill(25));
  expect(statuses).toEqual(Array(250).fill(200));
  for (const id of directories) {
    const times = requests.filter(({ directory }) => directory === id).map(({ at }) => at);
    expect(times).toHaveLength(25);
    // The 25th is the first request of the seventh window, because 24 requests filled six windows.
    expect(24 / ((times[24]! - times[0]!) / 1_000) / 4).toBeGreaterThanOrEqual(0.9);
  }
});
