import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isSallyportError, type Sallyport, UnexpectedResponseError } from 'sallyport';
import { describe, expect, test } from 'vitest';
import fc, { runs } from '../runner/property.js';
import { clientOf, clientWith, failureOf, type Script, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { runAlone } from './process.js';

const get = (sallyport: Sallyport) => sallyport.organizations.getOrganization('org_01');
const list = async (sallyport: Sallyport) => sallyport.organizations.listOrganizations();
const remove = (sallyport: Sallyport) => sallyport.organizations.deleteOrganization('org_01');
const invalidUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]);
const whole = JSON.stringify(wireOrganization());

/** Responses without a usable result, and a part of their error message. */
const unusable: readonly [string, Script, string][] = [
  ['without a body', { status: 204 }, 'The body must be JSON, but is empty'],
  ['with an empty body', { body: '' }, 'The body must be JSON, but is empty'],
  ['with a blank body', { body: ' \n ' }, 'The body must be JSON, but is empty'],
  ['with null as the body', { body: 'null' }, 'The body must be an object, but is null'],
  ['with a number as the body', { body: '42' }, 'The body must be an object, but is a number'],
  ['with a string as the body', { body: '"hello"' }, 'The body must be an object, but is a string'],
  ['with an array as the body', { body: '[]' }, 'The body must be an object, but is an array'],
  ['with an empty object as the body', { body: '{}' }, 'but is missing'],
  [
    'with HTML as the body',
    { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<h1>Hi</h1>' },
    'The body must be JSON, but is text/html',
  ],
  [
    'with a JSON body of the content type text/plain',
    { headers: { 'content-type': 'text/plain' }, body: whole },
    'The body must be JSON, but is text/plain',
  ],
  ['with truncated JSON as the body', { body: whole.slice(0, -7) }, 'The body must be JSON; it may have been cut off'],
  ['with two JSON values as the body', { body: `${whole}${whole}` }, 'The body must be JSON; it may have been cut off'],
  ['with invalid UTF-8 as the body', { body: invalidUtf8 }, 'The body must be valid UTF-8'],
  ['with a body cut off within a character', { body: Buffer.from([0x22, 0xe6, 0x97]) }, 'The body must be valid UTF-8'],
];

test.each([
  ['invalid UTF-8', invalidUtf8],
  ['cut off within a character', Buffer.from([0x22, 0xe6, 0x97])],
])('a response body that is %s does not affect the decoding of the next response body', async (_, body) => {
  const server = await serve({ body }, { body: wireOrganization({ name: 'Žižkov 日本' }) });
  const sallyport = clientOf(server);
  await failureOf(get(sallyport));

  const { name } = await sallyport.organizations.getOrganization('org_01');

  expect(name).toBe('Žižkov 日本');
});

test.each(unusable)('a response %s is rejected with an error that gives the reason', async (_, script, words) => {
  const server = await serve(script);

  for (const call of [get, list]) {
    const error = await failureOf(call(clientOf(server)));

    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ code: 'unexpected_response', requestId: 'req_42', attempts: 1, method: 'GET' });
    expect((error as UnexpectedResponseError).status).toBe(typeof script === 'object' ? (script.status ?? 200) : 200);
    expect((error as Error).message).toContain(words);
    expect((error as Error).message).toContain('the request id is req_42');
  }
});

test.each(unusable)('a response %s is accepted if the operation has no result', async (_, script) => {
  const server = await serve(script);

  await expect(remove(clientOf(server))).resolves.toBeUndefined();
});

