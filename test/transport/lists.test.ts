import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { type Organization, type Page, RepeatedCursorError, type Sallyport, ServerError } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { clientOf, failureOf, say, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { askedOf, idsOf, serveList } from './list-service.js';
import { runAlone } from './process.js';

const list = (sallyport: Sallyport, params: object = {}, options: object = {}) =>
  sallyport.organizations.listOrganizations(params, options);
const idOf = ({ id }: { id: string }) => id;

/** The ids of all items of an iterable. */
async function collect(iterable: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of iterable) ids.push(id);
  return ids;
}

describe("a list's promise", () => {
  test('supports catch(), finally() and assert.rejects()', async () => {
    const server = await serve({ status: 503, body: {} });
    const failing = () => list(clientOf(server, { maxRetries: 0 }));

    expect(await failing().catch((error) => error)).toBeInstanceOf(ServerError);
    await expect(failing().finally(() => {})).rejects.toBeInstanceOf(ServerError);
    await assert.rejects(failing(), ServerError);
  });

  test('sends only one request if catch() and finally() are chained', async () => {
    const ended: string[] = [];
    const server = await serveList(3);

    const page = await list(clientOf(server))
      .catch(() => undefined)
      .finally(() => ended.push('finally'));

    expect(page?.data).toHaveLength(3);
    expect(ended).toEqual(['finally']);
    expect(askedOf(server)).toEqual(['']);
  });
});

describe('a list or call that was not awaited', () => {
  test('appears in the output of console.log and JSON.stringify as advice to add await', async () => {
    const client = clientOf(await serveList(3));
    const pending = client.organizations.getOrganization('org_0001');
    const pages = list(client);
    pending.catch(() => undefined);

    const text = 'Not awaited: add await to get the result';
    expect([inspect(pending), JSON.stringify({ organization: pending })]).toEqual([text, `{"organization":"${text}"}`]);
    expect([inspect(pages), JSON.stringify({ pages })]).toEqual([text, `{"pages":"${text}"}`]);
  });

  test('causes a compiler error in a synchronous for loop', async () => {
    const pages = list(clientOf(await serveList(3)));

    expect(() => {
      // @ts-expect-error A list is walked with for await.
      for (const organization of pages) expect(organization).toBeUndefined();
    }).toThrow(TypeError);
  });
});

