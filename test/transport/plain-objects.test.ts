import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import type { Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { clientOf, clientWith, failureOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { refusalOf } from './refusal-of.js';

/** Values that callers in JavaScript may pass, and that the compiler would refuse. */
// biome-ignore lint/suspicious/noExplicitAny: each of these values is wrong on purpose.
type Anything = any;

const since = new Date('2026-01-01T00:00:00.000Z');
/** The path and the query that a call sends. */
const targetOf = async (call: (sallyport: Sallyport) => PromiseLike<unknown>): Promise<string | undefined> => {
  const server = await serve({ body: wirePage([]) });
  await call(clientOf(server));
  return server.requests[0]?.target;
};
/** The body that a call sends. */
const bodySent = async (body: unknown): Promise<unknown> => {
  const server = await serve({ body: {} });
  await clientOf(server).request('POST', '/reports', { body });
  return JSON.parse(server.requests[0]!.body);
};

class Money {
  readonly #secret = 'x';
  readonly cents = 5;
  get hasSecret(): boolean {
    return this.#secret === 'x';
  }
}
class Tagged {
  readonly cents = 5;
  get [Symbol.toStringTag](): string {
    return 'Money';
  }
}

describe('a query', () => {
  const events = (query: Anything) => (s: Sallyport) => s.request('GET', '/events', { query });

  test.each<[string, Anything, string]>([
    ['a Date, which is sent as an ISO string', { range_start: since }, 'range_start=2026-01-01T00%3A00%3A00.000Z'],
    ['an array of Dates', { days: [since, since] }, 'days=2026-01-01T00%3A00%3A00.000Z%2C2026-01-01T00%3A00%3A00.000Z'],
    ['a URL, which is sent as a string', { link: new URL('https://a.test/') }, 'link=https%3A%2F%2Fa.test%2F'],
    ['an object from another realm', runInNewContext('({ state: "open" })'), 'state=open'],
    ['an object without a prototype', Object.assign(Object.create(null), { state: 'open' }), 'state=open'],
    [
      'a nested object',
      { filter: { state: 'open', since } },
      'filter%5Bstate%5D=open&filter%5Bsince%5D=2026-01-01T00%3A00%3A00.000Z',
    ],
    ['URLSearchParams', new URLSearchParams({ 'a b': 'c&d', state: 'open' }), 'a%20b=c%26d&state=open'],
    ['URLSearchParams with a repeated name', new URLSearchParams('a=1&a=2&b=3'), 'a=1&a=2&b=3'],
  ])('accepts %s', async (_, query, sent) => {
    expect(await targetOf(events(query))).toBe(`/events?${sent}`);
    const extra = { extraQuery: query };
    expect(await targetOf((s) => s.events.listEvents({}, extra))).toBe(`/events?${sent}`);
  });

  test("passed as URLSearchParams can set a list's limit and cursor", async () => {
    const query = new URLSearchParams({ limit: '1', after: 'rep_0', state: 'open' });
    const server = await serve(
      { body: wirePage([{ id: 'rep_1' }], { after: 'rep_1' }) },
      { body: wirePage([{ id: 'rep_2' }]) },
    );

    const ids: unknown[] = [];
    for await (const report of clientOf(server).list('/reports', { query })) ids.push((report as { id: unknown }).id);

    expect(ids).toEqual(['rep_1', 'rep_2']);
    expect(server.requests.map(({ target }) => target)).toEqual([
      '/reports?limit=1&after=rep_0&state=open',
      '/reports?limit=1&after=rep_1&state=open',
    ]);
  });

  test.each<[string, Anything]>([
    ['a Map', new Map([['state', 'open']])],
    ['a Set', new Set(['open'])],
    ['a Headers object', new Headers({ state: 'open' })],
    ['a FormData', new FormData()],
    ['an array of pairs', [['state', 'open']]],
    ['a Date', since],
    ['an instance of a class', new Money()],
  ])('that is %s is rejected with an error that names the argument', async (_, query) => {
    expect((await refusalOf(events(query))).argument).toBe('query');
    expect((await refusalOf((s) => s.list('/events', { query }))).argument).toBe('query');
    expect((await refusalOf((s) => s.events.listEvents({}, { extraQuery: query }))).argument).toBe('extraQuery');
    expect((await refusalOf((s) => s.organizations.listOrganizations(query))).argument).toBe('params');
  });

  test.each<[string, Anything]>([
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set(['a'])],
    ['a function', () => 'open'],
    ['a symbol', Symbol('open')],
    ['NaN', Number.NaN],
    ['an invalid Date', new Date(Number.NaN)],
    ['an instance of a class', new Money()],
    ['an array of objects', [{ a: 1 }]],
    ['an array that contains null', ['a', null]],
    ['an unawaited call', clientWith(async () => Response.json(wireOrganization())).organizations.getOrganization('o')],
  ])('with %s as a filter is rejected with an error that names the filter', async (_, state) => {
    expect((await refusalOf(events({ state }))).argument).toMatch(/^query\.state/);
    expect((await refusalOf((s) => s.events.listEvents({}, { extraQuery: { state } }))).argument).toMatch(
      /^extraQuery\.state/,
    );
  });

  test('passed as URLSearchParams reveals no secrets in error messages', async () => {
    const server = await serve({ status: 400, body: { message: 'hunter2hunter2 and sesame42 are wrong' } });
    const query = new URLSearchParams('token=hunter2hunter2&token=sesame42');

    const direct = (await failureOf(clientOf(server).request('GET', '/events', { query }))) as Error;
    const extra = (await failureOf(clientOf(server).events.listEvents({}, { extraQuery: query }))) as Error;

    for (const { message } of [direct, extra]) expect(message).toContain('The service says: … and … are wrong');
  });
});

describe('a request body', () => {
  test.each<[string, unknown, unknown]>([
    ['an array at the top level', [1, { a: [null] }], [1, { a: [null] }]],
    ['a Date', { at: [since] }, { at: ['2026-01-01T00:00:00.000Z'] }],
    ['a class instance', { price: new Money() }, { price: { cents: 5 } }],
    ['a class instance that defines Symbol.toStringTag', new Tagged(), { cents: 5 }],
    [
      'an object that has a toJSON method',
      { price: { toJSON: () => ({ at: since }) } },
      { price: { at: '2026-01-01T00:00:00.000Z' } },
    ],
    [
      'an object from another realm',
      runInNewContext('({ at: new Date(0), list: [1] })'),
      { at: '1970-01-01T00:00:00.000Z', list: [1] },
    ],
    ['a repeated object', ((one) => ({ one, other: one }))({ a: 1 }), { one: { a: 1 }, other: { a: 1 } }],
    ['an undefined field', { a: 1, b: undefined }, { a: 1 }],
  ])('with %s is sent as JSON', async (_, body, sent) => {
    expect(await bodySent(body)).toEqual(sent);
  });

  const circle: Record<string, unknown> = {};
  circle.self = circle;

  test.each<[string, unknown, string]>([
    ['a Map', new Map(), 'not a Map'],
    ['a Map from another realm', runInNewContext('new Map()'), 'not a Map'],
    ['a Set', new Set(), 'not a Set'],
    ['a Headers object', new Headers(), 'not a Headers'],
    ['URLSearchParams', new URLSearchParams(), 'not a URLSearchParams'],
    ['a FormData', new FormData(), 'not a FormData'],
    ['a Blob', new Blob([]), 'not a Blob'],
    ['a web stream', new ReadableStream(), 'not a ReadableStream'],
    ['a Node stream', Readable.from([]), 'not an object'],
    ['a Uint8Array', new Uint8Array(2), 'not a Uint8Array'],
    ['a promise', Promise.resolve(1), 'not a Promise'],
    ['an error', new Error('hush'), 'not an Error'],
    ['an iterator', [].values(), 'not an Array Iterator'],
    ['a function', () => 1, 'not a function'],
    ['a symbol', Symbol('hush'), 'not a symbol'],
    ['a bigint', 1n, 'not a bigint'],
    ['NaN', Number.NaN, 'not NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'not Infinity'],
    ['an invalid Date', new Date(Number.NaN), 'not an invalid Date'],
    ['a circular reference', circle, 'not a circular reference'],
    ['an object whose toJSON throws', { toJSON: () => JSON.parse('{') }, 'not an object whose toJSON throws'],
  ])('that contains %s is rejected with an error that names the path of the value', async (_, value, words) => {
    const post = (body: unknown) => (s: Sallyport) => s.request('POST', '/reports', { body });
    const whole = await refusalOf(post(value));
    const deep = await refusalOf(post({ filters: [1, { state: value }] }));
    const meta = await refusalOf((s) =>
      s.fga.updateResource({ resource: { resourceType: 'r', resourceId: '1' }, meta: { deep: [value] } }),
    );
    const extra = await refusalOf((s) =>
      s.organizations.createOrganization({ name: 'A' }, { extraBody: { deep: value } }),
    );

    const end = value === circle ? '.self' : '';
    expect(whole.argument).toBe(`body${end}`);
    expect(deep.argument).toBe(`body.filters[1].state${end}`);
    expect(deep.message).toContain(`request needs body.filters[1].state${end} to be a JSON value, ${words}.`);
    expect(meta.argument).toBe(`meta.deep[0]${end}`);
    expect(extra.argument).toBe(`extraBody.deep${end}`);
    expect(`${deep.message}${deep.stack}`).not.toContain('hush');
  });

  test.each<[string, Anything]>([
    ['a Map', new Map([['plan', 'pro']])],
    ['a Headers object', new Headers({ plan: 'pro' })],
    ['a Date', since],
  ])('is rejected if metadata is %s', async (_, metadata) => {
    const error = await refusalOf((s) => s.organizations.createOrganization({ name: 'A', metadata }));

    expect(error.argument).toBe('metadata');
  });

  test('is rejected if extraBody is not a plain object', async () => {
    for (const extraBody of [new Map([['a', 1]]), new Money(), 'text', ['a']] as Anything[])
      expect((await refusalOf((s) => s.organizations.createOrganization({ name: 'A' }, { extraBody }))).argument).toBe(
        'extraBody',
      );
  });

  test('that is sent as a form can contain a Date, but no nested object', async () => {
    const server = await serve({ body: {} });
    const at = { code: 'x' };
    await failureOf(clientOf(server).sso.getProfileAndToken(at, { extraBody: { since } }));
    const error = await refusalOf((s) => s.sso.getProfileAndToken(at, { extraBody: { deep: { a: 1 } } }));

    expect(new URLSearchParams(server.requests[0]!.body).get('since')).toBe('2026-01-01T00:00:00.000Z');
    expect(error.argument).toBe('extraBody.deep');
  });
});

describe('additional headers', () => {
  /** The headers that a call sends with these headers on the call, on the client, and on with(). */
  const sentFrom = async (headers: Anything) => {
    const server = await serve({ body: wireOrganization() });
    const send = (sallyport: Sallyport, options?: Anything) =>
      sallyport.organizations.getOrganization('org_1', options);
    await send(clientOf(server), { headers });
    await send(clientOf(server, { headers }));
    await send(clientOf(server, { headers: { 'x-tenant': 'other' } }).with({ headers }));
    return server.requests.map((request) => request.headers['x-tenant']);
  };

  test.each<[string, Anything]>([
    ['Headers', new Headers({ 'x-tenant': '7' })],
    ['an object', { 'x-tenant': '7' }],
    ['an object with names in different case', { 'X-Tenant': '7' }],
    ['an object from another realm', runInNewContext('({ "X-TENANT": "7" })')],
    ['an object without a prototype', Object.assign(Object.create(null), { 'x-tenant': '7' })],
  ])('can be passed as %s', async (_, headers) => {
    expect(await sentFrom(headers)).toEqual(['7', '7', '7']);
  });

  test.each<[string, Anything]>([
    ['a Map', new Map([['x-tenant', '7']])],
    ['an array of pairs', [['x-tenant', '7']]],
    ['URLSearchParams', new URLSearchParams({ 'x-tenant': '7' })],
    ['a string', 'x-tenant: 7'],
    ['an instance of a class', new Money()],
  ])('passed as %s are rejected with an error that names the headers argument', async (_, headers) => {
    const call = await refusalOf((s) => s.organizations.getOrganization('org_1', { headers }));

    expect(call.argument).toBe('headers');
    const wrong = { code: 'invalid_option', message: expect.stringContaining('The option headers must be') };
    expect(() => clientWith(fetch, { headers })).toThrow(expect.objectContaining(wrong));
    expect(() => clientWith(fetch).with({ headers })).toThrow(expect.objectContaining(wrong));
  });

  test('are overridden case-insensitively by headers of with() and of the call', async () => {
    const server = await serve({ body: wireOrganization() });
    const sallyport = clientOf(server, { headers: { 'x-tenant': '1' } })
      .with({ headers: { 'X-Tenant': '2' } })
      .with({ headers: { 'x-tenant': '3' } });

    await sallyport.organizations.getOrganization('org_1');
    await sallyport.organizations.getOrganization('org_1', { headers: { 'X-TENANT': '4' } });
    await sallyport.organizations.getOrganization('org_1', { headers: { 'X-TENANT': undefined } });

    expect(server.requests.map((request) => request.headers['x-tenant'])).toEqual(['3', '4', undefined]);
  });

  test('are sent together with the warrant token header', async () => {
    const server = await serve({ body: wirePage([]) });
    const headers = new Headers({ 'x-tenant': '7' });

    await clientOf(server).fga.listWarrants({}, { headers, warrantToken: 'token_1' });

    expect(server.requests[0]?.headers).toMatchObject({ 'x-tenant': '7', 'warrant-token': 'token_1' });
  });

  test('with a line break in a name are rejected, and the error does not contain the line break', async () => {
    const headers = { 'x-a\r\nset-cookie: b\u2028': '1' };
    const call = await refusalOf((s) => s.organizations.getOrganization('org_1', { headers }));
    const client = (await failureOf((async () => clientWith(fetch, { headers }))())) as Error;

    for (const text of [call.message, call.argument, client.message]) {
      expect(text).toContain('headers.x-a set-cookie: b');
      expect(text).not.toMatch(/[\r\n\u2028]/);
    }
  });
});

test.each(['headers', 'method', 'body', 'signal'])(
  'fetchOptions must not contain the field %s, because the client sets it',
  (name) => {
    expect(() => clientWith(fetch, { fetchOptions: { [name]: {} } })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringContaining(`The option fetchOptions.${name} would not be sent.`),
      }),
    );
  },
);