describe('a response body', () => {
  test('with a field of the wrong type is rejected with an error that contains the path of the field', async () => {
    const data = [wireOrganization(), wireOrganization({ domains: [{ object: 'x', id: 1, domain: 'a.test' }] })];
    const server = await serve({ body: wirePage(data) });

    const error = await failureOf(list(clientOf(server)));

    expect(error).toMatchObject({ path: 'data[1].domains[0].id' });
    expect((error as Error).message).toContain('The field data[1].domains[0].id must be a string, but is a number');
    expect((error as UnexpectedResponseError).body).toEqual(wirePage(data));
  });

  test.each([
    ['list_metadata', wirePage([], [])],
    ['list_metadata.after', wirePage([], { after: 5 })],
    ['data', { object: 'list' }],
    ['data', { data: null }],
    ['data[0]', wirePage([null])],
  ])('for a list is rejected if %s is missing or invalid', async (path, body) => {
    const server = await serve({ body });

    expect(await failureOf(list(clientOf(server)))).toMatchObject({ code: 'unexpected_response', path });
  });

  test.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['application/vnd.api+json'],
    ['APPLICATION/JSON'],
  ])('with the content type %s is read as JSON', async (type) => {
    const server = await serve({ headers: { 'content-type': type }, body: whole });

    expect(await get(clientOf(server))).toMatchObject({ name: 'Acme' });
  });

  test('is read as JSON if it has no content type or starts with a byte order mark', async () => {
    const server = await serve((_, response) => response.writeHead(200).end(whole), { body: `\ufeff${whole}` });

    expect(await get(clientOf(server))).toMatchObject({ name: 'Acme' });
    expect(await get(clientOf(server))).toMatchObject({ name: 'Acme' });
  });

  test('can contain a character that is split across two chunks', async () => {
    const bytes = Buffer.from(JSON.stringify(wireOrganization({ name: '日本'.repeat(50) })));
    const server = await serve(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        await new Promise(setImmediate);
      }
      response.end();
    });

    expect((await get(clientOf(server))).name).toBe('日本'.repeat(50));
  });
});

describe('an error response', () => {
  test.each(unusable)('%s results in the error for its status code', async (_, script) => {
    if (typeof script === 'function') throw new Error('expected a plain answer');
    const server = await serve({ ...script, status: 404 });

    const error = await failureOf(remove(clientOf(server)));

    expect(error).toMatchObject({ code: 'not_found', status: 404, requestId: 'req_42' });
  });

  test('results in the error for its status code even if the body is too large', async () => {
    const server = await serve({ status: 403, body: 'x'.repeat(5_000) });

    const error = await failureOf(get(clientOf(server, { maxResponseBytes: 1_000 })));

    expect(error).toMatchObject({ code: 'forbidden', body: '' });
  });
});

