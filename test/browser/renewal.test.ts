import { describe, expect, test } from 'vitest';
import { failureOf } from '../servers/server.js';
import { hurry } from '../time.js';
import { app, failing } from './app.js';
import type { Mishap } from './token-service.js';

const lost: Mishap = (answer) => {
  answer();
  throw new TypeError('Failed to fetch');
};
const unreachable: Mishap = () => {
  throw new TypeError('Failed to fetch');
};

describe('an access token', () => {
  test('is returned without a request while it is valid', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    const first = await auth.getAccessToken();
    service.time += 269_000;

    expect(await auth.getAccessToken()).toBe(first);
    expect(service.rotations).toBe(0);
  });

  test('is renewed thirty seconds before it expires', async () => {
    const { signedIn, service, clientId } = app();
    const { auth } = await signedIn();
    const first = await auth.getAccessToken();
    service.time += 270_000;

    expect(await auth.getAccessToken()).not.toBe(first);
    expect(service.requests.at(-1)!.body).toEqual({
      client_id: clientId,
      grant_type: 'refresh_token',
      refresh_token: 'refresh_2',
    });
    expect(service.requests.at(-1)!.headers.get('authorization')).toBeNull();
  });

  test('with a short lifetime is renewed after three quarters of the lifetime', async () => {
    const { signedIn, service } = app();
    service.accessTokenSeconds = 20;
    const { auth } = await signedIn();
    service.time += 14_900;
    await auth.getAccessToken();
    expect(service.rotations).toBe(0);
    service.time += 100;

    await auth.getAccessToken();

    expect(service.rotations).toBe(1);
  });

  test('is renewed only once for concurrent callers', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;

    const tokens = await Promise.all(Array.from({ length: 20 }, () => auth.getAccessToken()));

    expect(new Set(tokens).size).toBe(1);
    expect(service.rotations).toBe(1);
  });

  test('is renewed on demand', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    const first = await auth.getAccessToken();

    expect(await auth.getAccessToken({ forceRefresh: true })).not.toBe(first);
    expect(service.rotations).toBe(1);
  });

  test('is not returned before the user has signed in', async () => {
    const { auth } = app().open();

    expect(await failureOf(auth.getAccessToken())).toMatchObject({
      name: 'BrowserError',
      code: 'signed_out',
      reason: 'no_session',
      message: 'No user is signed in. Call signIn().',
    });
  });

  test.each([
    ['an hour behind', -3_600_000],
    ['an hour ahead', 3_600_000],
  ])('is used for its full lifetime even if the device clock is %s', async (_, offset) => {
    const { signedIn, service } = app();
    const environment = { now: () => service.time + offset };
    const { auth } = await signedIn({ environment });
    service.time += 269_000;
    await auth.getAccessToken();
    expect(service.rotations).toBe(0);
    service.time += 1_000;

    await auth.getAccessToken();
    service.time += 200_000;
    await auth.getAccessToken();

    expect(service.rotations).toBe(1);
  });
});

test('a browser client adapts to a clock correction within two refreshes', async () => {
  const { signedIn, service } = app();
  let offset = -7_200_000;
  const { auth } = await signedIn({ environment: { now: () => service.time + offset } });
  offset = 0;

  await auth.getAccessToken();
  service.time += 200_000;
  await auth.getAccessToken();

  expect(service.rotations).toBe(2);
});

test('a refresh token that the service does not rotate can be used for every refresh', async () => {
  const { signedIn, service } = app();
  service.rotates = false;
  const { auth } = await signedIn();
  const tokens = new Set<string>();

  for (let round = 0; round < 5; round++) {
    service.time += 300_000;
    tokens.add(await auth.getAccessToken());
  }

  expect(tokens.size).toBe(5);
  expect(new Set(service.requests.slice(1).map(({ body }) => body.refresh_token)).size).toBe(1);
});

