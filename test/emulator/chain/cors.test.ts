import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { apiKey, clientId } from '../sign-in/signing-in.js';

const tokens = '/user_management/authenticate';
const keys = `/sso/jwks/${clientId}`;

/** Returns the headers of an answer that control whether a page may read it. */
const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

/** Sends the preflight request of a browser. */
const preflight = (
  emulator: Emulator,
  path: string,
  origin: string,
  method = 'POST',
  names: string | null = 'content-type,idempotency-key',
) =>
  emulator.fetch(emulator.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      ...(names !== null && { 'access-control-request-headers': names }),
    },
  });

/** Sends a grant as a page would. */
const requestTokens = (emulator: Emulator, origin: string, fields: object = {}, headers = {}) =>
  emulator.fetch(emulator.url + tokens, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'unknown', ...fields }),
  });

const local = 'http://localhost:5173';

describe('the token endpoint', () => {
  test('allows an idempotency key in a cross-origin request', async () => {
    const answer = await preflight((await stage()).emulator, tokens, local);

    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': local,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, idempotency-key',
      'access-control-max-age': '600',
      vary: 'origin',
    });
  });

  test.each([
    ['user-agent,x-trace', 'user-agent, x-trace'],
    ['  X-Trace ,\tcontent-type,', 'x-trace, content-type'],
    ['authorization,content-type', 'content-type'],
    ['Authorization', null],
    ['cookie,forwarded,x-forwarded-for,X-Forwarded-Host,proxy-authorization,sec-fetch-site,x-ok', 'x-ok'],
    ['*', null],
    ['*,x-ok', 'x-ok'],
    ['x ok,x:ok,x\u00e9,x-ok', 'x-ok'],
    ['', null],
    [null, null],
  ])(
    'allows the headers listed in a preflight request, except credentials, proxy headers and wildcards (Access-Control-Request-Headers: %j)',
    async (names, allowed) => {
      const answer = await preflight((await stage()).emulator, tokens, local, 'POST', names);

      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-headers')).toBe(allowed);
    },
  );

  test('allows no headers in a preflight response if the origin of the page is not allowed', async () => {
    const answer = await preflight((await stage()).emulator, tokens, 'https://evil.example', 'POST', 'x-trace');

    expect([answer.status, corsOf(answer)]).toEqual([403, {}]);
  });

  test('lets a page read the error response to a request without cookies', async () => {
    const answer = await requestTokens((await stage()).emulator, local);

    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_grant']);
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': local,
      'access-control-expose-headers': 'x-request-id, retry-after, idempotency-replayed',
      vary: 'origin',
    });
  });

  test.each([
    ['a client secret', { client_secret: apiKey }, {}],
    ['an API key', {}, { authorization: `Bearer ${apiKey}` }],
  ])('does not let a page read the response to a request with %s', async (_, fields, headers) => {
    const answer = await requestTokens((await stage()).emulator, local, fields, headers);

    expect(corsOf(answer)).toEqual({});
  });

  test('sends CORS headers over HTTP', async () => {
    const { emulator } = await stage();
    const url = await emulator.listen();

    const answer = await fetch(url + tokens, {
      method: 'POST',
      headers: { origin: local, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'unknown' }),
    });

    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_grant']);
    expect(corsOf(answer)).toMatchObject({ 'access-control-allow-origin': local });
    await emulator.close();
  });
});

