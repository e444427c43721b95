import { inspect } from 'node:util';
import { BrowserError, createServerSession, type ServerSessionOptions } from 'sallyport/browser';
import { type ProtectOptions, withSession } from 'sallyport/session';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { deferred } from '../deferred.js';
import { signedIn } from '../session/signed-in.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A page of an application, and the server that has its session. */
async function page(
  options: ServerSessionOptions = {},
  routes: ProtectOptions['routes'] = { session: '/session', accessToken: '/session/token' },
) {
  const world = await signedIn();
  const { emulator, jar } = world;
  vi.useFakeTimers({ now: emulator.clock.now(), toFake: ['Date'] });
  const server = withSession(world.sessions(), () => new Response('another page'), { routes });
  const network = {
    requests: [] as string[],
    status: 0,
    reachable: true,
    held: undefined as Promise<void> | undefined,
  };
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const { held } = network;
    network.requests.push(`${init.method ?? 'GET'} ${path}`);
    if (!network.reachable) throw new TypeError('Failed to fetch');
    if (network.status) return new Response('{"error":"out_of_order"}', { status: network.status });
    const headers = new Headers(init.headers);
    headers.set('sec-fetch-site', 'same-origin');
    headers.set('cookie', jar.header);
    const response = await server(new Request(new URL(path, 'https://app.test'), { ...init, headers }));
    jar.keep(response.headers);
    response.headers.set('date', new Date(emulator.clock.now()).toUTCString());
    await held;
    return response;
  });
  const later = async (minutes: number): Promise<void> => {
    await emulator.clock.advance(`${minutes}m`);
    vi.setSystemTime(Date.now() + minutes * 60_000);
  };
  const auth = createServerSession({ refreshFrom: '/session', accessTokenFrom: '/session/token', ...options });
  return { ...world, auth, network, later };
}

const thrownBy = async (task: Promise<unknown>): Promise<unknown> =>
  task.then(
    () => undefined,
    (error) => error,
  );

describe('a server session', () => {
  test('is loading before the first refresh, and never contains an access token', async () => {
    const { auth, tokens } = await page();
    const before = auth.getSnapshot();

    await auth.refresh();
    await auth.getAccessToken();

    const state = auth.getSnapshot();
    expect(before).toEqual({ status: 'loading', session: null, problem: null });
    expect(state).toMatchObject({ status: 'signed_in', session: { user: { email: 'ada@example.com' } } });
    expect(auth.getSnapshot()).toBe(state);
    for (const shown of [inspect(auth, { depth: 9 }), JSON.stringify(state), inspect(state, { depth: 9 })])
      expect(shown).not.toContain(tokens.accessToken);
  });

  test("contains the user's permissions, but not the claims of the access token", async () => {
    const { auth } = await page();

    await auth.refresh();

    const { session } = auth.getSnapshot();
    expect(session).not.toHaveProperty('claims');
    expect([session?.permissions, session?.has({ permission: 'reports:read' })]).toEqual([[], false]);
  });

  test('ends when the server reports the revocation', async () => {
    const { auth, jar, sallyport, later } = await page();
    await auth.refresh();
    await sallyport.userManagement.revokeSession({ sessionId: auth.getSnapshot().session!.sessionId });
    await later(6);

    await auth.refresh();

    expect(auth.getSnapshot()).toEqual({ status: 'signed_out', session: null, problem: null });
    expect(jar.names).toEqual([]);
  });

  test('continues during an outage, and reports a problem with the status code', async () => {
    const { auth, emulator, later } = await page();
    await auth.refresh();
    const { session } = auth.getSnapshot();
    emulator.failNext('userManagement.authenticateWithRefreshToken', { status: 503, times: 10 });
    await later(6);

    await auth.refresh();

    expect(auth.getSnapshot()).toEqual({
      status: 'signed_in',
      session,
      problem: {
        reason: 'service_unavailable',
        message:
          '/session answered with status 503, not with the session as JSON, or null. The session stays as it was; call refresh() later',
      },
    });
  });

  test('rejects an unknown option', () => {
    expect(() => createServerSession({ accessTokenForm: '/session/token' } as object)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('accessTokenForm') }),
    );
  });
});