describe('the session continues', () => {
  test.each<[string, Mishap, string, number]>([
    ['the network is down', unreachable, 'network_error', 1_000],
    [
      'the service responds with status 429',
      () => new Response('{}', { status: 429, headers: { 'retry-after': '7' } }),
      'rate_limited',
      7_000,
    ],
    [
      'the service asks the client to retry after one day',
      () => new Response('', { status: 429, headers: { 'retry-after': '86400' } }),
      'rate_limited',
      60_000,
    ],
    [
      'the service responds with status 502',
      () => new Response('<h1>502</h1>', { status: 502 }),
      'service_unavailable',
      1_000,
    ],
    ['a proxy responds with an HTML page', () => new Response('<h1>Sign in to WLAN</h1>'), 'unexpected_answer', 1_000],
    [
      'a proxy responds with status 403',
      () => new Response('<h1>403</h1>', { status: 403 }),
      'unexpected_answer',
      1_000,
    ],
    ['a response contains no tokens', () => new Response('{"user":{}}'), 'unexpected_answer', 1_000],
  ])('if %s', async (_, mishap, reason, retryAfterMs) => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;

    const error = await failing(service, mishap, () => failureOf(auth.getAccessToken()));
    service.mishaps.length = 0;

    expect(error).toMatchObject({ code: 'retry_later', reason, retryAfterMs });
    expect(auth.user?.id).toBe('user_ada');
    expect(await auth.getAccessToken()).toMatch(/^ey/);
  });

  test('with the valid access token while the service is down', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    const first = await auth.getAccessToken();
    service.time += 280_000;

    expect(await failing(service, unreachable, () => auth.getAccessToken())).toBe(first);
    const onDemand = () => failureOf(auth.getAccessToken({ forceRefresh: true }));
    expect(await failing(service, unreachable, onDemand)).toMatchObject({ code: 'retry_later' });
  });

  test('after a lost response, because all retries use one idempotency key', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;
    await failing(service, lost, () => failureOf(auth.getAccessToken()));

    await auth.getAccessToken();

    const keys = service.requests.slice(1).map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\w-]{43}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(service.rotations).toBe(1);
  });

  test('after a lost response and a retry half a second later', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;
    service.mishaps.push(lost);

    const { value, ms } = await hurry(() => auth.getAccessToken());

    expect(value).toMatch(/^ey/);
    expect(ms).toBe(500);
    expect(service.rotations).toBe(1);
  });

  test('with new tokens an hour after a lost response', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;
    await failing(service, lost, () => failureOf(auth.getAccessToken()));
    // The repeated response has an access token that has expired by now.
    service.time += 3_600_000;

    await auth.getAccessToken();

    expect(service.rotations).toBe(2);
    expect(auth.session?.claims.exp).toBe(service.time / 1000 + 300);
  });

  test('after a request and a retry have timed out within ten seconds', async () => {
    const { signedIn, service } = app({ environment: { now: () => Date.now() } });
    service.time = Date.now();
    const { auth } = await signedIn();
    const never: Mishap = () =>
      new Promise((_, reject) => {
        const { signal } = service.requests.at(-1)!.init;
        signal!.addEventListener('abort', () => reject(signal!.reason));
      });
    service.mishaps.push(never, never);

    const { value, ms } = await hurry(() => failureOf(auth.getAccessToken({ forceRefresh: true })));

    expect(value).toMatchObject({ code: 'retry_later', reason: 'timeout' });
    expect(service.mishaps).toHaveLength(0);
    expect(ms).toBe(10_000);
  });
});

describe('a rejected refresh', () => {
  test('signs the user out if the session has been revoked', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    const seen: unknown[] = [];
    auth.onChange((session) => seen.push(session));
    service.time += 300_000;
    service.revoke('session_1');

    expect(await failureOf(auth.getAccessToken())).toMatchObject({ code: 'signed_out', reason: 'invalid_grant' });
    expect(auth.user).toBeNull();
    expect(seen).toEqual([null]);
    expect(await failureOf(auth.getAccessToken())).toMatchObject({ code: 'signed_out', reason: 'no_session' });
  });

  test('does not end the session if the service does not know the client ID', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;
    service.mishaps.push(() => new Response('{"error":"invalid_client"}', { status: 401 }));

    expect(await failureOf(auth.getAccessToken())).toMatchObject({
      code: 'refused',
      reason: 'invalid_client',
      message: expect.stringContaining('Check clientId, redirectUri and baseUrl'),
    });
    expect(auth.user?.id).toBe('user_ada');
  });

  test('causes an error that does not contain a token from the response', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();
    service.time += 300_000;
    service.mishaps.push(
      () =>
        new Response(JSON.stringify({ error: 'invalid_client', error_description: 'no refresh_2' }), {
          status: 401,
        }),
    );

    const error = await failureOf(auth.getAccessToken());

    expect(`${error} ${JSON.stringify(error)}`).not.toContain('refresh_2');
  });
});

