import { postgresStore, redisStore } from 'sallyport/stores';
import { exactlyOnce } from 'sallyport/streams';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { userEvent } from './events.js';

/** Creates a pool with this number of `error` listeners, whose statements return no rows. */
const poolWith = (listeners: number) => {
  const query = async () => ({ rows: [] });
  const client = { query, release: () => {} };
  return { totalCount: 1, listenerCount: () => listeners, query, connect: async () => client };
};
const redisWith = (listeners: number) => ({ listenerCount: () => listeners, sendCommand: async () => null });
const uses = {
  postgresStore: (listeners: number) => {
    const store = postgresStore(poolWith(listeners));
    return () => store.get('key');
  },
  redisStore: (listeners: number) => {
    const store = redisStore(redisWith(listeners));
    return () => store.get('key');
  },
  'the setUp method of exactlyOnce': (listeners: number) =>
    exactlyOnce(poolWith(listeners), { handler: () => {} }).setUp,
  'the apply method of exactlyOnce': (listeners: number) => {
    const once = exactlyOnce(poolWith(listeners), { handler: () => {} });
    return () => once.apply(userEvent(1, 'created', 'ada@acme.test'));
  },
};

describe.each(Object.entries(uses))('%s', (_, create) => {
  let warnings: unknown[][];
  beforeEach(() => {
    warnings = [];
    vi.spyOn(process, 'emitWarning').mockImplementation((...values) => void warnings.push(values));
  });

  test('warns once, at the first use, about a client without an error listener', async () => {
    const use = create(0);
    expect(warnings).toEqual([]);

    await use();
    await use();

    expect(warnings).toEqual([
      [
        "A lost database connection would end this process, because the client has no listener: add client.on('error', console.error)",
        'SallyportWarning',
      ],
    ]);
  });

  test('does not warn about a client with an error listener', async () => {
    await create(1)();

    expect(warnings).toEqual([]);
  });
});