describe('an access token from the token route', () => {
  test('is fetched only once for concurrent callers, and cached until a renewal is due', async () => {
    const { auth, network, later, tokens } = await page();

    const first = await Promise.all([auth.getAccessToken(), auth.getAccessToken()]);
    await later(4);
    const kept = await auth.getAccessToken();
    await later(0.6);
    const renewed = await auth.getAccessToken();

    expect([...first, kept]).toEqual([tokens.accessToken, tokens.accessToken, tokens.accessToken]);
    expect(renewed).not.toBe(tokens.accessToken);
    expect(network.requests).toEqual(['POST /session/token', 'POST /session/token']);
  });

  test("is cached until a renewal is due, even if the device's clock is a day behind", async () => {
    const { auth, network, later } = await page();
    vi.setSystemTime(Date.now() - 86_400_000);

    await auth.getAccessToken();
    await later(4);
    await auth.getAccessToken();
    await later(1);
    await auth.getAccessToken();

    expect(network.requests).toHaveLength(2);
  });

  test('is renewed if the option forceRefresh is set', async () => {
    const { auth, tokens, rotations } = await page();

    const renewed = await auth.getAccessToken({ forceRefresh: true });

    expect(renewed).not.toBe(tokens.accessToken);
    expect(await auth.getAccessToken()).toBe(renewed);
    expect(rotations()).toBe(1);
  });

  test('is used during a server outage until the token expires', async () => {
    const { auth, network, later, tokens } = await page();
    await auth.getAccessToken();
    network.status = 503;
    await later(4.6);
    const kept = await auth.getAccessToken();
    network.reachable = false;
    const keptOffline = await auth.getAccessToken();
    await later(1);

    const error = await thrownBy(auth.getAccessToken());

    expect([kept, keptOffline]).toEqual([tokens.accessToken, tokens.accessToken]);
    expect(error).toBeInstanceOf(BrowserError);
    expect(error).toMatchObject({ code: 'retry_later', reason: 'network_error', retryAfterMs: 1_000 });
  });

  test('is discarded when the session ends', async () => {
    const { auth, jar, sallyport, later } = await page();
    await auth.refresh();
    await auth.getAccessToken();
    const { sessionId } = auth.getSnapshot().session!;
    await sallyport.userManagement.revokeSession({ sessionId });
    await later(6);

    const error = await thrownBy(auth.getAccessToken());

    expect(error).toMatchObject({ code: 'signed_out', reason: 'no_session' });
    expect(auth.getSnapshot()).toEqual({ status: 'signed_out', session: null, problem: null });
    expect(jar.names).toEqual([]);
  });

  test('is not returned after a different user has signed in', async () => {
    const { auth, jar, sallyport, sessions } = await page();
    await auth.refresh();
    const first = await auth.getAccessToken();
    await sallyport.userManagement.createUser({
      email: 'grace@example.com',
      password: 'compiler-and-cobol',
      emailVerified: true,
    });
    const other = await sallyport.userManagement.authenticateWithPassword({
      email: 'grace@example.com',
      password: 'compiler-and-cobol',
    });
    jar.keep(await sessions().create(other, jar.request));
    await auth.refresh();

    const second = await auth.getAccessToken();

    expect(auth.getSnapshot().session?.user.email).toBe('grace@example.com');
    expect([second === other.accessToken, first === second]).toEqual([true, false]);
  });

  test('is not used for a session that starts while the token is fetched', async () => {
    const { auth, jar, sallyport, sessions, network } = await page();
    await auth.refresh();
    const grace = { email: 'grace@example.com', password: 'compiler-and-cobol' };
    await sallyport.userManagement.createUser({ ...grace, emailVerified: true });
    const other = await sallyport.userManagement.authenticateWithPassword(grace);
    const { promise: released, resolve: release } = deferred<void>();
    network.held = released;
    const late = auth.getAccessToken();
    network.held = undefined;
    jar.keep(await sessions().create(other, jar.request));
    await auth.refresh();
    const second = auth.getAccessToken();
    release();

    expect(await late).not.toBe(other.accessToken);
    expect([await second, await auth.getAccessToken()]).toEqual([other.accessToken, other.accessToken]);
  });

  test('cannot be fetched if the token route is missing in the client options or on the server', async () => {
    const without = await page({ accessTokenFrom: undefined });
    expect(await thrownBy(without.auth.getAccessToken())).toMatchObject({ code: 'no_access_token_route' });
    vi.unstubAllGlobals();

    const { auth } = await page({}, true);
    expect(await thrownBy(auth.getAccessToken())).toMatchObject({ code: 'retry_later', reason: 'unexpected_answer' });
  });

  test('cannot be fetched in an impersonated session', async () => {
    const { auth, jar, emulator, sallyport, tokens, sessions } = await page();
    const { code } = await emulator.impersonate({ userId: tokens.user.id, email: 'staff@vendor.test' });
    jar.keep(await sessions().create(await sallyport.userManagement.authenticateWithCode({ code }), jar.request));

    const error = await thrownBy(auth.getAccessToken());

    expect(error).toMatchObject({ code: 'refused', reason: 'impersonated' });
    expect(String(error)).toContain('set impersonators in routes.accessToken');
  });
});
