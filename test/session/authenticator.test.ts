import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { authenticator, type RetryPolicy } from '../../src/session/refresh/authenticator.js';
import { codeKey, refreshKey } from '../../src/session/refresh/shared-refreshes.js';
import { apiKey, clientId, type Script, serve } from '../servers/server.js';
import { hurry } from '../time.js';

const retryPolicy: RetryPolicy = { timeoutMs: 2_000, deadlineMs: 4_000, maxRetries: 0 };
const secret = 'correct-horse-battery-staple-0001';

/** An answer of the service. */
const wireAnswer = {
  user: { object: 'user', id: 'user_01', email: 'ada@example.com' },
  organization_id: 'org_01',
  access_token: 'a.b.c',
  refresh_token: 'r',
};

/** A service that is not known to be failing. */
const service = () => ({ fetcher: () => fetch, scope: `service ${Math.random()}`, now: Date.now });

/** Asks the server at an address. */
const at = (baseUrl: string, overrides: Partial<RetryPolicy> = {}) =>
  authenticator({ ...service(), baseUrl, clientId, apiKey, retryPolicy: { ...retryPolicy, ...overrides } });

/** Return the outcome if the server gives this answer. */
async function outcomeOf(script: Script, overrides: Partial<RetryPolicy> = {}) {
  const server = await serve(script);
  const authenticate = at(server.url, overrides);
  const outcome = await authenticate(
    { grantType: 'refresh_token', refreshToken: 'r0', organizationId: undefined },
    'key_1',
  );
  return { outcome, requests: server.requests };
}

