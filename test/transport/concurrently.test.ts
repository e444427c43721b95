import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { concurrently, type Directory, type DirectoryUser, type NotFoundError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failureOf, type Received, say, serve } from '../servers/server.js';
import { settle } from '../time.js';

const idsOf = (directories: number): string[] =>
  Array.from({ length: directories }, (_, at) => `directory_${String(at).padStart(2, '0')}`);
const usersIn = (directory: string, users: number): string[] =>
  Array.from({ length: users }, (_, at) => `${directory}_${String(at).padStart(3, '0')}`);

/** How many requests are under way at the server, and were at most. */
interface Seen {
  underWay: number;
  most: number;
}

interface Behind {
  /** Comes before a request is answered; it may never end, or answer by itself. */
  readonly before?: (request: Received, response: ServerResponse, seen: Seen) => unknown;
}

/** The emulator over HTTP with so many directories of so many users, and what the server has seen. */
async function world(directories: number, users: number, { before = () => {} }: Behind = {}) {
  const emulator = await createEmulator({
    seed: {
      directories: idsOf(directories).map((id) => ({
        id,
        name: id,
        users: usersIn(id, users).map((name) => ({ idp_id: name, email: `${name}@acme.test` })),
      })),
    },
  });
  onTestFinished(() => emulator.close());
  const { baseUrl, ...credentials } = emulator.credentials;
  const seen: Seen = { underWay: 0, most: 0 };
  const server = await serve(async (request, response) => {
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    void request.cut.then(() => {
      seen.underWay -= 1;
    });
    await before(request, response, seen);
    if (response.destroyed || response.writableEnded) return;
    // The header is there: the client sends it with every request.
    const { authorization } = request.headers as { authorization: string };
    const answer = await emulator.fetch(`${baseUrl}${request.target}`, { headers: { authorization } });
    say(response, { status: answer.status, body: await answer.text() });
  });
  const sallyport = new Sallyport({ ...credentials, baseUrl: server.url, maxRetries: 0 });
  return { sallyport, server, seen };
}

/** Holds requests back until so many of them are under way. */
const untilThereWere =
  (requests: number): NonNullable<Behind['before']> =>
  (_, __, seen) =>
    expect.poll(() => seen.most).toBeGreaterThanOrEqual(requests);

const users =
  ({ directorySync }: Sallyport, limit?: number, options: object = {}) =>
  (directory: string) =>
    directorySync.listUsers({ directory, order: 'asc', ...(limit && { limit }) }, options);

const nameOf = ({ email }: DirectoryUser) => email?.replace('@acme.test', '');
const parentOf = (error: unknown) => (error as NotFoundError).parent;

