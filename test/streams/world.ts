import type { EmulatorOptions } from 'sallyport/emulator';
import { type FollowOptions, memoryCheckpoint, type Stream, type StreamProblem } from 'sallyport/streams';
import { onTestFinished } from 'vitest';
import type { Sleep } from '../../src/async/sleep.js';
import { streamOf } from '../../src/streams/follow/follow.js';
import { settingsOf } from '../../src/streams/follow/options.js';
import { stage } from '../stage.js';

/** Starts an emulator with a stopped clock, a client, and streams that wait only for the next poll. */
export async function startWorld(options: EmulatorOptions = {}) {
  const { emulator, sallyport: client } = await stage({
    clock: '2026-05-04T08:00:00.000Z',
    client: { maxRetries: 0 },
    ...options,
  });
  const problems: StreamProblem[] = [];
  const waits: number[] = [];
  const pollMs = 5_000;

  /** Ends most waits at once. The wait for the next poll ends on a poke, and those for answers and consumers never end. */
  const skipWaits: Sleep = (ms, signal) => {
    if (![pollMs - 200, 5_000, 10_000].includes(ms)) {
      // Waits between two saves are short, or a multiple of the duration of the last save.
      if (ms >= 700 && Number.isInteger(ms)) waits.push(ms);
      return new Promise((resolve) => setImmediate(resolve));
    }
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
  };
  const checkpoint = memoryCheckpoint();
  const stream = (more: FollowOptions = {}, of = client, sleep = skipWaits): Stream => {
    const all = {
      checkpoint,
      now: () => emulator.clock.now(),
      onProblem: (problem: StreamProblem) => problems.push(problem),
      ...more,
    };
    const one = streamOf(of, settingsOf(all, sleep), more.signal);
    onTestFinished(() => one.close({ timeoutMs: 0 }));
    return one;
  };
  const user = (name: string) => client.userManagement.createUser({ email: `${name}@acme.test` });
  return { emulator, client, stream, checkpoint, problems, waits, user };
}

/** Waits until a condition holds. */
export async function until(holds: () => unknown): Promise<void> {
  for (const endsAt = Date.now() + 30_000; !holds(); ) {
    if (Date.now() > endsAt) throw new Error('That did not happen');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs a stream with a handler that records the addresses of users. */
export function collect(stream: Stream, addresses: string[] = []) {
  const ended = stream.run((event) => {
    addresses.push((event.data as { readonly email?: string }).email?.split('@')[0] ?? event.event);
  });
  // The test that expects the error awaits `ended`.
  ended.catch(() => {});
  return { addresses, ended };
}