describe('a token request', () => {
  test("contains the client's credentials and an idempotency key", async () => {
    const { outcome, requests } = await outcomeOf({ body: wireAnswer });

    expect(outcome).toMatchObject({ status: 'ok', tokens: { accessToken: 'a.b.c', refreshToken: 'r' } });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      target: '/user_management/authenticate',
      body: `{"client_id":"${clientId}","client_secret":"${apiKey}","grant_type":"refresh_token","refresh_token":"r0"}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key_1' },
    });
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  test('contains no client secret if the client is public', async () => {
    const server = await serve({ body: wireAnswer });
    const config = { ...service(), baseUrl: server.url, clientId, apiKey: undefined, retryPolicy };
    const authenticate = authenticator(config);

    await authenticate(
      { grantType: 'authorization_code', code: 'c', codeVerifier: 'v', pendingAuthenticationToken: undefined },
      'key_1',
    );

    expect(server.requests[0]?.body).toBe(
      `{"client_id":"${clientId}","grant_type":"authorization_code","code":"c","code_verifier":"v"}`,
    );
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await serve({ body: wireAnswer });

    const { outcome } = await outcomeOf({ status: 307, headers: { location: `${elsewhere.url}/` } });

    expect(outcome).toMatchObject({ status: 'misconfigured' });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('a response without tokens', () => {
  test.each([
    [400, { error: 'invalid_grant', error_description: 'used before' }, 'invalid_grant'],
    [401, { error: 'invalid_grant' }, 'invalid_grant'],
    [403, { code: 'mfa_enrollment', message: 'enroll', pending_authentication_token: 'p' }, 'mfa_enrollment'],
    [422, { code: 'something_new' }, 'something_new'],
  ])('with status %i and body %j is treated as final', async (status, body, code) => {
    const { outcome } = await outcomeOf({ status, body });

    expect(outcome).toMatchObject({ status: 'ended', reason: code, body });
  });

  test('is reported without the error code, which can contain a secret', async () => {
    const { outcome } = await outcomeOf({ status: 401, body: { error: 'sk_test_1 is wrong' } });

    const cause = String((outcome as { readonly cause: unknown }).cause);
    expect(cause).toContain('with status 401; check clientId');
    expect(cause).not.toContain('sk_test_1');
  });

  test.each([
    [401, { message: 'Unauthorized' }],
    [401, { error: 'invalid_client' }],
    [400, { error: 'invalid_client' }],
    [400, { error: 'unauthorized_client' }],
    [401, { code: 'unauthorized' }],
    [404, { message: 'no such page' }],
  ])('with status %i and body %j is reported as a configuration error', async (status, body) => {
    const { outcome, requests } = await outcomeOf({ status, body }, { maxRetries: 2 });

    expect(outcome).toMatchObject({ status: 'misconfigured' });
    expect(String((outcome as { readonly cause: unknown }).cause)).toContain('check clientId, apiKey and baseUrl');
    expect(requests).toHaveLength(1);
  });

  test.each([
    [408, 'service_unavailable'],
    [425, 'service_unavailable'],
    [429, 'rate_limited'],
    [500, 'service_unavailable'],
    [502, 'service_unavailable'],
    [503, 'service_unavailable'],
    [504, 'service_unavailable'],
  ])('with status %i is treated as transient, regardless of the body', async (status, reason) => {
    const { outcome } = await outcomeOf({ status, body: { error: 'invalid_grant' } });

    expect(outcome).toMatchObject({ status: 'retry_later', reason });
  });

  test.each<[string, Script]>([
    ['status 200 and an HTML page', { body: '<html>It works</html>', headers: { 'content-type': 'text/html' } }],
    ['status 403 and an HTML page', { status: 403, body: '<html>blocked</html>' }],
    ['truncated JSON', { body: '{"user":{"id":"user_01"' }],
    ['an empty body', { body: '' }],
    ['JSON that contains no known field', { body: { ok: true } }],
  ])('with %s is treated as transient', async (_, script) => {
    const { outcome } = await outcomeOf(script);

    expect(outcome).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
  });

  test('is aborted after a megabyte if the body does not end', async () => {
    const { outcome, requests } = await outcomeOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      };
      response.on('drain', more);
      more();
    });

    expect(outcome.status).toBe('retry_later');
    expect(await requests[0]?.cut).toBe(true);
  });

  test.each([
    ['7', 7_000],
    ['0', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ])('with the Retry-After header "%s" sets retryAfterMs to %s', async (value, retryAfterMs) => {
    const { outcome } = await outcomeOf({ status: 429, headers: { 'retry-after': value } });

    expect(outcome).toMatchObject({ status: 'retry_later', retryAfterMs });
  });

  test('with a date in the Retry-After header sets retryAfterMs to the remaining time', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();

    const { outcome } = await outcomeOf({ status: 503, headers: { 'retry-after': date } });

    const { retryAfterMs } = outcome as { readonly retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(80_000);
    expect(retryAfterMs).toBeLessThanOrEqual(90_000);
  });
});

describe('a token request', () => {
  test('ends at the timeout if the response body does not end', async () => {
    const {
      value: { outcome, requests },
      ms,
    } = await hurry(() =>
      outcomeOf((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{');
      }),
    );

    expect(outcome).toMatchObject({ status: 'retry_later', reason: 'timeout' });
    expect(ms).toBe(retryPolicy.timeoutMs);
    expect(await requests[0]?.cut).toBe(true);
  });

  test('ends at the timeout even if fetch ignores the abort signal', async () => {
    const authenticate = authenticator({
      ...service(),
      baseUrl: 'https://api.acme.test',
      clientId,
      apiKey,
      fetcher: () => () => new Promise(() => undefined),
      retryPolicy: { ...retryPolicy, timeoutMs: 20 },
    });

    const outcome = await authenticate(
      { grantType: 'refresh_token', refreshToken: 'r0', organizationId: undefined },
      'key_1',
    );

    expect(outcome).toMatchObject({ status: 'retry_later', reason: 'timeout' });
  });
});

describe('an idempotency key', () => {
  const mac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');

  test('for a refresh is an HMAC of the refresh token, the organization and the access token', async () => {
    expect(await refreshKey(secret, 'r0', '', 'a0')).toBe(mac('["sallyport refresh","r0","","a0"]'));
    expect(await refreshKey(secret, 'r0', '*', 'a0')).toBe(mac('["sallyport refresh","r0","*","a0"]'));
    expect(await refreshKey(secret, 'r0', '')).toBe(mac('["sallyport refresh","r0","",""]'));
  });

  test('for a code exchange is an HMAC of the code and the code verifier', async () => {
    expect(await codeKey(secret, 'c', 'v')).toBe(mac('["sallyport code","c","v"]'));
  });

  test('differs for each token, organization, password and purpose', async () => {
    const keys = await Promise.all([
      refreshKey(secret, 'r0', ''),
      refreshKey(secret, 'r1', ''),
      refreshKey(secret, 'r0', '*'),
      refreshKey(secret, 'r0', '', 'a0'),
      refreshKey(`${secret}2`, 'r0', ''),
      codeKey(secret, 'r0', ''),
    ]);

    expect(new Set(keys).size).toBe(6);
  });
});