describe('a walk over many parents', () => {
  test('gives every item with its parent, those of one parent in order', async () => {
    const { sallyport, server } = await world(12, 7);
    const found = new Map<string, (string | undefined)[]>();

    for await (const { parent, item } of concurrently(idsOf(12), users(sallyport, 3))) {
      found.set(parent, [...(found.get(parent) ?? []), nameOf(item)]);
      expect(item.directoryId).toBe(parent);
    }

    expect([...found.keys()].sort()).toEqual(idsOf(12));
    for (const [parent, names] of found) expect(names).toEqual(usersIn(parent, 7));
    expect(server.requests).toHaveLength(12 * 3);
  });

  test.each([1, 3, 8])('lists %s parents at once, each with one request, and no more', async (concurrency) => {
    const { sallyport, seen } = await world(12, 7, { before: untilThereWere(concurrency) });
    let items = 0;

    for await (const _ of concurrently(idsOf(12), users(sallyport, 2), { concurrency })) items += 1;

    expect(items).toBe(12 * 7);
    expect(seen.most).toBe(concurrency);
  });

  test('lists five at once unless told otherwise', async () => {
    const { sallyport, seen } = await world(12, 1, { before: untilThereWere(5) });

    for await (const _ of concurrently(idsOf(12), users(sallyport)));

    expect(seen.most).toBe(5);
  });

  test('takes its parents from a list, page by page as they are needed', async () => {
    const { sallyport, server } = await world(9, 1);
    const directories = sallyport.directorySync.listDirectories({ limit: 2, order: 'asc' });
    const usersOf = ({ id }: Directory) => sallyport.directorySync.listUsers({ directory: id });
    const walk = concurrently(directories, usersOf, { concurrency: 2 });
    const pagesOfParents = () => server.requests.filter(({ path }) => path === '/directories').length;

    const first = await walk.next();
    await expect.poll(() => pagesOfParents()).toBe(3);
    await settle();

    expect(first.value).toMatchObject({ parent: { id: 'directory_00' }, item: { directoryId: 'directory_00' } });
    // The third parent is on the second page, and the third page is fetched ahead.
    expect(pagesOfParents()).toBe(3);
    let items = 1;
    for await (const { parent, item } of walk) {
      expect(item.directoryId).toBe(parent.id);
      items += 1;
    }
    expect(items).toBe(9);
    expect(pagesOfParents()).toBe(5);
  });

  test('waits for a slow consumer with one page of each parent', async () => {
    const { sallyport, server } = await world(6, 9);
    const walk = concurrently(idsOf(6), users(sallyport, 3), { concurrency: 3 });

    await walk.next();
    await settle();

    expect(server.requests).toHaveLength(3);
  });

  test('sends nothing before it is asked for an item', async () => {
    const { sallyport, server } = await world(2, 1);

    const walk = concurrently(idsOf(2), users(sallyport));
    await settle();

    expect(server.requests).toEqual([]);
    expect((await walk.next()).done).toBe(false);
  });

  test('is over at once without parents, and passes over those without items', async () => {
    const { sallyport, server } = await world(3, 0);

    expect(await concurrently([], users(sallyport)).next()).toEqual({ value: undefined, done: true });
    expect(server.requests).toEqual([]);
    expect(await concurrently(idsOf(3), users(sallyport)).next()).toEqual({ value: undefined, done: true });
    expect(server.requests).toHaveLength(3);
  });

  test('asked for several items at once gives each once', async () => {
    const { sallyport } = await world(4, 5);
    const walk = concurrently(idsOf(4), users(sallyport), { concurrency: 2 });

    const results = await Promise.all(Array.from({ length: 22 }, () => walk.next()));

    expect(new Set(results.map(({ value }) => value?.item.id)).size).toBe(21);
    expect(results.map(({ done }) => done)).toEqual([...Array(20).fill(false), true, true]);
  });

  test('takes lists and parents that are made by hand', async () => {
    async function* letters(count: number) {
      for (const letter of 'abc'.slice(0, count)) yield letter;
    }
    const found: string[] = [];

    for await (const { parent, item } of concurrently(new Set([3, 1]), letters, { concurrency: 1 }))
      found.push(`${parent}${item}`);

    expect(found).toEqual(['3a', '3b', '3c', '1a']);
  });

  test('within another one names both parents', async () => {
    const { sallyport } = await world(4, 1);
    const halves = [idsOf(4).slice(0, 2), idsOf(4).slice(2)];
    const found: string[] = [];

    for await (const { parent, item } of concurrently(halves, (half) => concurrently(half, users(sallyport))))
      found.push(`${halves.indexOf(parent)} ${item.parent}`);

    expect(found.sort()).toEqual(['0 directory_00', '0 directory_01', '1 directory_02', '1 directory_03']);
  });

  test('needs no more memory for more parents', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    async function* numbers(count: number) {
      for (let i = 0; i < count; i++) yield { of: i, text: 'x'.repeat(100) };
    }
    const heapAfter = async (parents: number) => {
      const walk = concurrently(numbers(parents), () => numbers(3));
      for (let items = 0; items < parents * 3; items++) await walk.next();
      collectGarbage();
      const { heapUsed } = process.memoryUsage();
      await walk.return?.();
      return heapUsed;
    };
    await heapAfter(1_000);

    const [few, many] = [await heapAfter(100), await heapAfter(10_000)];

    expect(many - few).toBeLessThan(500_000);
  });
});

