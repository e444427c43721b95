import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../deferred.js';
import { captureWarnings } from '../runner/warnings.js';
import { stranger } from './issuer.js';
import { Jar } from './jar.js';
import { ada, password, replica, signedIn, tampered } from './signed-in.js';

captureWarnings();

const other = 'another-password-of-32-characters!';
const rotated = [
  { id: '2', secret: other },
  { id: '1', secret: password },
];

/** The operation that refreshes a session. */
const refresh = 'userManagement.authenticateWithRefreshToken';

/** The idempotency keys and bodies of the requests that pass through. */
function recorder() {
  const seen: { readonly key: string | null; readonly body: string }[] = [];
  return {
    seen,
    record: async (send: () => Promise<Response>, request: Request) => {
      seen.push({ key: request.headers.get('idempotency-key'), body: await request.clone().text() });
      return send();
    },
  };
}

describe('an expired session', () => {
  test('is refreshed and gets a new valid cookie', async () => {
    const { sessions, jar, emulator, rotations, tokens } = await signedIn();
    emulator.clock.advance('6m');

    const result = await sessions().handle(jar.request);
    const old = jar.header;
    jar.keep(result.headers);

    expect(result).toMatchObject({ status: 'refreshed', session: { user: { id: tokens.user.id, firstName: 'Ada' } } });
    expect(result.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^sallyport-session=Fe26\.2\*1\*[^;]+~2; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
      ),
    ]);
    expect(jar.header).not.toBe(old);
    expect((await sessions().handle(jar.request)).status).toBe('active');
    expect(rotations()).toBe(1);
  });

  test('is refreshed even if iat in the token is later than exp', async () => {
    const { sessions, jar, tokens } = await signedIn();
    const { sub, sid, exp } = JSON.parse(atob(tokens.accessToken.split('.')[1]!));
    const accessToken = stranger.token({ sub, sid, exp, iat: exp + 100 });
    jar.keep(await sessions().create({ ...tokens, accessToken }));

    const result = await sessions().handle(jar.request);

    expect(result).toMatchObject({ status: 'refreshed', session: { userId: sub } });
  });

  test('that was revoked is reported as signed out, and the cookie is cleared', async () => {
    const { sessions, jar, emulator, sallyport, tokens } = await signedIn();
    const { sid } = JSON.parse(atob(tokens.accessToken.split('.')[1]!));
    await sallyport.userManagement.revokeSession({ sessionId: sid });
    emulator.clock.advance('6m');

    const result = await sessions().handle(jar.request);
    jar.keep(result.headers);

    expect(result).toMatchObject({ status: 'signed_out', session: null, reason: 'invalid_grant' });
    expect(jar.names).toEqual([]);
  });

  test('with an expired refresh token is reported as signed out', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('31d');

    const result = await sessions().handle(jar.request);

    expect(result).toMatchObject({ status: 'signed_out', reason: 'invalid_grant' });
  });

  test.each([
    ['sso_required', 400],
    ['mfa_enrollment', 403],
    ['organization_authentication_methods_required', 400],
    ['user_not_organization_member', 403],
  ])('is reported as signed out if the service rejects the refresh with the code %s', async (code, status) => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const fetch = tampered(emulator, async () =>
      Response.json({ [status === 400 ? 'error' : 'code']: code, message: 'Sign in again' }, { status }),
    );

    const result = await sessions({ fetch }).handle(jar.request);

    expect(result).toMatchObject({ status: 'signed_out', reason: code });
    expect(result.headers.getSetCookie()[0]).toContain('Max-Age=0');
  });

  test.each([400, 401, 403, 422])(
    'is reported as signed out if a response with status %s requires an unknown sign-in step',
    async (status) => {
      const { sessions, jar, emulator } = await signedIn();
      emulator.clock.advance('6m');
      const body = { code: 'radar_challenge', pending_authentication_token: 'pending_01' };
      const fetch = tampered(emulator, async () => Response.json(body, { status }));

      const result = await sessions({ fetch }).handle(jar.request);

      expect(result).toMatchObject({ status: 'signed_out', reason: 'sign_in_step_required' });
      expect(result.headers.getSetCookie()[0]).toContain('Max-Age=0');
    },
  );

  test('is kept if the service rejects the refresh with an unknown code', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const body = { code: 'radar_challenge', pending_authentication_token: null };
    const fetch = tampered(emulator, async () => Response.json(body, { status: 403 }));

    const result = await sessions({ fetch }).handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'service_refused' });
    expect(result.headers.getSetCookie()).toEqual([]);
  });
});