describe('a redirect', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])('with status code %s is never followed', async (status) => {
    const elsewhere = await serve({ body: wireOrganization() });
    const server = await serve({ status, headers: { location: `${elsewhere.url}/organizations` } });
    const sallyport = clientOf(server);

    const errors = [
      await failureOf(get(sallyport)),
      await failureOf(sallyport.organizations.createOrganization({ name: 'Acme' })),
      await failureOf(remove(sallyport)),
    ];

    for (const error of errors) {
      expect(error).toMatchObject({ code: 'unexpected_response', status, requestId: 'req_42' });
      expect((error as Error).message).toContain('Redirects are never followed');
    }
    expect(server.requests).toHaveLength(3);
    expect(elsewhere.requests).toEqual([]);
  });

  test('is not followed even if fetchOptions.redirect is "follow"', async () => {
    const elsewhere = await serve({ body: wireOrganization() });
    const server = await serve({ status: 302, headers: { location: elsewhere.url } });

    const error = await failureOf(get(clientOf(server, { fetchOptions: { redirect: 'follow' } })));

    expect(error).toMatchObject({ code: 'unexpected_response' });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('a large response body', () => {
  const json = JSON.stringify(wireOrganization({ name: 'x'.repeat(4_000) }));
  const limit = { maxResponseBytes: 2_000 };
  const chunked: Script = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_42' });
    for (let at = 0; at < json.length; at += 500) response.write(json.slice(at, at + 500));
    response.end();
  };
  /** Send a body that never ends. */
  const endless: Script = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_42' });
    const chunk = Buffer.alloc(65_536, 'x');
    const fill = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', fill);
    };
    fill();
  };
  const zipped = (encoding: string, body: Buffer): Script => ({ headers: { 'content-encoding': encoding }, body });

  test.each<[string, Script]>([
    ['with a Content-Length', { headers: { 'content-length': String(json.length) }, body: json }],
    ['sent in chunks', chunked],
    ['that never ends', endless],
    ['compressed with gzip', zipped('gzip', gzipSync(json))],
    ['compressed with brotli', zipped('br', brotliCompressSync(json))],
  ])('%s is rejected with an error that names maxResponseBytes', async (_, script) => {
    const server = await serve(script);

    const error = await failureOf(get(clientOf(server, limit)));

    expect(error).toMatchObject({ code: 'unexpected_response', status: 200, requestId: 'req_42', attempts: 1 });
    expect((error as Error).message).toContain('larger than maxResponseBytes, 2000 bytes');
    expect(server.requests).toHaveLength(1);
  });

  test('is rejected before it arrives if its Content-Length exceeds the limit', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.flushHeaders();
    });

    expect(await failureOf(get(clientOf(server, limit)))).toMatchObject({ code: 'unexpected_response' });
    expect(await server.requests[0]?.cut).toBe(true);
  });

  test('is accepted if its size is exactly the limit', async () => {
    const server = await serve(chunked, zipped('gzip', gzipSync(json)));
    const sallyport = clientOf(server, { maxResponseBytes: json.length });

    expect((await get(sallyport)).name).toHaveLength(4_000);
    expect((await get(sallyport)).name).toHaveLength(4_000);
  });

  test('is rejected because of its actual size if the Content-Length is too low', async () => {
    const fetch = async () => new Response(json, { headers: { 'content-length': '10' } });

    expect(await failureOf(get(clientWith(fetch, limit)))).toMatchObject({ code: 'unexpected_response' });
  });

  test('never uses more than 64 MB of memory, even when decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(192 * 1024 * 1024, '"日本'), { level: 1 });
    const server = await serve(
      { body: wireOrganization() },
      { headers: { 'content-encoding': 'gzip' }, body: bomb },
      endless,
    );
    const source = `
      import { Sallyport } from 'sallyport';
      const sallyport = new Sallyport({ apiKey: 'sk_1', baseUrl: process.argv[2] });
      const get = () => sallyport.organizations.getOrganization('org_01').then(({ name }) => name, ({ code }) => code);
      const told = [await get()];
      for (let i = 0; i < 2; i++) {
        global.gc();
        const before = process.memoryUsage();
        let rss = 0;
        let held = 0;
        const look = () => {
          const now = process.memoryUsage();
          rss = Math.max(rss, now.rss - before.rss);
          held = Math.max(held, now.heapUsed + now.external - before.heapUsed - before.external);
        };
        const looking = setInterval(look, 1);
        const code = await get();
        look();
        clearInterval(looking);
        told.push({ code, rss, held });
      }
      console.log(JSON.stringify(told));
    `;

    const { stdout, stderr } = await runAlone(source, [server.url], ['--expose-gc']);

    expect(stderr).toBe('');
    const [warm, packed, unpacked] = JSON.parse(stdout);
    expect(bomb.length).toBeLessThan(2_000_000);
    expect([warm, packed.code, unpacked.code]).toEqual(['Acme', 'unexpected_response', 'unexpected_response']);
    expect(packed.rss).toBeLessThan(64 * 1024 * 1024);
    expect(unpacked.held).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('a call', () => {
  const operations: readonly ((sallyport: Sallyport) => PromiseLike<unknown>)[] = [
    get,
    list,
    remove,
    (s) => s.organizations.listOrganizations().toArray({ max: 3 }),
    (s) => s.organizations.listOrganizationRoles({ organizationId: 'org_01' }),
    (s) => s.userManagement.getUserIdentities('user_01'),
    (s) => s.userManagement.authenticateWithPassword({ email: 'a@b.test', password: 'p' }),
    (s) => s.events.listEvents(),
    (s) => s.auditLogs.createSchema({ action: 'a', targets: [] }),
    (s) => s.fga.check({ checks: [] }),
  ];
  const status = fc.constantFrom(200, 201, 204, 302, 400, 401, 403, 404, 409, 418, 422, 429, 500, 503, 599);
  const type = fc.constantFrom('application/json', 'text/html', '');
  const code = fc.constantFrom(
    'sso_required',
    'mfa_challenge',
    'organization_selection_required',
    'x',
    '__proto__',
    7,
    null,
  );
  const refusal = fc.record(
    {
      code,
      error: code,
      message: fc.jsonValue(),
      errors: fc.jsonValue(),
      pending_authentication_token: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    refusal.map((value) => Buffer.from(JSON.stringify(value))),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(wirePage([value], value)))),
  );

  test('returns a result or throws a SallyportError for random responses', async () => {
    await fc.assert(
      fc.asyncProperty(status, type, body, fc.constantFrom(...operations), async (status, type, bytes, call) => {
        const fetch = async () => {
          const empty = status === 204 || bytes.length === 0;
          // Both of TypeScript's kinds of byte arrays are the same to `Response`.
          return new Response(empty ? null : (bytes as BodyInit), { status, headers: { 'content-type': type } });
        };

        try {
          await call(clientWith(fetch, { maxRetries: 0 }));
        } catch (error) {
          expect(isSallyportError(error), String(error)).toBe(true);
          expect(JSON.stringify(error)).toContain('"code"');
        }
      }),
      { numRuns: runs(600) },
    );
  });
});