describe('a walk over many parents that fails', () => {
  test('hands out what came before, names the parent, cancels the others and asks for no more', async () => {
    const { sallyport, server } = await world(6, 2, {
      before: ({ query }) => query.get('directory') === 'directory_01' && new Promise(() => {}),
    });
    const parents = ['directory_00', 'directory_01', 'directory_unknown', 'directory_02', 'directory_03'];
    const walk = concurrently(parents, users(sallyport), { concurrency: 3 });
    const found: string[] = [];

    const error = await failureOf(
      (async () => {
        for await (const { parent, item } of walk) {
          found.push(`${parent} ${nameOf(item)}`);
          // The consumer is slow enough for the failure to come meanwhile.
          await settle();
        }
      })(),
    );

    expect(error).toMatchObject({ code: 'not_found', status: 404 });
    expect(parentOf(error)).toBe('directory_unknown');
    expect(found).toContain('directory_00 directory_00_000');
    expect(await server.requests.find(({ query }) => query.get('directory') === 'directory_01')?.cut).toBe(true);
    expect(server.requests.map(({ query }) => query.get('directory'))).not.toContain('directory_03');
    expect(await walk.next()).toEqual({ value: undefined, done: true });
  });

  test('does not print the parent, which may hold anything', async () => {
    const { sallyport } = await world(1, 1);
    const parents = [{ id: 'directory_unknown', note: 'private' }];

    const error = await failureOf(concurrently(parents, ({ id }) => users(sallyport)(id)).next());

    expect(parentOf(error)).toBe(parents[0]);
    expect(JSON.stringify(error)).not.toContain('private');
    expect(inspect(error, { depth: 10 })).not.toContain('private');
  });

  test('names the nearest parent where one walk is within another', async () => {
    const { sallyport } = await world(1, 1);

    const error = await failureOf(
      concurrently(['acme'], () => concurrently(['directory_unknown'], users(sallyport))).next(),
    );

    expect(parentOf(error)).toBe('directory_unknown');
  });

  test('in the list of parents names none', async () => {
    const { sallyport } = await world(1, 1);
    const parents = sallyport.directorySync.listDirectories({ after: 'directory_unknown' });

    const error = await failureOf(concurrently(parents, ({ id }) => users(sallyport)(id)).next());

    expect(error).toMatchObject({ code: 'unprocessable' });
    expect(error).not.toHaveProperty('parent');
  });

  test('has where to go on with the list that failed', async () => {
    const { sallyport } = await world(1, 3, {
      before: ({ query }, response) => query.get('after') !== null && say(response, { status: 500 }),
    });

    const walk = concurrently(idsOf(1), users(sallyport, 2));
    const [first, second] = [await walk.next(), await walk.next()];

    expect(first.done).toBe(false);
    expect(await failureOf(walk.next())).toMatchObject({ cursor: second.value.item.id, parent: 'directory_00' });
  });

  test('throws what a callback throws, as it is', async () => {
    const reason = new TypeError('no such list');
    const list = () => {
      throw reason;
    };

    expect(await failureOf(concurrently(['a', 'b'], list).next())).toBe(reason);
  });

  test('leads its stack to the line that iterates', async () => {
    const { sallyport } = await world(1, 1);

    const error = await failureOf(
      (async () => {
        for await (const _ of concurrently(['directory_unknown'], users(sallyport)));
      })(),
    );

    expect((error as Error).stack).toContain('concurrently.test.ts');
  });

  test.each([0, -1, 1.5, Number.POSITIVE_INFINITY, '5'])('needs to know how many at once: %j is refused', (given) => {
    const list = vi.fn();

    expect(() => concurrently(['a'], list, { concurrency: given as number })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', argument: 'concurrency' }),
    );
    expect(list).not.toHaveBeenCalled();
  });
});

describe('a walk over many parents that is left', () => {
  /** Every directory answers its first page and never its second. */
  const hanging = ({ query }: Received) => query.get('after') !== null && new Promise(() => {});
  const reason = { why: 'the user went away' };

  test.each(['break', 'an error', 'return', 'abort'])('by %s cancels what is under way', async (way) => {
    const { sallyport, server, seen } = await world(9, 4, { before: hanging });
    const controller = new AbortController();
    const { signal } = controller;
    const walk = concurrently(idsOf(9), users(sallyport, 2), { concurrency: 3, signal });
    /** Takes both items of the first page of three parents, whose second pages never come. */
    const consume = async (leave: () => unknown) => {
      let items = 0;
      for await (const _ of walk) {
        items += 1;
        if (items < 6) continue;
        await expect.poll(() => seen.underWay).toBe(3);
        if (leave() === 'break') break;
      }
    };

    if (way === 'break') await consume(() => 'break');
    if (way === 'an error')
      expect(
        await failureOf(
          consume(() => {
            throw reason;
          }),
        ),
      ).toBe(reason);
    if (way === 'return') await consume(() => void walk.return?.());
    if (way === 'abort') expect(await failureOf(consume(() => controller.abort(reason)))).toBe(reason);

    await expect.poll(() => seen.underWay).toBe(0);
    await settle();
    expect(server.requests).toHaveLength(6);
    expect(await walk.next()).toEqual({ value: undefined, done: true });
  });

  test('cancels the first page of a list too', async () => {
    const { sallyport, server, seen } = await world(3, 1, { before: () => new Promise(() => {}) });
    const walk = concurrently(idsOf(3), users(sallyport));

    const pending = walk.next();
    await expect.poll(() => seen.underWay).toBe(3);
    await walk.return?.();

    expect(await pending).toEqual({ value: undefined, done: true });
    await expect.poll(() => seen.underWay).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  test('by a signal that has aborted before sends nothing', async () => {
    const { sallyport, server } = await world(1, 1);

    const walk = concurrently(idsOf(1), users(sallyport), { signal: AbortSignal.abort(reason) });

    expect(await failureOf(walk.next())).toBe(reason);
    expect(await walk.next()).toEqual({ value: undefined, done: true });
    expect(server.requests).toEqual([]);
  });

  test('closes lists and parents that are made by hand', async () => {
    const closed: string[] = [];
    async function* endless(name: string) {
      try {
        for (;;) yield name;
      } finally {
        closed.push(name);
      }
    }

    for await (const _ of concurrently(endless('parents'), () => endless('list'), { concurrency: 1 })) break;
    await settle();

    expect(closed.sort()).toEqual(['list', 'parents']);
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    const { sallyport } = await world(2, 2);

    for await (const _ of concurrently(idsOf(2), users(sallyport), { signal })) break;
    for await (const _ of concurrently(idsOf(2), users(sallyport), { signal }));

    expect(add).toHaveBeenCalled();
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
  });
});