describe('if a token request is rejected before the emulator identifies the world,', () => {
  const app = 'https://app.acme.test';
  const json = { 'content-type': 'application/json' };
  const grant = JSON.stringify({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'unknown' });
  const refusals: [string, number, string, string, RequestInit][] = [
    ['an unknown world', 404, 'no_such_world', 'w7.localhost', { method: 'POST', body: grant }],
    ['an unsupported method', 405, 'method_not_allowed', 'localhost', { method: 'PUT', body: grant }],
    ['invalid JSON', 400, 'invalid_json', 'localhost', { method: 'POST', body: '{' }],
    [
      'an oversized request body',
      413,
      'payload_too_large',
      'localhost',
      { method: 'POST', body: 'x'.repeat(2 ** 20 + 1) },
    ],
  ];
  const send = async (host: string, origin: string, init: RequestInit, headers: HeadersInit = {}) => {
    const { emulator } = await stage({ listen: true, allowHosts: ['app.acme.test'] });
    const { port } = new URL(emulator.url);
    return emulator.fetch(`http://${host}:${port}${tokens}`, { ...init, headers: { ...json, origin, ...headers } });
  };
  const sendOverHttp = async (host: string, origin: string, init: RequestInit) => {
    const { emulator } = await stage({ listen: true, allowHosts: ['app.acme.test'] });
    const { port } = new URL(emulator.url);
    const headers = { ...json, origin, host: `${host}:${port}` };
    return new Promise<{ status: number | undefined; allowed: string | undefined; text: string }>((resolve, reject) => {
      const { method } = init;
      const sent = httpRequest({ host: '127.0.0.1', port, path: tokens, method, headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        const allowed = answer.headers['access-control-allow-origin'];
        answer.on('end', () => resolve({ status: answer.statusCode, allowed, text }));
      });
      sent.on('error', reject).end(init.body);
    });
  };

  test.each(refusals)('a local page can read the error about %s', async (_, status, code, host, init) => {
    const answer = await send(host, local, init);

    expect([answer.status, (await answer.json()).code]).toEqual([status, code]);
    expect(corsOf(answer)).toMatchObject({ 'access-control-allow-origin': local, vary: 'origin' });
  });

  test.each(refusals)(
    'a page on an allowed host can read the error about %s (over HTTP)',
    async (_, status, code, host, init) => {
      const answer = await sendOverHttp(host, app, init);

      expect([answer.status, JSON.parse(answer.text).code, answer.allowed]).toEqual([status, code, app]);
    },
  );

  test.each(refusals)(
    'a page on a foreign site cannot read the error about %s',
    async (_, status, code, host, init) => {
      const [inProcess, overHttp] = [
        await send(host, 'https://evil.example', init),
        await sendOverHttp(host, 'https://evil.example', init),
      ];

      expect([inProcess.status, corsOf(inProcess)]).toEqual([status, {}]);
      expect(overHttp.text).toContain(code);
      expect(overHttp.allowed).toBeUndefined();
    },
  );

  test('a page that sends an API key cannot read the reason for the rejection', async () => {
    const answer = await send(
      'w7.localhost',
      local,
      { method: 'POST', body: grant },
      { authorization: `Bearer ${apiKey}` },
    );

    expect([answer.status, corsOf(answer)]).toEqual([404, {}]);
  });

  test('a local page cannot read the error about a host that is not allowed', async () => {
    const answer = await sendOverHttp('evil.test', local, { method: 'POST', body: grant });

    expect([answer.status, answer.allowed]).toEqual([403, undefined]);
  });
});

describe('a page on the origin', () => {
  const site = 'https://app.example.com/callback';
  const wildcard = 'https://*.example.com/callback';
  const loopback = 'http://127.0.0.1/callback';
  const registered = (uri: string) => (uri ? `the only redirect URI is ${uri}` : 'no redirect URI is registered');

  test.each(
    [
      ['', 'http://localhost:5173', 'can'],
      ['', 'http://127.0.0.1:8080', 'can'],
      ['', 'https://evil.example', 'cannot'],
      ['', 'http://localhost.evil.example', 'cannot'],
      ['', 'null', 'cannot'],
      [site, 'https://app.example.com', 'can'],
      [site, 'http://app.example.com', 'cannot'],
      [site, 'https://app.example.com:8443', 'cannot'],
      [site, 'https://evil.example', 'cannot'],
      [site, 'http://localhost:5173', 'cannot'],
      [wildcard, 'https://eu.example.com', 'can'],
      [wildcard, 'https://a.b.example.com', 'cannot'],
      [wildcard, 'https://example.com', 'cannot'],
      [loopback, 'http://127.0.0.1:8080', 'can'],
      [loopback, 'http://localhost:8080', 'cannot'],
    ].map(([uri = '', origin = '', can]) => [origin, can, registered(uri), uri] as const),
  )('%s %s read token responses if %s', async (origin, can, _what, uri) => {
    const isAllowed = can === 'can';
    const { emulator } = await stage();
    if (uri) await emulator.addRedirectUri(uri);

    const [asked, answered] = [await preflight(emulator, tokens, origin), await requestTokens(emulator, origin)];

    expect(asked.status).toBe(isAllowed ? 204 : 403);
    expect(asked.headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null);
    expect(answered.headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null);
    if (!isAllowed) expect(await asked.json()).toMatchObject({ code: 'origin_not_allowed' });
  });
});

