import { expect, test, vi } from 'vitest';

test('importing the emulator asks for nothing of fetch, which Node takes longer to load than all the rest', async () => {
  const asked: string[] = [];
  const restore: (() => void)[] = [];
  // Node loads each of them when it is first asked for.
  for (const name of ['fetch', 'Headers', 'Request', 'Response', 'FormData', 'WebSocket', 'EventSource']) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    if (!before) continue;
    const value: unknown = Reflect.get(globalThis, name);
    const get = (): unknown => {
      asked.push(name);
      return value;
    };
    Object.defineProperty(globalThis, name, { get, configurable: true });
    restore.push(() => Object.defineProperty(globalThis, name, before));
  }
  vi.resetModules();

  const { createEmulator } = await import('../../../src/emulator/index.js').finally(() => {
    for (const back of restore) back();
  });

  expect(asked).toEqual([]);
  const emulator = await createEmulator();
  expect((await emulator.fetch('/health')).status).toBe(200);
  await emulator.close();
});