describe('an early refresh', () => {
  test('starts 30 seconds before the token expires', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    emulator.clock.advance('269s');
    const early = await sessions().handle(jar.request);
    emulator.clock.advance('2s');

    const due = await sessions().handle(jar.request);

    expect([early.status, due.status]).toEqual(['active', 'refreshed']);
    expect(rotations()).toBe(1);
  });

  test('starts after half the lifetime of a short token', async () => {
    const { sessions, jar, emulator } = await signedIn({ accessTokenLifetimeMs: 20_000 });
    emulator.clock.advance('9s');
    const early = await sessions().handle(jar.request);
    emulator.clock.advance('2s');

    const due = await sessions().handle(jar.request);

    expect([early.status, due.status]).toEqual(['active', 'refreshed']);
  });

  test('can be disabled with aheadMs: 0', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('299s');

    const result = await sessions({ refresh: { aheadMs: 0 } }).handle(jar.request);

    expect(result.status).toBe('active');
  });

  test('delays a request by at most one second', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('285s');
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { promise: isAsked, resolve: called } = deferred<void>();
    const fetch = tampered(emulator, () => {
      called();
      return new Promise(() => undefined);
    });

    const handled = sessions({ fetch }).handle(jar.request);
    await isAsked;
    await vi.advanceTimersByTimeAsync(1_000);

    expect((await handled).status).toBe('active');
  });

  test('leaves the session active if the service fails', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('280s');
    await emulator.faults.add({ operation: refresh, status: 503 });

    const result = await sessions({ refresh: { maxRetries: 0 } }).handle(jar.request);

    expect(result.status).toBe('active');
    expect([...result.headers]).toEqual([]);
  });

  test('leaves a revoked session active until the token expires', async () => {
    const { sessions, jar, emulator, sallyport, tokens } = await signedIn();
    const { sid } = JSON.parse(atob(tokens.accessToken.split('.')[1]!));
    await sallyport.userManagement.revokeSession({ sessionId: sid });
    emulator.clock.advance('280s');

    const ahead = await sessions().handle(jar.request);
    emulator.clock.advance('26s');
    const after = await sessions().handle(jar.request);

    expect([ahead.status, after.status]).toEqual(['active', 'signed_out']);
  });
});

describe('concurrent requests', () => {
  test('to several instances in one process share one refresh', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const { seen, record } = recorder();
    const fetch = tampered(emulator, record);
    emulator.clock.advance('6m');
    const [a, b] = [sessions({ fetch }), sessions({ fetch })];

    const results = await Promise.all([a, b, a, b].map((one) => one.handle(jar.request)));

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed', 'refreshed']);
    expect(seen).toHaveLength(1);
    expect(rotations()).toBe(1);
  });

  test('to several replicas use one idempotency key and receive equal tokens', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const { seen, record } = recorder();
    emulator.clock.advance('6m');
    // A separate fetch represents a separate process.
    const replicas = [1, 2, 3].map(() => sessions({ fetch: tampered(emulator, record) }));

    const results = await Promise.all(replicas.map((one) => one.handle(jar.request)));

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed']);
    expect(new Set(results.map(({ session }) => session?.claims.jti)).size).toBe(1);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    expect(rotations()).toBe(1);
  });

  test('to replicas that use different passwords for new seals share one refresh', async () => {
    const world = await signedIn();
    const { jar, emulator, rotations } = world;
    emulator.clock.advance('6m');
    const [before, after] = [
      replica(world, { cookiePassword: rotated.toReversed() }),
      replica(world, { cookiePassword: rotated }),
    ];

    const results = await Promise.all([before.handle(jar.request), after.handle(jar.request)]);

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed']);
    expect(rotations()).toBe(1);
  });

  test('with an original and a resealed cookie share one refresh', async () => {
    const world = await signedIn();
    const { sessions, jar, emulator, rotations } = world;
    const twin = jar.copy();
    twin.keep((await sessions({ cookiePassword: rotated }).handle(twin.request)).headers);
    emulator.clock.advance('6m');

    const both = await Promise.all(
      [jar, twin].map(({ request }) => replica(world, { cookiePassword: rotated }).handle(request)),
    );

    expect(both.map(({ status }) => status)).toEqual(['refreshed', 'refreshed']);
    expect(rotations()).toBe(1);
  });
});