describe('an awaited list', () => {
  test('resolves to one page with the cursors of the adjacent pages', async () => {
    const server = await serveList(25);

    const page = await list(clientOf(server));

    expect(page.data.map(idOf)).toEqual(idsOf(10));
    expect(page.listMetadata).toEqual({ before: null, after: 'org_0009' });
    expect(askedOf(server)).toEqual(['']);
  });

  test('sends its limit, order, cursor and filters in the query string', async () => {
    const server = await serveList(25);

    const page = await list(clientOf(server), {
      limit: 3,
      order: 'asc',
      after: 'org_0001',
      domains: ['a.test', 'b.test'],
    });

    expect(page.data.map(idOf)).toEqual(['org_0002', 'org_0003', 'org_0004']);
    expect(askedOf(server)).toEqual(['domains=a.test%2Cb.test&limit=3&order=asc&after=org_0001']);
  });

  test.each([
    [{ domains: [] }, ''],
    [{ domains: [], limit: 3 }, 'limit=3'],
    [{ domains: ['a.test'] }, 'domains=a.test'],
  ])('with the parameters %j sends all parameters except empty filters', async (params, query) => {
    const server = await serveList(25);

    await list(clientOf(server), params);

    expect(askedOf(server)).toEqual([query]);
  });

  test('sends its only request when it is first awaited', async () => {
    const server = await serveList(25);

    const page = list(clientOf(server));
    await new Promise(setImmediate);

    expect(server.requests).toEqual([]);
    expect((await page).data).toHaveLength(10);
    expect((await page).data).toHaveLength(10);
    expect(server.requests).toHaveLength(1);
  });

  test('provides the HTTP response through withResponse()', async () => {
    const { data, response } = await list(clientOf(await serveList(3))).withResponse();

    expect(data.data).toHaveLength(3);
    expect(response).toMatchObject({ status: 200, requestId: 'req_42', attempts: 1 });
  });

  test('can be awaited again after a failure', async () => {
    const server = await serve({ status: 404, body: {} }, { body: wirePage([wireOrganization()]) });
    const page = list(clientOf(server));

    expect(await failureOf(page)).toMatchObject({ code: 'not_found' });
    expect((await page).data).toHaveLength(1);
  });

  test.each([
    ['null', { data: [], list_metadata: null }],
    ['absent', { data: [] }],
    ['an empty object', { data: [], list_metadata: {} }],
    ['an object with empty cursors', { data: [], list_metadata: { before: '', after: '' } }],
  ])('resolves to the last page if list_metadata is %s', async (_, body) => {
    const server = await serve({ body });

    expect((await list(clientOf(server))).listMetadata).toEqual({ before: null, after: null });
    expect(await collect(list(clientOf(server)))).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  test('reads listMetadata if list_metadata is absent, and keeps unknown fields', async () => {
    const body = { data: [], listMetadata: { after: 'x' }, warnings: [{ some_code: 1 }] };
    const page = await list(clientOf(await serve({ body })));

    expect(page).toEqual({ data: [], listMetadata: { before: null, after: 'x' }, warnings: [{ some_code: 1 }] });
  });
});

test('a page whose body contains __proto__ keeps the normal object prototype', async () => {
  const body = '{"data": [], "__proto__": {"polluted": 1}, "constructor": {"polluted": 1}}';

  const page = await list(clientOf(await serve({ body })));

  expect(Object.keys(page).sort()).toEqual(['constructor', 'data', 'listMetadata']);
  expect(Object.getPrototypeOf(page)).toBe(Object.prototype);
  expect(page).not.toHaveProperty('polluted');
});

test.each(['throw', 'delete'])('a page can be read in a process started with --disable-proto=%s', async (way) => {
  const script = `
    import { Sallyport } from 'sallyport';
    const fetch = async () => Response.json({ data: [], list_metadata: { after: null }, warnings: [] });
    const { organizations } = new Sallyport({ apiKey: 'sk_test_1', baseUrl: 'http://127.0.0.1:9', fetch });
    console.log(JSON.stringify(await organizations.listOrganizations()));
  `;

  const { stdout, stderr } = await runAlone(script, [], [`--disable-proto=${way}`]);

  expect({ stdout, stderr }).toEqual({
    stdout: '{"warnings":[],"data":[],"listMetadata":{"before":null,"after":null}}\n',
    stderr: '',
  });
});

describe('an iterated list', () => {
  test.each([0, 1, 99, 100, 101, 250, 1_000])(
    'of length %s yields each item once, from pages of 100',
    async (count) => {
      const server = await serveList(count);

      expect(await collect(list(clientOf(server)))).toEqual(idsOf(count));
      expect(server.requests).toHaveLength(Math.max(1, Math.ceil(count / 100)));
      expect(server.requests.every(({ query }) => query.get('limit') === '100')).toBe(true);
    },
  );

  test('uses the page size given in limit', async () => {
    const server = await serveList(7);

    expect(await collect(list(clientOf(server), { limit: 3 }))).toEqual(idsOf(7));
    expect(askedOf(server)).toEqual(['limit=3', 'limit=3&after=org_0002', 'limit=3&after=org_0005']);
  });

  test('does not fetch the first page again if the list was already awaited', async () => {
    const server = await serveList(30);
    const organizations = list(clientOf(server));

    await organizations;

    expect(await collect(organizations)).toEqual(idsOf(30));
    expect(askedOf(server)).toEqual(['', 'limit=100&after=org_0009']);
  });

  test('sends new requests if it is iterated again', async () => {
    const server = await serveList(3);
    const organizations = list(clientOf(server));

    expect(await collect(organizations)).toEqual(idsOf(3));
    server.answer({ body: wirePage([wireOrganization({ id: 'org_new' })]) });

    expect(await collect(organizations)).toEqual(['org_new']);
    expect(askedOf(server)).toEqual(['limit=100', 'limit=100']);
  });

  test('sends only two requests if it is awaited twice and then iterated twice', async () => {
    const server = await serveList(3);
    const organizations = list(clientOf(server));

    await organizations;
    await organizations;
    await collect(organizations);
    await collect(organizations);
    await organizations;

    expect(askedOf(server)).toEqual(['', 'limit=100']);
  });

  test('yields all items in each of two concurrent loops', async () => {
    const server = await serveList(150);
    const organizations = list(clientOf(server));

    expect(await Promise.all([collect(organizations), collect(organizations)])).toEqual([idsOf(150), idsOf(150)]);
    expect(server.requests).toHaveLength(4);
  });

  test('starts after the cursor given in the filter "after"', async () => {
    const server = await serveList(250);

    expect(await collect(list(clientOf(server), { after: 'org_0119' }))).toEqual(idsOf(250).slice(120));
    expect(askedOf(server)).toEqual(['limit=100&after=org_0119', 'limit=100&after=org_0219']);
  });

  test('sends its filters with every page request', async () => {
    const server = await serveList(150);

    await collect(list(clientOf(server), { search: 'acme', order: 'asc' }));

    expect(askedOf(server)).toEqual([
      'search=acme&limit=100&order=asc',
      'search=acme&limit=100&order=asc&after=org_0099',
    ]);
  });

  test('skips an empty page and continues with the next page', async () => {
    const server = await serve(
      { body: wirePage([], { after: 'a' }) },
      { body: wirePage([], { after: 'b' }) },
      { body: wirePage([wireOrganization()]) },
    );

    expect(await collect(list(clientOf(server)))).toEqual(['org_01']);
  });

  test('provides the cursor of its current position', async () => {
    const organizations = list(clientOf(await serveList(250)));
    const cursors: (string | undefined)[] = [organizations.cursor];

    for await (const { id } of organizations) {
      if (id === 'org_0000' || id === 'org_0123') cursors.push(organizations.cursor);
      if (id === 'org_0123') break;
    }

    expect(cursors).toEqual([undefined, 'org_0000', 'org_0123']);
  });

  test('yields the items nearest to the cursor first if before is set', async () => {
    const server = await serveList(250);
    const organizations = list(clientOf(server), { before: 'org_0230' });

    expect(await collect(organizations)).toEqual(idsOf(230).reverse());
    expect(askedOf(server)).toEqual([
      'limit=100&before=org_0230',
      'limit=100&before=org_0130',
      'limit=100&before=org_0030',
    ]);
    expect(organizations.cursor).toBe('org_0000');
  });

  test('sends both cursors with every page request if after and before are set', async () => {
    const server = await serve(
      { body: wirePage([wireOrganization()], { before: null, after: 'b' }) },
      { body: wirePage([]) },
    );

    await collect(list(clientOf(server), { after: 'a', before: 'z' }));

    expect(askedOf(server)).toEqual(['limit=100&after=a&before=z', 'limit=100&after=b&before=z']);
  });

  test('yields items in order to concurrent calls of next(), and fetches no page twice', async () => {
    const server = await serveList(120);
    const items = list(clientOf(server), { limit: 50 })[Symbol.asyncIterator]();

    const results = await Promise.all(Array.from({ length: 125 }, () => items.next()));

    expect(results.slice(0, 120).map(({ value }) => value.id)).toEqual(idsOf(120));
    expect(results.slice(120).every(({ done }) => done)).toBe(true);
    expect(server.requests).toHaveLength(3);
  });

  test('of events sends rangeStart only with the first page request', async () => {
    const event = { object: 'event', id: 'event_1', event: 'x', data: {}, created_at: '2026-01-02T03:04:05.678Z' };
    const server = await serve({ body: wirePage([event], { after: 'event_1' }) }, { body: wirePage([]) });

    await collect(
      clientOf(server).events.listEvents({ rangeStart: '2026-01-01T00:00:00.000Z', events: ['user.created'] }),
    );

    expect(askedOf(server)).toEqual([
      'events=user.created&range_start=2026-01-01T00%3A00%3A00.000Z&limit=100',
      'events=user.created&limit=100&after=event_1',
    ]);
  });
});

describe('the list method', () => {
  test('pages() yields one page at a time', async () => {
    const server = await serveList(250);
    const organizations = list(clientOf(server));
    const pages: Page<Organization>[] = [];

    for await (const page of organizations.pages()) pages.push(page);

    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 50]);
    expect(pages.map(({ listMetadata }) => listMetadata.after)).toEqual(['org_0099', 'org_0199', null]);
    expect(organizations.cursor).toBe('org_0199');
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    [7, 1, ['limit=7']],
    [100, 1, ['limit=100']],
    [150, 2, ['limit=100', 'limit=100&after=org_0099']],
    [200, 2, ['limit=100', 'limit=100&after=org_0099']],
    [1_000, 3, ['limit=100', 'limit=100&after=org_0099', 'limit=100&after=org_0199']],
  ])('toArray() with a max of %s sends only as many requests as needed', async (max, requests, asked) => {
    const server = await serveList(250);
    let begun = 0;

    const organizations = await list(clientOf(server, { hooks: { onRequest: () => begun++ } })).toArray({ max });

    expect(organizations.map(idOf)).toEqual(idsOf(Math.min(max, 250)));
    // A request that is started and canceled at once never reaches the server.
    expect(begun).toBe(requests);
    expect(askedOf(server)).toEqual(asked);
  });

  test.each([undefined, {}, { max: 0 }, { max: 1.5 }, { max: Number.POSITIVE_INFINITY }, { max: '5' }])(
    'toArray() rejects the options %j, because max must be a positive integer',
    async (options) => {
      const server = await serveList(5);

      expect(await failureOf(list(clientOf(server)).toArray(options as { max: number }))).toMatchObject({
        code: 'invalid_argument',
        argument: 'max',
      });
      expect(server.requests).toEqual([]);
    },
  );

  test('getUserIdentities() returns a plain array, like listOrganizationRoles()', async () => {
    const times = { created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z' };
    const role = { object: 'role', id: 'role_01', name: 'Admin', slug: 'admin', type: 'EnvironmentRole', ...times };
    const server = await serve(
      { body: [{ idp_id: '7', type: 'OAuth', provider: 'GoogleOAuth' }] },
      { body: { object: 'list', data: [role] } },
    );
    const { organizations, userManagement } = clientOf(server);

    expect(await userManagement.getUserIdentities('user_01')).toEqual([
      { idpId: '7', type: 'OAuth', provider: 'GoogleOAuth' },
    ]);
    expect(await organizations.listOrganizationRoles({ organizationId: 'org_01' })).toMatchObject([
      { slug: 'admin', createdAt: '2026-01-02T03:04:05.678Z' },
    ]);
  });
});

describe('a list that fails', () => {
  const failingAt = (page: number) =>
    serveList(450, (_, number, __, response) => {
      if (number !== page) return;
      say(response, { status: 500, body: {} });
      return 'answered';
    });
  const once = { maxRetries: 0 };

  test('can be continued from the cursor in the error without losing or repeating an item', async () => {
    const server = await failingAt(3);
    const sallyport = clientOf(server, once);
    const seen: string[] = [];
    const consume = async (after?: string) => {
      for await (const { id } of list(sallyport, after === undefined ? {} : { after })) seen.push(id);
    };

    const error = await failureOf(consume());

    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ cursor: 'org_0199' });
    await consume((error as ServerError).cursor);
    expect(seen).toEqual(idsOf(450));
  });

  test('throws an error with the initial cursor if its first page fails', async () => {
    const sallyport = clientOf(await failingAt(1), once);
    const backwards = clientOf(await failingAt(1), once);
    const fresh = clientOf(await failingAt(1), once);

    expect(await failureOf(collect(list(sallyport, { after: 'org_0199' })))).toMatchObject({ cursor: 'org_0199' });
    expect(await failureOf(collect(list(backwards, { before: 'org_0199' })))).toMatchObject({ cursor: 'org_0199' });
    expect(await failureOf(collect(list(fresh)))).not.toHaveProperty('cursor');
  });

  test('can be continued backwards from the cursor in the error', async () => {
    const sallyport = clientOf(await failingAt(2), once);
    const seen: string[] = [];
    const consume = async (before: string) => {
      for await (const { id } of list(sallyport, { before })) seen.push(id);
    };

    const error = (await failureOf(consume('org_0230'))) as ServerError;
    await consume(error.cursor!);

    expect(seen).toEqual(idsOf(230).reverse());
  });

  test('ends the iteration after the error', async () => {
    const items = list(clientOf(await failingAt(1), once))[Symbol.asyncIterator]();

    await failureOf(items.next());

    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  test.each([
    ['the cursor of the preceding page', ['a', 'a']],
    ['the cursor of an earlier page', ['a', 'b', 'a']],
    ['the initial cursor', ['start']],
  ])('throws a RepeatedCursorError if a page repeats %s', async (_, cursors) => {
    let number = 0;
    const server = await serve((_, response) => {
      const id = `org_${number}`;
      say(response, { body: wirePage([wireOrganization({ id })], { after: cursors[number++ % cursors.length] }) });
    });
    const seen: string[] = [];

    const error = await failureOf(
      (async () => {
        for await (const { id } of list(clientOf(server), { after: 'start' })) seen.push(id);
      })(),
    );

    expect(error).toBeInstanceOf(RepeatedCursorError);
    expect(error).toMatchObject({ code: 'repeated_cursor', cursor: cursors.at(-1) });
    expect(seen).toEqual(cursors.map((_, i) => `org_${i}`));
    expect(server.requests).toHaveLength(cursors.length);
  });
});
