import type { Organization, Sallyport } from 'sallyport';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deferred } from '../deferred.js';
import { clientOf, failureOf, say } from '../servers/server.js';
import { settle } from '../time.js';
import { idsOf, serveList } from './list-service.js';

const list = (sallyport: Sallyport, options: object = {}) => sallyport.organizations.listOrganizations({}, options);
const reason = { why: 'the user went away' };

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => {
  process.off('unhandledRejection', unhandled);
});

/** Take this many items. */
async function take(items: AsyncIterator<Organization>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await items.next()).value.id);
  return ids;
}

describe('a list that prefetches pages', () => {
  test('sends only one request while the first page is consumed', async () => {
    const server = await serveList(500);
    const items = list(clientOf(server))[Symbol.asyncIterator]();

    await take(items, 100);
    await settle();

    expect(server.requests).toHaveLength(1);
  });

  test('prefetches only one page at a time once the second page is reached', async () => {
    const server = await serveList(500);
    const items = list(clientOf(server))[Symbol.asyncIterator]();

    await take(items, 101);
    await expect.poll(() => server.requests).toHaveLength(3);
    await settle();

    expect(server.requests).toHaveLength(3);
    await take(items, 100);
    await expect.poll(() => server.requests).toHaveLength(4);
  });

  test('prefetches nothing on the last page', async () => {
    const server = await serveList(150);
    const items = list(clientOf(server))[Symbol.asyncIterator]();

    await take(items, 101);
    await settle();

    expect(server.requests).toHaveLength(2);
  });

  test('returns the first item of a prefetched page without waiting', async () => {
    const { promise: slow, resolve: answer } = deferred<void>();
    const server = await serveList(400, (_, number) => number > 2 && slow);
    const items = list(clientOf(server))[Symbol.asyncIterator]();
    await take(items, 101);
    await expect.poll(() => server.requests).toHaveLength(3);
    answer();
    await settle();
    await take(items, 99);
    let turned = false;

    setImmediate(() => {
      turned = true;
    });
    await items.next();

    expect(turned).toBe(false);
  });

  test('returns an item of the current page without waiting', async () => {
    const items = list(clientOf(await serveList(100)))[Symbol.asyncIterator]();
    await items.next();
    let turned = false;

    setImmediate(() => {
      turned = true;
    });
    for (let i = 1; i < 100; i++) await items.next();

    expect(turned).toBe(false);
  });
});

