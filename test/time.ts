import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';

/** What `hurry` replaces. Sockets keep their own timers. */
const timeouts = ['setTimeout', 'clearTimeout', 'performance', 'Date'] as const;

let server: Promise<Server> | undefined;

/** A server that answers every request, until the process ends. */
async function answeringServer(): Promise<Server> {
  const listening = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return listening.unref();
}

/** Wait until every request that has begun has arrived: it does before three others are answered. */
export async function settle(): Promise<void> {
  server ??= answeringServer();
  // Listening on a port gives an address with a port.
  const { port } = (await server).address() as AddressInfo;
  for (let request = 0; request < 3; request++)
    await new Promise<void>((resolve, reject) => {
      const ended = () => void setImmediate(resolve);
      get({ host: '127.0.0.1', port, agent: false }, (response) => response.resume().on('end', ended)).on(
        'error',
        reject,
      );
    });
}

/** Watch the calls of web cryptography, which are answered in other threads, until `restore`. */
function watchCryptography() {
  let underWay = 0;
  let calls = 0;
  const spies = (
    [
      'decrypt',
      'deriveBits',
      'deriveKey',
      'digest',
      'encrypt',
      'exportKey',
      'generateKey',
      'importKey',
      'sign',
      'verify',
    ] as const
  ).map((name) => {
    const call = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<never>;
    return vi.spyOn(crypto.subtle, name).mockImplementation((...given: unknown[]) => {
      underWay += 1;
      calls += 1;
      return call(...given).finally(() => {
        underWay -= 1;
      });
    });
  });
  const restore = () => {
    for (const spy of spies) spy.mockRestore();
  };
  /** Resolve with whether nothing was encrypted, hashed or signed meanwhile. */
  const isQuiet = async (during: () => Promise<void>) => {
    const began = underWay === 0 ? calls : undefined;
    await during();
    return calls === began;
  };
  return { isQuiet, restore };
}

/**
 * Do something in fake time. `settled` waits until every module has been loaded, and every request and every call of web cryptography
 * has been answered.
 */
async function watched<T>(act: (settled: () => Promise<void>) => Promise<T>): Promise<T> {
  const cryptography = watchCryptography();
  try {
    return await act(async () => {
      do await vi.dynamicImportSettled();
      while (!(await cryptography.isQuiet(settle)));
    });
  } finally {
    cryptography.restore();
  }
}

/** Fake the time of timers, `Date` and `performance` until the end of the test. */
export const fakeTime = (): void => void vi.useFakeTimers({ toFake: [...timeouts] });

/**
 * Start something, and let at least so much fake time pass, until it is over. Time moves in steps of at most half a second, and to the
 * next timer once it is over. Requests are answered before each step.
 */
export async function pass<T>(ms: number, start: () => Promise<T>): Promise<T> {
  let isOver = false;
  return watched(async (settled) => {
    const started = start().finally(() => {
      isOver = true;
    });
    for (let left = ms; left > 0 || !isOver; ) {
      await settled();
      // Without a timer, it waits for something that takes real time, such as a module.
      if (vi.getTimerCount() === 0 && !isOver) continue;
      const began = performance.now();
      if (isOver && left > 0) {
        const end = setTimeout(() => undefined, left);
        vi.advanceTimersToNextTimer();
        clearTimeout(end);
      } else vi.advanceTimersByTime(Math.min(left > 0 ? left : 500, 500));
      left -= performance.now() - began;
    }
    return started;
  });
}

/**
 * Wait for a promise in fake time, which moves on to the next timer whenever nothing else seems to happen. Start nothing that has
 * to be answered before the next timer. Returns the value, and the milliseconds that passed.
 */
export async function hurry<T>(start: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  fakeTime();
  const began = performance.now();
  let isOver = false;
  const promise = start().finally(() => {
    isOver = true;
  });
  await watched(async (settled) => {
    for (;;) {
      await settled();
      if (isOver) break;
      if (vi.getTimerCount() > 0) vi.advanceTimersToNextTimer();
    }
  });
  const ms = performance.now() - began;
  vi.useRealTimers();
  return { value: await promise, ms };
}
