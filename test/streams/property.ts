import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { type Checkpoint, memoryCheckpoint, type Stream } from 'sallyport/streams';
import { expect } from 'vitest';
import { streamOf } from '../../src/streams/follow/follow.js';
import { settingsOf } from '../../src/streams/follow/options.js';
import { until } from './world.js';

/** Creates a generator of numbers from 0 to 1 that repeats them for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

const pollMs = 5_000;
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ms !== pollMs - 200 || signal.aborted) setImmediate(resolve);
    else signal.addEventListener('abort', () => resolve());
  });

/** One process, with the events that it received in order until it ended or was killed. */
interface Life {
  readonly stream: Stream;
  readonly given: string[];
  kill(): void;
}

/**
 * Changes users while events appear up to 55 seconds late and processes are killed at random times. Checks that every event was handled, in
 * the order of the feed for each user except for late events, and none twice by the same process.
 */
export async function play(seed: number, rounds: number): Promise<void> {
  const number = numbersFrom(seed);
  const emulator = await createEmulator({ clock: '2026-05-04T08:00:00.000Z' });
  const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch, maxRetries: 0 });
  const checkpoint = memoryCheckpoint();
  const late = new Set<string>();
  const expected = new Set<string>();
  const handled = new Set<string>();
  const problems: string[] = [];

  const begin = (): Life => {
    let isDead = false;
    const given: string[] = [];
    const busy = new Set<string>();
    // A killed process can no longer save.
    const mine: Checkpoint = {
      load: () => checkpoint.load(),
      save: (next, previous) => (isDead ? new Promise(() => {}) : checkpoint.save(next, previous)),
    };
    const options = {
      checkpoint: mine,
      concurrency: 1 + Math.floor(number() * 8),
      now: () => emulator.clock.now(),
      events: ['user.created', 'user.updated'],
    } as const;
    const stream = streamOf(client, settingsOf(options, sleep), undefined);
    const ended = stream.run(async (event) => {
      const { id, lastName } = event.data as { readonly id: string; readonly lastName: string };
      const name = `${id}:${lastName}`;
      if (busy.has(id)) problems.push(`${name} at the same time as another event of its user`);
      if (given.includes(name)) problems.push(`${name} twice`);
      busy.add(id);
      given.push(name);
      for (let turns = Math.floor(number() * 4); turns > 0; turns--) await new Promise((done) => setImmediate(done));
      busy.delete(id);
      if (isDead) return new Promise(() => {});
      handled.add(name);
    });
    ended.catch((error: unknown) => problems.push(String(error)));
    const kill = (): void => {
      isDead = true;
      void stream.close({ timeoutMs: 0 });
    };
    return { stream, given, kill };
  };

  const users: { readonly id: string; changes: number }[] = [];
  const change = async (): Promise<void> => {
    const isLate = number() < 0.3;
    if (isLate) await emulator.faults.add({ of: 'events', delay: Math.floor(number() * 55_000) + 1, times: 1 });
    const isNew = users.length === 0 || number() < 0.3;
    let user = users[Math.floor(number() * users.length)];
    if (isNew || !user) {
      const email = `${users.length}@acme.test`;
      const { id } = await client.userManagement.createUser({ email, lastName: '0' });
      user = { id, changes: 0 };
      users.push(user);
    } else {
      user.changes += 1;
      await client.userManagement.updateUser({ userId: user.id, lastName: `${user.changes}` });
    }
    const name = `${user.id}:${user.changes}`;
    expected.add(name);
    if (isLate) late.add(name);
  };

  const lives: Life[] = [begin()];
  for (let round = 0; round < rounds; round++) {
    const choice = number();
    if (choice < 0.55) await change();
    else if (choice < 0.75) await emulator.clock.advance(Math.floor(number() * 20_000));
    else if (choice < 0.9) lives.at(-1)!.stream.poke();
    else {
      lives.at(-1)!.kill();
      lives.push(begin());
    }
    for (let turns = Math.floor(number() * 30); turns > 0; turns--) await new Promise((done) => setImmediate(done));
  }
  await emulator.clock.advance('2m');
  const isDone = (): boolean => {
    lives.at(-1)!.stream.poke();
    return handled.size === expected.size || problems.length > 0;
  };
  await until(isDone).catch(() => {});
  await lives.at(-1)!.stream.close();
  await emulator.close();

  expect(problems).toEqual([]);
  expect([...expected].filter((name) => !handled.has(name))).toEqual([]);
  for (const { given } of lives) expect(disorder(given.filter((name) => !late.has(name)))).toEqual([]);
}

/** Events that appeared after a later event of the same user. */
function disorder(given: readonly string[]): string[] {
  const last = new Map<string, number>();
  return given.filter((name) => {
    const [id = '', change = ''] = name.split(':');
    const before = last.get(id) ?? -1;
    last.set(id, Number(change));
    return Number(change) < before;
  });
}
