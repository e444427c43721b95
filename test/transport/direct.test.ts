import type { Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import fc, { anyText, runs } from '../runner/property.js';
import { apiKey, clientOf, clientWith, failureOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { stage } from '../stage.js';
import { askedOf, idsOf, pageFor, serveList } from './list-service.js';
import { refusalOf } from './refusal-of.js';

describe('client.request()', () => {
  test('sends and returns wire names and values without conversion', async () => {
    const { sallyport } = await stage({ listen: true });

    const created = await sallyport.request('POST', '/organizations', {
      body: { name: 'Acme', external_id: 'crm_7', metadata: { salesRegion: 'north' } },
    });
    const { id } = created as { id: string };
    const path = `/organizations/${id}`;

    expect(created).toMatchObject({ object: 'organization', external_id: 'crm_7', metadata: { salesRegion: 'north' } });
    expect(await sallyport.request('PUT', path, { body: { name: 'Acme Inc.' } })).toMatchObject({ name: 'Acme Inc.' });
    expect(await sallyport.request('GET', path)).toMatchObject({ id, name: 'Acme Inc.' });
    expect(await sallyport.request('DELETE', path)).toBeUndefined();
  });

  test('rejects with a NotFoundError if the object does not exist', async () => {
    const { sallyport } = await stage({ listen: true });

    const error = await failureOf(
      sallyport.request('GET', '/organizations/org_missing1', { route: '/organizations/:id' }),
    );

    expect(error).toMatchObject({
      name: 'NotFoundError',
      status: 404,
      method: 'GET',
      route: '/organizations/:id',
      attempts: 1,
    });
  });

  test('rejects with a NotFoundError if the service does not have the endpoint', async () => {
    const { sallyport } = await stage();

    const error = (await failureOf(sallyport.request('GET', '/no_such_thing'))) as Error;

    expect(error).toMatchObject({ name: 'NotFoundError', route: '(request)' });
    expect(error.message).toContain('request found nothing at this address (GET (request), status 404');
  });

  test('encodes query values, joins arrays with commas and omits null', async () => {
    const server = await serve({ body: [1, 'two', null] });

    const answer = await clientOf(server).request('GET', '/reports', {
      query: { 'a&b': 'c=d/é', page_size: 5, isOpen: true, states: ['x', 'y z'], none: null },
    });

    expect(answer).toEqual([1, 'two', null]);
    expect(server.requests[0]?.target).toBe('/reports?a%26b=c%3Dd%2F%C3%A9&page_size=5&isOpen=true&states=x%2Cy%20z');
  });

  test.each<[string, unknown, string]>([
    ['an object', { periodStart: 1, period_end: null }, '{"periodStart":1,"period_end":null}'],
    ['an array', [{ a: 1 }, 2], '[{"a":1},2]'],
    ['a string', 'all', '"all"'],
    ['null', null, 'null'],
    ['false', false, 'false'],
    ['an object that has a toJSON method', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('sends %s as JSON', async (_, body, sent) => {
    const server = await serve({ body: {} });

    await clientOf(server).request('POST', '/reports', { body });

    expect(server.requests[0]).toMatchObject({ body: sent, headers: { 'content-type': 'application/json' } });
  });

  test('sends no body and no content type if no body is passed', async () => {
    const server = await serve({ body: {} });

    await clientOf(server).request('POST', '/reports');

    expect(server.requests[0]?.body).toBe('');
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'retries a %s with the idempotency key of the first attempt',
    async (method) => {
      const server = await serve({ status: 503 }, { body: { ok: true } });

      expect(await clientOf(server).request(method, '/reports')).toEqual({ ok: true });

      const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(first).toMatch(/^[\da-f-]{36}$/);
      expect(second).toBe(first);
    },
  );

  test('requires an idempotency key to retry a PATCH, but not to retry a GET', async () => {
    const server = await serve({ status: 503 }, { body: { ok: true } });
    const sallyport = clientOf(server);
    const noKey = { headers: { 'Idempotency-Key': undefined } };

    expect(await sallyport.request('GET', '/reports')).toEqual({ ok: true });
    server.answer({ status: 503 }, { body: { ok: true } });
    const patch = failureOf(sallyport.request('PATCH', '/reports/7', { body: {}, ...noKey }));
    expect(await patch).toMatchObject({ name: 'ServerError', attempts: 1 });
    const own = { body: {}, idempotencyKey: 'mine', headers: { 'x-trace': '7' }, maxRetries: 0 };
    await sallyport.request('PATCH', '/reports/7', own);

    const [first, second, third, fourth] = server.requests.map(({ headers }) => headers);
    expect(first).not.toHaveProperty('idempotency-key');
    expect(second).not.toHaveProperty('idempotency-key');
    expect(third).not.toHaveProperty('idempotency-key');
    expect(fourth).toMatchObject({ 'idempotency-key': 'mine', 'x-trace': '7', authorization: `Bearer ${apiKey}` });
  });

  test('supports withResponse(), timeoutMs, deadlineMs and an abort signal', async () => {
    const server = await serve({ body: {} });
    const { response } = await clientOf(server).request('GET', '/reports').withResponse();
    expect(response).toMatchObject({ status: 200, requestId: 'req_42', attempts: 1 });

    server.answer(() => {});
    const slow = clientOf(server).request('GET', '/reports/7', { timeoutMs: 50, maxRetries: 0 });
    expect(await failureOf(slow)).toMatchObject({ name: 'TimeoutError', limit: 'attempt', route: '(request)' });
    const late = clientOf(server).request('GET', '/reports/7', { deadlineMs: 50 });
    expect(await failureOf(late)).toMatchObject({ name: 'TimeoutError', limit: 'deadline' });
    const signal = AbortSignal.abort('enough');
    expect(await failureOf(clientOf(server).request('GET', '/reports/7', { signal }))).toBe('enough');
  });

  test.each([
    ['plain text', { body: 'hello', headers: { 'content-type': 'text/plain' } }],
    ['truncated JSON', { body: '{"a":' }],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.test/' } }],
  ])('rejects a response that is %s', async (_, script) => {
    const error = await failureOf(clientOf(await serve(script)).request('GET', '/reports/report_7'));

    expect(error).toMatchObject({ name: 'UnexpectedResponseError', route: '(request)' });
  });

  test('requires an API key', async () => {
    const sallyport = clientOf(await serve({ body: {} }), { apiKey: undefined });

    expect(await failureOf(sallyport.request('GET', '/reports'))).toMatchObject({
      name: 'ConfigurationError',
      code: 'missing_api_key',
    });
    expect(await failureOf(sallyport.list('/reports'))).toMatchObject({ code: 'missing_api_key' });
  });

  test.each<[string, string, (s: Sallyport) => PromiseLike<unknown>]>([
    ['a GET with a body', 'body', (s) => s.request('GET', '/reports', { body: {} })],
    ['an unsupported HTTP method', 'method', (s) => s.request('HEAD' as never, '/reports')],
    ['a query that is a string', 'query', (s) => s.request('GET', '/reports', { query: 'a=b' as never })],
    ['a lone surrogate in the query', 'query.name', (s) => s.request('GET', '/reports', { query: { name: '\ud800' } })],
    ['a route that is not a path', 'route', (s) => s.request('GET', '/reports', { route: 'reports' })],
    ['a route with a line break', 'route', (s) => s.request('GET', '/reports', { route: '/a\n/b' })],
    ['an unknown option', 'querry', (s) => s.request('GET', '/reports', { querry: {} } as never)],
    ['the option extraBody', 'extraBody', (s) => s.request('POST', '/r', { extraBody: {} } as never)],
    ['a body with a BigInt', 'body.n', (s) => s.request('POST', '/reports', { body: { n: 1n } })],
    ['a time limit of 0', 'timeoutMs', (s) => s.request('GET', '/reports', { timeoutMs: 0 })],
  ])('rejects %s with an error that names the argument', async (_, argument, call) => {
    expect((await refusalOf(call)).argument).toBe(argument);
  });

  test('rejects an invalid argument with an error whose stack trace points to the caller', async () => {
    const { stack: ofRequest } = (await failureOf(clientWith(fetch).request('GET', 'reports'))) as Error;
    const { stack: ofList } = (await failureOf(clientWith(fetch).list('reports'))) as Error;

    expect(ofRequest).toContain('direct.test.ts');
    expect(ofList).toContain('direct.test.ts');
  });
});

describe("a request's path", () => {
  test.each<[string, unknown, string]>([
    ['be undefined', undefined, ''],
    ['be a number', 7, 'not a number'],
    ['be empty', '', 'not another text'],
    ['be relative', 'organizations', 'not another text'],
    ['be a URL', 'https://elsewhere.test/organizations', 'not another text'],
    ['be a URL without a scheme', '//elsewhere.test/organizations', 'not another text'],
    ['contain two consecutive slashes', '/organizations//org_01', 'not another text'],
    ['contain a backslash', '/\\elsewhere.test', 'not another text'],
    ['contain a query string', '/organizations?limit=1', 'not another text'],
    ['contain a fragment', '/organizations#top', 'not another text'],
    ['contain a line break', '/organizations\r\nx: y', 'not another text'],
    ['contain a tab', '/organi\tzations', 'not another text'],
    ['contain an encoded line break', '/organizations%0d%0ax', 'not another text'],
    ['contain a dot segment', '/organizations/./org_01', 'not another text'],
    ['contain a .. segment', '/organizations/../users', 'not another text'],
    ['end with a .. segment', '/organizations/..', 'not another text'],
    ['contain a percent-encoded .. segment', '/organizations/%2e%2E/users', 'not another text'],
    ['contain a partly encoded .. segment', '/organizations/.%2e/users', 'not another text'],
    ['contain .. before an encoded slash', '/organizations/..%2Fusers', 'not another text'],
    ['contain .. between encoded backslashes', '/organizations/a%5C..%5Cusers', 'not another text'],
    ['contain a lone percent sign', '/organizations/100%', 'not another text'],
    ['contain invalid UTF-8', '/organizations/%ff', 'not another text'],
    ['contain a space', '/organizations/a b', 'not another text'],
    ['contain a non-ASCII character', '/organizations/Zoë', 'not another text'],
    ['contain a lone surrogate', '/organizations/\ud800', 'not another text'],
  ])('must not %s', async (_, path, words) => {
    const error = await refusalOf((sallyport) => sallyport.request('GET', path as string));

    expect(error.argument).toBe('path');
    expect(error.message).toContain(
      path === undefined
        ? 'and it is missing'
        : `needs path to be a percent-encoded path that begins with one / and has neither // nor dot segments, ${words}. `,
    );
    expect(error.message).not.toContain('elsewhere');
  });

  test.each([
    '/',
    '/organizations',
    '/organizations/',
    '/organizations/a%2Fb',
    '/organizations/...',
    '/organizations/.well-known',
    '/users:batch/a@b.test;v=1,2',
    '/organizations/%252e%252e',
    '/organizations/Zo%C3%AB',
    "/~!$&'()*+=",
  ])('can be %s, which is appended to baseUrl unchanged', async (path) => {
    const server = await serve({ body: {} });

    await clientOf(server).request('GET', path);
    await clientOf({ url: `${server.url}/identity` }).request('GET', path);

    expect(server.requests.map(({ target }) => target)).toEqual([path, `/identity${path}`]);
  });

  test('is either rejected or sent to the baseUrl host unchanged', async () => {
    const server = await serve({ body: {} });
    const sallyport = clientOf({ url: `${server.url}/identity` });
    const pieces = fc.constantFrom(
      ...['/', '//', '\\', '.', '..', '%2e', '%2E', '%2f', '%5c', '%', '%00', '?', '#', '@', ':', '\n', '\t', ' ', 'é'],
      ...['a', 'org_01', 'http:', 'elsewhere.test', '\ud800', '%C3%AB', '{', '|', '^', '"', '[', ';'],
    );
    const anyPath = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.array(pieces, { maxLength: 8 }).map((parts) => `/${parts.join('')}`),
      anyText().map((text) => `/${text}`),
      anyText(),
      fc.webUrl(),
      fc.array(fc.string(), { minLength: 1 }).map((ids) => `/${ids.map(encodeURIComponent).join('/')}`),
    );
    const seen = { sent: 0, refused: 0 };

    await fc.assert(
      fc.asyncProperty(anyPath, async (path) => {
        const before = server.requests.length;
        try {
          await sallyport.request('GET', path);
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidArgumentError', argument: 'path' });
          expect(server.requests).toHaveLength(before);
          seen.refused += 1;
          return;
        }
        seen.sent += 1;
        expect(server.requests).toHaveLength(before + 1);
        expect(server.requests.at(-1)).toMatchObject({
          target: `/identity${path}`,
          headers: { host: new URL(server.url).host },
        });
      }),
      { numRuns: runs(1_000) },
    );
    expect(seen.sent).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(20);
  });
});

describe("a request's route", () => {
  const secret = 'tok3n-Zm9vYmFyYmF6';

  test.each([
    ['defaults to (request), which replaces the path in hooks, log lines and errors', undefined, '(request)'],
    ['replaces the path in hooks, log lines and errors', '/invitations/:token', '/invitations/:token'],
  ])('%s', async (_, route, shown) => {
    const told: string[] = [];
    const hear = (record: object) => void told.push(JSON.stringify(record));
    const line = (text: string) => void told.push(text);
    const path = `/invitations/${encodeURIComponent(`${secret}/é`)}`;
    const message = `Nothing at ${path}, that is ${secret}/é, for hunter2hunter2`;
    const server = await serve({ status: 503, body: {} }, { status: 400, body: { message } });
    const sallyport = clientOf(server, {
      hooks: { onRequest: hear, onResponse: hear, onRetry: hear, onError: hear },
      logger: { level: 'debug', to: { debug: line, info: line, warn: line, error: line } },
    });

    const error = (await failureOf(
      sallyport.request('PUT', path, { ...(route && { route }), body: { user: { password: 'hunter2hunter2' } } }),
    )) as Error;

    expect(server.requests).toHaveLength(2);
    expect(error).toMatchObject({ name: 'BadRequestError', route: shown });
    expect(error.message).toContain(`request was refused (PUT ${shown}, status 400)`);
    expect(told).toHaveLength(12);
    for (const text of [...told, error.message, error.stack]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('hunter2');
    }
    for (const text of told) expect(text).toContain(shown);
  });

  test('determines which rate limits apply to the request', async () => {
    const { sallyport } = await stage({ client: { limits: 'observed' } });
    const used = () => Object.fromEntries(sallyport.limits.snapshot().map(({ name, used }) => [name, used]));
    const path = '/user_management/users';

    await sallyport.request('GET', path);
    expect(used()).toEqual({ all_requests: 1 });
    await sallyport.request('GET', path, { route: path });

    expect(used()).toEqual({ all_requests: 2, user_management_reads: 1 });
  });
});

describe('client.list()', () => {
  test.each<[string, string, (s: Sallyport) => PromiseLike<unknown>]>([
    ['a body', 'body', (s) => s.list('/reports', { body: {} } as never)],
    ['a limit out of range', 'query.limit', (s) => s.list('/reports', { query: { limit: 101 } })],
    ['a path with a .. segment', 'path', (s) => s.list('/../reports')],
  ])('rejects %s with an error that names the argument', async (_, argument, call) => {
    expect((await refusalOf(call)).argument).toBe(argument);
  });

  const idOf = (item: unknown) => (item as { id: string }).id;

  test('returns a list with pages, items and a cursor', async () => {
    const { sallyport } = await stage({ listen: true });
    for (const name of ['One', 'Two', 'Three']) await sallyport.organizations.createOrganization({ name });

    const list = sallyport.list('/organizations', { query: { limit: 2, order: 'asc' } });
    const names: unknown[] = [];
    for await (const item of list) names.push((item as { name: string }).name);

    expect(names).toEqual(['One', 'Two', 'Three']);
    const page = await sallyport.list('/organizations', { query: { limit: 2, order: 'asc' } });
    expect(page.data).toHaveLength(2);
    expect(page.data[0]).toMatchObject({ name: 'One', created_at: '2026-01-01T00:00:00.000Z' });
    expect(page.listMetadata.after).toBe(idOf(page.data[1]));
  });

  test('sends its query with every page request, and prefetches the next page', async () => {
    const server = await serveList(250);
    const list = clientOf(server).list('/organizations', { query: { search: 'a b' } });

    expect((await list.toArray({ max: 250 })).map(idOf)).toEqual(idsOf(250));
    expect(list.cursor).toBe('org_0249');
    expect(askedOf(server)).toEqual([
      'search=a%20b&limit=100',
      'search=a%20b&limit=100&after=org_0099',
      'search=a%20b&limit=100&after=org_0199',
    ]);
    const walk = clientOf(server).list('/organizations').pages();
    await walk.next();
    await walk.next();
    await expect.poll(() => askedOf(server)).toHaveLength(6);
    expect(askedOf(server)[5]).toBe('limit=100&after=org_0199');
    await walk.return?.();
  });

  test('iterates backwards from the cursor in the before parameter', async () => {
    const server = await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(pageFor(idsOf(5), request)));
    });

    const items = await clientOf(server)
      .list('/organizations', { query: { before: 'org_0003', limit: 2 } })
      .toArray({ max: 3 });

    expect(items.map(idOf)).toEqual(['org_0002', 'org_0001', 'org_0000']);
  });

  test('rejects a response that is not a page', async () => {
    const error = await failureOf(clientOf(await serve({ body: { items: [] } })).list('/reports'));

    expect(error).toMatchObject({ name: 'UnexpectedResponseError', path: 'data', route: '(request)' });
  });

  test('returns items of any type as received', async () => {
    const items = [wireOrganization(), 7, null, { some_name: { innerName: 1 } }];

    expect((await clientOf(await serve({ body: wirePage(items) })).list('/reports')).data).toEqual(items);
  });
});