describe('a late request with the old cookie', () => {
  test('gets the refreshed session without a request to the service', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const { seen, record } = recorder();
    const fetch = tampered(emulator, record);
    emulator.clock.advance('6m');
    const first = await sessions({ fetch }).handle(jar.request);
    emulator.clock.advance('29s');

    const late = await sessions({ fetch }).handle(jar.request);

    expect(late.status).toBe('refreshed');
    expect(late.session?.claims.jti).toBe(first.session?.claims.jti);
    expect(seen).toHaveLength(1);
  });

  test('causes a second refresh request after half a minute, but no second token rotation', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const { seen, record } = recorder();
    const fetch = tampered(emulator, record);
    emulator.clock.advance('6m');
    await sessions({ fetch }).handle(jar.request);
    emulator.clock.advance('31s');

    const late = await sessions({ fetch }).handle(jar.request);

    expect(late.status).toBe('refreshed');
    expect(seen).toHaveLength(2);
    expect(rotations()).toBe(1);
  });

  test('gets the current session even after ten later refreshes', async () => {
    const world = await signedIn();
    const { sessions, jar, emulator, rotations } = world;
    const late = jar.copy();
    for (let round = 0; round < 10; round++) {
      emulator.clock.advance('6m');
      jar.keep((await sessions().handle(jar.request)).headers);
    }

    const result = await replica(world).handle(late.request);

    expect(result.status).toBe('refreshed');
    expect(result.session?.claims.jti).toBe((await sessions().handle(jar.request)).session?.claims.jti);
    expect(rotations()).toBe(10);
  });
});

describe('a wrong local clock', () => {
  const hour = 3_600_000;
  const causeOf = (result: object) => ('cause' in result ? String(result.cause) : '');

  test('that is an hour ahead is reported and does not sign the user out', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const ahead = sessions({ now: () => emulator.clock.now() + hour });

    const results = [await ahead.handle(jar.request), await ahead.handle(jar.request)];
    for (let request = 0; request < 20; request++) results.push(await ahead.handle(jar.request));

    for (const result of results) {
      expect(result).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
      expect(causeOf(result)).toContain('The clock of this machine is 3600 seconds ahead of the service');
      expect([...result.headers]).toEqual([]);
    }
    expect(rotations()).toBe(1);
    expect((await sessions().handle(jar.request)).status).toBe('active');
  });

  test('that is an hour ahead causes only one refresh for ten sessions', async () => {
    const { sessions, sallyport, emulator, rotations } = await signedIn();
    const ahead = sessions({ now: () => emulator.clock.now() + hour });
    const jars: Jar[] = [];
    for (let user = 0; user < 10; user++) {
      const jar = new Jar();
      jar.keep(await sessions().create(await sallyport.userManagement.authenticateWithPassword(ada)));
      jars.push(jar);
    }

    for (const jar of jars) expect((await ahead.handle(jar.request)).status).toBe('retry_later');

    expect(rotations()).toBe(1);
  });

  test('is not detected if responses have no Date header, but causes at most two refreshes', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const fetch = tampered(emulator, async (send) => {
      const answer = await send();
      return new Response(answer.body, { status: answer.status });
    });

    const result = await sessions({ fetch, now: () => emulator.clock.now() + hour }).handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
    expect(causeOf(result)).not.toContain('clock');
    expect(rotations()).toBe(2);
  });

  test('that is behind by more than the clock tolerance is mentioned in the error cause', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('10m');
    // It was behind when the session started: its own token has expired by this clock too.
    const behind = sessions({ now: () => emulator.clock.now() - 60_000 });

    const result = await behind.handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
    expect(causeOf(result)).toContain(
      'is not valid: not_yet_valid. The clock of this machine is 60 seconds behind the service',
    );
  });

  test('does not prevent a refresh after the clock is corrected', async () => {
    const { sessions, jar, emulator } = await signedIn();
    let wrong = hour;
    const own = sessions({ now: () => emulator.clock.now() + wrong });
    await own.handle(jar.request);

    wrong = 0;
    emulator.clock.advance('6m');

    expect((await own.handle(jar.request)).status).toBe('refreshed');
  });

  test('that is a few seconds ahead does not prevent a refresh', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('295s');

    const result = await sessions({ now: () => emulator.clock.now() + 10_000 }).handle(jar.request);

    expect(result.status).toBe('refreshed');
  });
});