describe('if the caller leaves a list loop', () => {
  /** A service that never sends its third page. */
  const hanging = () => serveList(500, (_, number) => (number === 3 ? 'answered' : undefined));
  type Leave = (sallyport: Sallyport, onSecondPage: () => Promise<unknown>) => Promise<unknown>;
  const ways: readonly [string, Leave][] = [
    [
      'break',
      async (sallyport, onSecondPage) => {
        for await (const { id } of list(sallyport))
          if (id === 'org_0100') {
            await onSecondPage();
            break;
          }
      },
    ],
    [
      'an error',
      async (sallyport, onSecondPage) => {
        const stumble = async () => {
          for await (const { id } of list(sallyport))
            if (id === 'org_0100') {
              await onSecondPage();
              throw reason;
            }
        };
        expect(await failureOf(stumble())).toBe(reason);
      },
    ],
    [
      'return()',
      async (sallyport, onSecondPage) => {
        const items = list(sallyport)[Symbol.asyncIterator]();
        await take(items, 101);
        await onSecondPage();
        expect(await items.return?.()).toEqual({ value: undefined, done: true });
        expect(await items.next()).toEqual({ value: undefined, done: true });
      },
    ],
    [
      'break from pages()',
      async (sallyport, onSecondPage) => {
        for await (const { data } of list(sallyport).pages())
          if (data[0]?.id === 'org_0100') {
            await onSecondPage();
            break;
          }
      },
    ],
    [
      'an abort',
      async (sallyport, onSecondPage) => {
        const controller = new AbortController();
        const items = list(sallyport, { signal: controller.signal })[Symbol.asyncIterator]();
        await take(items, 101);
        await onSecondPage();
        controller.abort(reason);
        expect(await failureOf(items.next())).toBe(reason);
        expect(await items.next()).toEqual({ value: undefined, done: true });
      },
    ],
  ];

  test.each(ways)('by %s, the client aborts the prefetch request and sends no further requests', async (_, leave) => {
    const server = await hanging();

    await leave(clientOf(server), () => expect.poll(() => server.requests).toHaveLength(3));

    expect(await server.requests[2]?.cut).toBe(true);
    await settle();
    expect(server.requests).toHaveLength(3);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test.each(ways)('by %s, the client suppresses the error of a failed prefetch', async (_, leave) => {
    const server = await serveList(500, (_, number, __, response) => {
      if (number !== 3) return;
      say(response, { status: 500, body: {} });
      return 'answered';
    });

    await leave(clientOf(server, { maxRetries: 0 }), async () => {
      await expect.poll(() => server.requests).toHaveLength(3);
      await settle();
    });

    await settle();
    expect(server.requests).toHaveLength(3);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('before the first page arrives, the client aborts the request without an error', async () => {
    const server = await serveList(500, () => 'answered');
    const items = list(clientOf(server))[Symbol.asyncIterator]();

    const pending = items.next();
    await expect.poll(() => server.requests).toHaveLength(1);
    await items.return?.();

    expect(await pending).toEqual({ value: undefined, done: true });
    expect(await server.requests[0]?.cut).toBe(true);
  });

  test('while a later page is loading, the client aborts the request without an error', async () => {
    const server = await serveList(500, (_, number) => (number === 2 ? 'answered' : undefined));
    const items = list(clientOf(server))[Symbol.asyncIterator]();
    await take(items, 100);

    const pending = items.next();
    await expect.poll(() => server.requests).toHaveLength(2);
    await items.return?.();

    expect(await pending).toEqual({ value: undefined, done: true });
    expect(await server.requests[1]?.cut).toBe(true);
  });
});

describe('the error of a failed prefetch', () => {
  test('is thrown when the consumer reaches the failed page', async () => {
    const server = await serveList(500, (_, number, __, response) => {
      if (number !== 3) return;
      say(response, { status: 500, body: {} });
      return 'answered';
    });
    const items = list(clientOf(server, { maxRetries: 0 }))[Symbol.asyncIterator]();

    const taken = await take(items, 101);
    await settle();
    taken.push(...(await take(items, 99)));

    expect(taken).toEqual(idsOf(200));
    expect(await failureOf(items.next())).toMatchObject({ code: 'server_error', cursor: 'org_0199' });
  });
});

describe('the abort signal of a list', () => {
  test('makes next() reject even if items of the current page are left', async () => {
    const controller = new AbortController();
    const server = await serveList(30);
    const items = list(clientOf(server), { signal: controller.signal })[Symbol.asyncIterator]();
    await take(items, 5);

    controller.abort(reason);

    expect(await failureOf(items.next())).toBe(reason);
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  test('prevents further requests if it aborts just as a page arrives', async () => {
    const controller = new AbortController();
    const server = await serveList(500);
    const hooks = { onResponse: () => void (server.requests.length === 2 && controller.abort(reason)) };
    const walk = list(clientOf(server, { hooks }), { signal: controller.signal }).toArray({ max: 500 });

    expect(await failureOf(walk)).toBe(reason);
    await settle();
    expect(server.requests).toHaveLength(2);
  });

  test("makes toArray() reject with the caller's reason", async () => {
    const server = await serveList(500, (_, number) => (number === 2 ? 'answered' : undefined));
    const controller = new AbortController();

    const failure = failureOf(list(clientOf(server), { signal: controller.signal }).toArray({ max: 500 }));
    await expect.poll(() => server.requests).toHaveLength(2);
    controller.abort(reason);

    expect(await failure).toBe(reason);
    expect(await server.requests[1]?.cut).toBe(true);
  });

  test('has no listeners left after a break or the end of the list', async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.add(args[1]);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners.delete(args[1]);
      remove(...args);
    };
    const sallyport = clientOf(await serveList(450));

    await list(sallyport, { signal }).toArray({ max: 450 });
    for await (const { id } of list(sallyport, { signal })) if (id === 'org_0100') break;
    await settle();

    expect(listeners.size).toBe(0);
  });
});