test('a renewal that requires a sign-in step ends the session', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();
  service.mishaps.push(() =>
    Response.json({ code: 'retina_scan_required', pending_authentication_token: 'pending_01' }, { status: 401 }),
  );

  const error = await failureOf(auth.getAccessToken({ forceRefresh: true }));

  expect(error).toMatchObject({ code: 'signed_out', reason: 'sign_in_step_required' });
  expect(auth.session).toBeNull();
});

describe('an organization switch', () => {
  test("renews the session with the user's role and permissions in the new organization", async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();

    const result = await auth.switchOrganization('org_42');

    expect(result).toMatchObject({
      status: 'switched',
      session: { organizationId: 'org_42', role: 'admin', permissions: ['reports:read'] },
    });
    expect(auth.session?.organizationId).toBe('org_42');
    expect(service.requests.at(-1)!.body).toMatchObject({ grant_type: 'refresh_token', organization_id: 'org_42' });
  });

  test('fails without ending the session if the organization requires single sign-on', async () => {
    const { signedIn } = app();
    const { auth } = await signedIn();

    expect(await auth.switchOrganization('org_closed')).toMatchObject({
      status: 'refused',
      session: { organizationId: null, user: { id: 'user_ada' } },
      reason: 'sso_required',
      message: expect.stringContaining('pass its organizationId'),
    });
    expect(auth.session?.organizationId).toBeNull();
    expect(await auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
  });

  test('can be retried if the service does not respond', async () => {
    const { signedIn, service } = app();
    const { auth } = await signedIn();

    expect(await failing(service, lost, () => auth.switchOrganization('org_42'))).toMatchObject({
      status: 'retry_later',
      session: { organizationId: null, user: { id: 'user_ada' } },
      reason: 'network_error',
    });
    expect(await auth.switchOrganization('org_42')).toMatchObject({ status: 'switched' });
    expect(service.rotations).toBe(1);
  });

  test('waits for a running refresh', async () => {
    const { signedIn, service } = app({ environment: { locks: undefined } });
    const { auth } = await signedIn();
    service.time += 300_000;

    const [token, result] = await Promise.all([auth.getAccessToken(), auth.switchOrganization('org_42')]);

    expect(token).toMatch(/^ey/);
    expect(result).toMatchObject({ status: 'switched' });
    expect(auth.session?.organizationId).toBe('org_42');
  });

  test('does nothing without a signed-in user', async () => {
    const { auth } = app().open();

    expect(await auth.switchOrganization('org_42')).toEqual({
      status: 'signed_out',
      session: null,
      reason: 'no_session',
    });
  });
});

test('a response that never ends is canceled after a mebibyte, and the user stays signed in', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();
  service.time += 300_000;
  let sent = 0;
  let cancellations = 0;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
      cancel() {
        cancellations++;
      },
    });

  const result = await failing(
    service,
    () => new Response(endless()),
    () => auth.restore(),
  );

  expect(result).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
  expect(cancellations).toBe(2);
  expect(sent).toBeLessThan(2 * 1_300_000);
  expect(await auth.restore()).toMatchObject({ status: 'signed_in' });
});

test('a response without a body stream is rejected if the text is longer than a mebibyte', async () => {
  const { signedIn, service } = app();
  const { auth } = await signedIn();
  const withoutStream = (response: Response, padding = ''): Response =>
    // The parts of a response that replacements of fetch have.
    ({
      ok: response.ok,
      status: response.status,
      headers: response.headers,
      body: {},
      text: async () => (await response.text()) + padding,
    }) as unknown as Response;
  service.mishaps.push((answer) => withoutStream(answer()));

  expect(await auth.getAccessToken({ forceRefresh: true })).toMatch(/^ey/);
  const tooLong: Mishap = (answer) => withoutStream(answer(), ' '.repeat(1_100_000));
  const call = () => failureOf(auth.getAccessToken({ forceRefresh: true }));
  expect(await failing(service, tooLong, call)).toMatchObject({ code: 'retry_later', reason: 'unexpected_answer' });
});
