import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Idempotency } from '../../../src/emulator/chain/idempotency.js';
import { json } from '../../../src/emulator/http/answer.js';
import type { Snapshot } from '../../../src/emulator/index.js';
import { noKeeper } from '../../../src/emulator/store/store.js';
import { Table } from '../../../src/emulator/store/table.js';
import { system } from '../../../src/emulator/world/actor.js';
import { createClock } from '../../../src/emulator/world/clock.js';
import { stage } from '../../stage.js';
import { emptyWorld } from './empty-world.js';

const clock = createClock('2026-01-01T00:00:00.000Z');

describe('the emulator', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });

  test('keeps only the newest 20,000 events', () => {
    const { events, dropped } = emptyWorld();
    const [first, second] = Array.from({ length: 20_001 }, () => events.emit('user.created', {}, system));

    expect(events.records.size).toBe(20_000);
    expect(events.records.find(first!.id)).toBeUndefined();
    expect(events.records.first?.id).toBe(second!.id);
    expect(dropped.counts.events).toBe(1);
  });

  test('keeps only the newest 10,000 responses for idempotency keys', async () => {
    let dropped = 0;
    const idempotency = new Idempotency(clock, false, () => dropped++, new Table(noKeeper));
    for (let at = 0; at <= 10_000; at++)
      await idempotency.answer('key', `key ${at}`, 'same', async () => json(200, at));

    const again = async (key: string) =>
      (await idempotency.answer('key', key, 'same', async () => json(200, 'new'))).body;
    expect(await again('key 1')).toBe('1');
    expect(dropped).toBe(1);
    expect(await again('key 0')).toBe('"new"');
  });

  test('keeps only the newest 10,000 messages and 10,000 deliveries, and warns once for each limit', async () => {
    const { emulator, send } = await stage({
      deliver: async () => new Response(),
      seed: {
        webhook_endpoints: [{ endpoint_url: 'http://localhost:4000/events' }],
      },
    });
    const invite = async (name: string): Promise<void> => {
      await send('POST /user_management/invitations', { email: `${name}@acme.test` });
      await emulator.waitForDeliveries();
    };
    await invite('first');
    const snapshot: Snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
    const { delivery: [first] = [], message: [mail] = [], ...others } = snapshot.worlds.staging!;
    // Ten thousand invitations would take 12 s.
    const delivery = Array.from({ length: 10_000 }, (_, at) => [`${first![0].slice(0, -5)}${10_000 + at}`, first![1]]);
    const message = Array.from({ length: 10_000 }, (_, at) => [`${at + 1}`, mail![1]]);
    await emulator.restore({
      ...snapshot,
      worlds: { ...snapshot.worlds, staging: { ...others, delivery, message } as never },
    });
    expect(emulator.dropped()).toEqual({ events: 0, deliveries: 0, messages: 0, answers: 0 });
    expect(console.warn).not.toHaveBeenCalled();

    await invite('second');
    await invite('third');

    const { messages, deliveries, events } = emulator.dropped();
    expect([messages, emulator.inbox.messages.length]).toEqual([2, 10_000]);
    expect([deliveries, emulator.deliveries.length]).toEqual([2, 10_000]);
    expect(events).toBe(0);
    expect(vi.mocked(console.warn).mock.calls).toEqual([
      [expect.stringContaining('a limited number of messages')],
      [expect.stringContaining('a limited number of deliveries')],
    ]);
  });
});