test('any website can read the public keys that verify access tokens', async () => {
  const { emulator } = await stage();

  const answer = await emulator.fetch(emulator.url + keys, { headers: { origin: 'https://evil.example' } });

  expect((await answer.json()).keys).toHaveLength(1);
  expect(corsOf(answer)).toMatchObject({ 'access-control-allow-origin': '*' });
});

test('a cross-origin request for the signing keys can contain custom headers, but not an API key', async () => {
  const { emulator } = await stage();

  const answer = await preflight(emulator, keys, 'https://evil.example', 'GET', 'authorization,x-trace');

  expect(corsOf(answer)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'x-trace',
  });
});

test.each(['/organizations', '/user_management/users', '/events', '/sso/token', '/_emulator/inbox'])(
  'a page on another origin cannot read %s',
  async (path) => {
    const { emulator } = await stage();

    const asked = await preflight(emulator, path, local, 'GET');
    const answered = await emulator.fetch(emulator.url + path, {
      headers: { origin: local, authorization: `Bearer ${apiKey}` },
    });

    expect([corsOf(asked), corsOf(answered)]).toEqual([{}, {}]);
  },
);

test('the response to a request without an Origin header has no CORS headers', async () => {
  const { emulator } = await stage();

  const answer = await emulator.fetch(emulator.url + keys);

  expect(corsOf(answer)).toEqual({});
});

test("a world's URL allows only that world's origins, even in a request with another world's client id", async () => {
  const { emulator } = await stage();
  const one = await emulator.worlds.create({ name: 'one', redirectUris: ['https://one.example/callback'] });
  const other = await emulator.worlds.create({ name: 'other', redirectUris: ['https://other.example/callback'] });
  const askAt = async (url: string, origin: string, client: { readonly clientId: string }) => {
    const body = { client_id: client.clientId, grant_type: 'refresh_token', refresh_token: 'unknown' };
    const answer = await emulator.fetch(url + tokens, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.headers.get('access-control-allow-origin');
  };

  const atOne = (origin: string, client: { readonly clientId: string }) =>
    askAt('http://one.localhost', origin, client);
  expect(await atOne('https://one.example', one.credentials)).toBe('https://one.example');
  expect(await atOne('https://one.example', other.credentials)).toBe('https://one.example');
  expect(await atOne('https://other.example', other.credentials)).toBeNull();
  expect(await askAt(emulator.url, 'https://other.example', other.credentials)).toBe('https://other.example');
  await emulator.close();
});

test("a world's URL rejects an authorization request with another world's client id", async () => {
  const { emulator } = await stage();
  await emulator.worlds.create({ name: 'one', redirectUris: ['https://one.example/callback'] });
  const other = await emulator.worlds.create({ name: 'other', redirectUris: ['https://other.example/callback'] });
  const query = new URLSearchParams({
    client_id: other.credentials.clientId,
    redirect_uri: 'https://other.example/callback',
    response_type: 'code',
    provider: 'authkit',
  });

  const answer = await emulator.fetch(`http://one.localhost/user_management/authorize?${query}`, {
    redirect: 'manual',
  });

  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  await emulator.close();
});