describe('if the service does not rotate refresh tokens,', () => {
  test('a session can be refreshed repeatedly', async () => {
    const { sessions, jar, emulator } = await signedIn({ rotateRefreshTokens: false });
    const statuses: string[] = [];

    for (let round = 0; round < 4; round++) {
      emulator.clock.advance('6m');
      const result = await sessions().handle(jar.request);
      jar.keep(result.headers);
      statuses.push(result.status);
    }

    expect(statuses).toEqual(['refreshed', 'refreshed', 'refreshed', 'refreshed']);
  });

  test('a late request gets the newest tokens', async () => {
    const { sessions, jar, emulator } = await signedIn({ rotateRefreshTokens: false });
    const late = jar.copy();
    for (let round = 0; round < 3; round++) {
      emulator.clock.advance('6m');
      jar.keep((await sessions().handle(jar.request)).headers);
    }

    const result = await sessions().handle(late.request);

    expect(result.status).toBe('refreshed');
    expect(result.session?.claims.jti).toBe((await sessions().handle(jar.request)).session?.claims.jti);
  });
});

describe('a lost refresh response', () => {
  test('is recovered by a retry with the original idempotency key', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    await emulator.failNext(refresh, { connection: 'reset', carriedOut: true });
    emulator.clock.advance('6m');

    const result = await sessions().handle(jar.request);

    expect(result.status).toBe('refreshed');
    expect(await emulator.requests.list({ operation: refresh })).toHaveLength(2);
    expect(rotations()).toBe(1);
  });

  test('is recovered by a later request', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    await emulator.faults.add({ operation: refresh, connection: 'reset', carriedOut: true });
    emulator.clock.advance('6m');

    const lost = await sessions().handle(jar.request);
    await emulator.faults.clear();
    emulator.clock.advance('2s');
    const found = await sessions().handle(jar.request);

    expect(lost).toMatchObject({ status: 'retry_later', reason: 'network_error' });
    expect(found.status).toBe('refreshed');
    expect(rotations()).toBe(1);
  });
});

describe('a refresh response', () => {
  test.each([
    ['for a different user', (one: Mixed, two: Mixed) => ({ ...one, access_token: two.access_token, user: two.user })],
    [
      'with an access token for a different user',
      (one: Mixed, two: Mixed) => ({ ...one, access_token: two.access_token }),
    ],
    ['with a malformed access token', (one: Mixed) => ({ ...one, access_token: 'abc' })],
    ['without a refresh token', (one: Mixed) => ({ ...one, refresh_token: undefined })],
    ['that is an array', () => ['tokens']],
  ])('%s is rejected', async (_, mix) => {
    const { sessions, jar, emulator, sallyport } = await signedIn();
    const credentials = { email: 'grace@example.com', password: 'flow-matic-1955' };
    await sallyport.userManagement.createUser({ ...credentials, emailVerified: true });
    emulator.clock.advance('6m');
    const grace = await sallyport.userManagement.authenticateWithPassword(credentials);
    const fetch = tampered(emulator, async (send) =>
      Response.json(mix(await (await send()).json(), { access_token: grace.accessToken, user: grace.user })),
    );

    const result = await sessions({ fetch, refresh: { maxRetries: 0 } }).handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', session: null, reason: 'unexpected_answer' });
    expect([...result.headers]).toEqual([]);
  });

  test('for a different session of the user is rejected', async () => {
    const { sessions, jar, emulator, sallyport } = await signedIn();
    emulator.clock.advance('6m');
    const again = await sallyport.userManagement.authenticateWithPassword(ada);
    const fetch = tampered(emulator, async (send) =>
      Response.json({ ...(await (await send()).json()), access_token: again.accessToken }),
    );

    const result = await sessions({ fetch }).handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'unexpected_answer' });
  });

  test('without an impersonator does not remove the impersonator from the session', async () => {
    const { sessions, jar, emulator, tokens } = await signedIn();
    const impersonator = { email: 'support@acme.test', reason: 'ticket 42' };
    jar.keep(await sessions().create({ ...tokens, impersonator }));
    emulator.clock.advance('6m');

    const result = await sessions().handle(jar.request);

    expect(result).toMatchObject({ status: 'refreshed', session: { impersonator } });
  });

  test('that is too large for cookies causes an error that names the largest field', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const fetch = tampered(emulator, async (send) => {
      const { user, ...body } = await (await send()).json();
      return Response.json({ ...body, user: { ...user, metadata: { novel: 'x'.repeat(12_000) } } });
    });

    const result = await sessions({ fetch }).handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'session_too_large', retryAfterMs: 30_000 });
    expect(String((result as { readonly cause?: unknown }).cause)).toContain('user.metadata (12012 bytes)');
  });
});

type Mixed = Readonly<Record<string, unknown>>;
