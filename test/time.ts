import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';

/** What `hurry` replaces. Sockets keep their own timers. */
const timeouts = ['setTimeout', 'clearTimeout', 'performance', 'Date'] as const;

/** Wait until every request that has begun has arrived: it does before three others are answered. */
export async function settle(): Promise<void> {
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port gives an address with a port.
  const { port } = server.address() as AddressInfo;
  for (let request = 0; request < 3; request++)
    await new Promise<void>((resolve, reject) => {
      const ended = () => void setImmediate(resolve);
      get({ host: '127.0.0.1', port, agent: false }, (response) => response.resume().on('end', ended)).on(
        'error',
        reject,
      );
    });
  await new Promise((resolve) => server.close(resolve));
}

/** Count the calls of web cryptography that are under way in other threads, until `restore`. */
function watchCryptography() {
  let underWay = 0;
  const spies = (
    ['decrypt', 'deriveBits', 'deriveKey', 'digest', 'encrypt', 'importKey', 'sign', 'verify'] as const
  ).map((name) => {
    const call = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<never>;
    return vi.spyOn(crypto.subtle, name).mockImplementation((...given: unknown[]) => {
      underWay += 1;
      return call(...given).finally(() => {
        underWay -= 1;
      });
    });
  });
  const restore = () => {
    for (const spy of spies) spy.mockRestore();
  };
  return { isUnderWay: () => underWay > 0, restore };
}

/**
 * Wait for a promise in fake time, which moves on to the next timer whenever nothing else seems to happen. Start nothing that has
 * to be answered before the next timer. Returns the value, and the milliseconds that passed.
 */
export async function hurry<T>(start: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  vi.useFakeTimers({ toFake: [...timeouts] });
  const cryptography = watchCryptography();
  const began = performance.now();
  let settled = false;
  const promise = start().finally(() => {
    settled = true;
  });
  for (;;) {
    do await settle();
    while (cryptography.isUnderWay());
    if (settled) break;
    if (vi.getTimerCount() > 0) vi.advanceTimersToNextTimer();
  }
  const ms = performance.now() - began;
  cryptography.restore();
  vi.useRealTimers();
  return { value: await promise, ms };
}
