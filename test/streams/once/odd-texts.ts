import type { Database } from 'node-sqlite3-wasm';
import type { Event } from 'sallyport';
import { exactlyOnce } from 'sallyport/streams';
import { expect, test } from 'vitest';
import type { Pool } from './drivers.js';
import { eventAt } from './events.js';

/** Texts that PostgreSQL refuses, or that a driver stores as other text. */
const oddTexts = [
  ['a NUL character', 'x\0y', 'x\ufffdy'],
  ['an unpaired high surrogate', 'x\ud83dy', 'x\ufffdy'],
  ['an unpaired low surrogate', 'x\ude00y', 'x\ufffdy'],
] as const;

let tables = 0;

/** Tests exactlyOnce with such texts in a database. */
export function oddTextCases(open: () => Pool | Database): void {
  const consumer = async (handler: (event: Event) => unknown, maxRetries?: number) => {
    const once = exactlyOnce(open() as Pool, { handler, maxRetries, prefix: `odd${++tables}_` });
    await once.setUp();
    return once;
  };

  test.each(oddTexts)('stores a dead letter even if the error contains %s', async (_, odd, stored) => {
    const once = await consumer(() => {
      throw new Error(`cannot take ${odd}`);
    }, 0);
    const event = eventAt(1, 'user.created', { object: 'user', id: 'user_1', firstName: odd });

    expect(await once.apply(event)).toBe('dead_letter');

    expect(await once.deadLetters.get(event.id)).toMatchObject({ event, error: `Error: cannot take ${stored}` });
  });

  test('stores a dead letter even if the error is truncated within a surrogate pair', async () => {
    const once = await consumer(() => {
      throw `${'x'.repeat(1_999)}😀`;
    }, 0);

    expect(await once.apply(eventAt(1, 'user.created', { id: 'user_1' }))).toBe('dead_letter');

    expect((await once.deadLetters.list())[0]?.error).toBe(`${'x'.repeat(1_999)}\ufffd`);
  });

  test.each(oddTexts)('applies an event only once even if the id, type and object contain %s', async (_, odd) => {
    const applied: string[] = [];
    const once = await consumer(({ event }) => applied.push(event));
    const created = eventAt(1, `${odd}.created`, { id: `user_${odd}` }, `event_1${odd}`);
    const updated = eventAt(2, `${odd}.updated`, { id: `user_${odd}` }, `event_2${odd}`);

    expect(await once.apply(updated)).toBe('applied');
    expect(await once.apply(updated)).toBe('duplicate');
    expect(await once.apply(created)).toBe('superseded');

    expect(applied).toEqual([`${odd}.updated`]);
  });

  test.each(oddTexts)('edits, replays and deletes a dead letter even if the id contains %s', async (_, odd) => {
    let isBroken = true;
    const once = await consumer(() => {
      if (isBroken) throw new Error('broken');
    }, 0);
    const event = eventAt(1, 'user.created', { id: 'user_1' }, `event_1${odd}`);
    await once.apply(event);
    await once.deadLetters.add({ event: eventAt(2, 'user.created', { id: 'user_2' }, `event_2${odd}`), error: odd });
    const [first, second] = await once.deadLetters.list();

    await once.deadLetters.edit(first!.id, { ...first!.event, context: null } as Event);
    isBroken = false;

    expect(await once.deadLetters.replay(first!.id)).toEqual([{ id: first!.id, outcome: 'applied' }]);
    expect(await once.deadLetters.remove(second!.id)).toBe(true);
    expect(await once.deadLetters.list()).toEqual([]);
  });
}
