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

/**
 * Wait for a promise in fake time, which moves on to the next timer whenever nothing else seems to happen. Start nothing that has
 * to be answered before the next timer. Returns the value, and the milliseconds that passed.
 */
export async function hurry<T>(start: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  vi.useFakeTimers({ toFake: [...timeouts] });
  const began = performance.now();
  let settled = false;
  const promise = start().finally(() => {
    settled = true;
  });
  for (;;) {
    await settle();
    if (settled) break;
    if (vi.getTimerCount() > 0) vi.advanceTimersToNextTimer();
  }
  const ms = performance.now() - began;
  vi.useRealTimers();
  return { value: await promise, ms };
}
