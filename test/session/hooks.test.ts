import { inspect } from 'node:util';
import {
  createSessions,
  type ProtectOptions,
  respond,
  type SessionProblem,
  type SessionsOptions,
  type SignedInTarget,
  withSession,
} from 'sallyport/session';
import { describe, expect, test, vi } from 'vitest';
import { deferred } from '../deferred.js';
import { captureWarnings } from '../runner/warnings.js';
import { settle } from '../time.js';
import { application } from './application.js';
import { Jar } from './jar.js';
import { password, signedIn, tampered } from './signed-in.js';

captureWarnings();

const page = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };

/** An application with hooks, and Ada, who has not signed in yet. */
async function hooked(options: Partial<SessionsOptions>) {
  const problems: SessionProblem[] = [];
  const app = await application({}, { onProblem: (problem) => problems.push(problem), ...options });
  const ada = await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
  const sessionsOfAda = async () => (await app.sallyport.userManagement.listSessions(ada.id)).data;
  return { ...app, ada, problems, sessionsOfAda };
}

describe('onSignedIn', () => {
  test('gets the user and the data of the sign-in before the cookie is set', async () => {
    const onSignedIn = vi.fn<NonNullable<SessionsOptions['onSignedIn']>>();
    const { signIn, ada } = await hooked({ onSignedIn });

    const result = await signIn({ returnTo: '/reports', data: { campaign: 'spring', seats: [1, 2] } });

    expect(result).toMatchObject({
      status: 'signed_in',
      returnTo: '/reports',
      data: { campaign: 'spring', seats: [1, 2] },
    });
    expect(onSignedIn).toHaveBeenCalledOnce();
    const [event] = onSignedIn.mock.calls[0]!;
    expect(event).toMatchObject({
      session: { userId: ada.id },
      returnTo: '/reports',
      data: { campaign: 'spring', seats: [1, 2] },
      oauthTokens: null,
    });
    expect(event.signal.aborted).toBe(false);
  });

  test("gets the provider's OAuth tokens, which finishSignIn does not return", async () => {
    const given = { provider: 'GoogleOAuth', accessToken: 'ya29.of-google', refreshToken: '1//of-google' };
    const recordSignOuts: unknown[] = [];
    const { signIn, tamper, browser } = await hooked({
      onSignedIn: ({ oauthTokens }) => void recordSignOuts.push(oauthTokens),
    });
    tamper(async (send) => {
      const answer = await (await send()).json();
      const tokens = { access_token: given.accessToken, refresh_token: given.refreshToken, expires_at: 1, scopes: [] };
      return Response.json({ ...answer, oauth_tokens: { provider: given.provider, ...tokens } });
    });

    const result = await signIn();

    expect(recordSignOuts).toEqual([expect.objectContaining(given)]);
    expect(inspect(result, { depth: 9 }) + JSON.stringify(result)).not.toContain('of-google');
    expect(result.status === 'signed_in' && result.tokens.oauthTokens).toBeUndefined();
    expect(browser.header).not.toContain('of-google');
  });

  test.each<[string, SignedInTarget, string]>([
    ['redirects to the requested page by default', undefined, '/reports'],
    ['redirects to a returned path', '/welcome?first=1', '/welcome?first=1'],
    ['cannot redirect to another site by returning a string', 'https://evil.test/', '/'],
    ['cannot redirect to a path that browsers treat as another site', '//evil.test', '/'],
    [
      'redirects to an allowed site',
      { redirectTo: 'https://shop.test/cart', allow: ['https://shop.test'] },
      'https://shop.test/cart',
    ],
    [
      'cannot redirect to a site that is not allowed',
      { redirectTo: 'https://evil.test/', allow: ['https://shop.test'] },
      '/',
    ],
    [
      'cannot redirect to a site whose name only begins with an allowed name',
      { redirectTo: 'https://shop.test.evil.test/', allow: ['https://shop.test'] },
      '/',
    ],
    ['cannot redirect to a javascript: URL', { redirectTo: 'javascript:alert(1)', allow: ['https://shop.test'] }, '/'],
    ['redirects to a path in a returned object', { redirectTo: '/welcome', allow: [] }, '/welcome'],
  ])('%s', async (_, target, location) => {
    const { signIn } = await hooked({ onSignedIn: () => target });

    const result = await signIn({ returnTo: '/reports' });

    expect([result.status, result.headers.get('location'), result.status === 'signed_in' && result.returnTo]).toEqual([
      'signed_in',
      location,
      location,
    ]);
  });

  test('cancels the sign-in and revokes the new session if the hook throws', async () => {
    const { signIn, browser, problems, sessionsOfAda, finish, start, approve } = await hooked({
      onSignedIn: ({ session }) => {
        throw new Error(`The database refuses ${session.user.email}`);
      },
    });

    const result = await signIn({ returnTo: '/reports' });
    const response = respond(result);

    expect(result).toMatchObject({ status: 'failed', reason: 'hook_failed', session: null, returnTo: '/reports' });
    expect([response.status, browser.names]).toEqual([500, []]);
    expect((await sessionsOfAda()).map(({ status }) => status)).toEqual(['revoked']);
    await expect.poll(() => problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      code: 'hook_failed',
      message: expect.stringContaining('onSignedIn failed: The database refuses ada@example.com'),
    });
    // The page is loaded again after the flow has ended.
    const url = await approve(await start());
    const first = await finish(url);
    const again = await finish(url);
    expect([first.status, again.status, again.status === 'failed' && again.reason]).toEqual([
      'failed',
      'failed',
      'no_pending_flow',
    ]);
  });

  test('does not end the previous session if the hook throws', async () => {
    let fails = false;
    const { signIn, sessions, browser, ada } = await hooked({
      onSignedIn: () => {
        if (fails) throw new Error('down');
      },
    });
    await signIn();
    const before = browser.header;
    fails = true;

    await signIn();

    expect(browser.header).toBe(before);
    expect((await sessions.handle(browser.request)).session?.userId).toBe(ada.id);
  });

  test('gets a signal that is aborted after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let reason: unknown;
    const { promise: started, resolve: start } = deferred<void>();
    const { signIn, sessionsOfAda } = await hooked({
      onSignedIn: ({ signal }) => {
        start();
        return new Promise<undefined>(() => signal.addEventListener('abort', () => (reason = signal.reason)));
      },
    });
    const finished = signIn();
    await started;

    await vi.advanceTimersByTimeAsync(10_000);
    const result = await finished;
    vi.useRealTimers();

    expect(result).toMatchObject({ status: 'failed', reason: 'hook_failed' });
    expect(String(reason)).toContain('timed out after 10000 ms');
    expect((await sessionsOfAda()).map(({ status }) => status)).toEqual(['revoked']);
  });

  test('can throw an error that contains tokens, but problem reports omit the tokens', async () => {
    const secrets: string[] = [];
    const problems: SessionProblem[] = [];
    const app = await application({}, { onProblem: (problem) => problems.push(problem) });
    await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
    app.tamper(async (send) => {
      const answer = await (await send()).json();
      secrets.push(answer.access_token, answer.refresh_token);
      return Response.json(answer);
    });
    const sessions = createSessions({
      ...app.emulator.credentials,
      cookiePassword: password,
      redirectUri: 'http://localhost:3000/callback',
      now: () => app.emulator.clock.now(),
      fetch: tampered(app.emulator, async (send) => {
        const answer = await (await send()).json();
        secrets.push(answer.access_token, answer.refresh_token);
        return Response.json(answer);
      }),
      onProblem: (problem) => problems.push(problem),
      onSignedIn: () => {
        throw Object.assign(new Error(`cannot store ${secrets.join(' ')}`), { tokens: secrets });
      },
    });
    const browser = new Jar();
    const started = await sessions.startSignIn({ headers: page }, { loginHint: 'ada@example.com' });
    browser.keep(started.headers);
    const url = await app.approve(started.status === 'redirect' ? started.location : '');

    const result = await sessions.finishSignIn({ url, headers: { ...page, ...browser.headers } });

    expect(secrets).toHaveLength(2);
    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['hook_failed']);
    for (const shown of [result, problems])
      for (const secret of secrets) expect(inspect(shown, { depth: 9 }) + JSON.stringify(shown)).not.toContain(secret);
  });
});

describe('the data passed to a sign-in', () => {
  test('is returned once, to the sign-in with the matching state', async () => {
    const { start, approve, finish } = await hooked({});
    const first = await approve(await start({ data: 'first' }));
    const second = await approve(await start({ data: { of: 'second' } }));

    const secondResult = await finish(second);
    const firstResult = await finish(first);
    const again = await finish(first);

    expect([secondResult, firstResult].map((result) => result.status === 'signed_in' && result.data)).toEqual([
      { of: 'second' },
      'first',
    ]);
    expect(again).not.toHaveProperty('data');
  });

  test.each<[string, unknown]>([
    ['more than 1,024 bytes', 'é'.repeat(512)],
    ['more than 16 levels of nesting', JSON.parse(`${'['.repeat(17)}${']'.repeat(17)}`)],
    [
      'a circular reference',
      Object.assign([] as unknown[], {
        0: undefined,
        toJSON: () => {
          throw new Error('circle');
        },
      }),
    ],
    ['a function', () => 1],
    ['a bigint', 1n],
  ])('must not contain %s', async (_, data) => {
    const { sessions } = await hooked({});

    await expect(sessions.startSignIn({ headers: page }, { data })).rejects.toMatchObject({
      code: 'invalid_argument',
      argument: 'data',
    });
  });

  test('can contain 1,024 bytes or 16 levels of nesting', async () => {
    const { signIn } = await hooked({});
    const deep = JSON.parse(`${'['.repeat(16)}${']'.repeat(16)}`);

    const large = await signIn({ data: 'x'.repeat(1_022) });
    const nested = await signIn({ data: deep });

    expect([large, nested].map((result) => result.status === 'signed_in' && result.data)).toEqual([
      'x'.repeat(1_022),
      deep,
    ]);
  });

  test('can contain 1,000 bytes in each of two pending sign-ins', async () => {
    const { start, approve, finish } = await hooked({});
    const [first, second] = [
      await approve(await start({ data: 'a'.repeat(1_000) })),
      await approve(await start({ data: 'b'.repeat(1_000) })),
    ];

    expect(await finish(first)).toMatchObject({ status: 'signed_in', data: 'a'.repeat(1_000) });
    expect(await finish(second)).toMatchObject({ status: 'signed_in', data: 'b'.repeat(1_000) });
  });
});

describe('onRefreshed', () => {
  test('runs once for ten concurrent requests, and its errors are reported', async () => {
    const problems: SessionProblem[] = [];
    let started = 0;
    const { promise: held, resolve: release } = deferred<void>();
    const { sessions, jar, emulator, tokens, rotations } = await signedIn();
    const own = sessions({
      onProblem: (problem) => problems.push(problem),
      async onRefreshed({ session }) {
        started++;
        await held;
        throw new Error(`no row for ${session.userId}`);
      },
    });
    await emulator.clock.advance('6m');

    const results = await Promise.all(Array.from({ length: 10 }, () => own.handle(jar.request)));
    const reported = problems.length;
    release();
    await expect.poll(() => problems).toHaveLength(1);

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['refreshed']));
    expect([started, rotations(), reported]).toEqual([1, 1, 0]);
    expect(problems[0]).toMatchObject({
      code: 'hook_failed',
      message: expect.stringContaining(`no row for ${tokens.user.id}`),
    });
  });

  test('keeps the runtime alive through waitUntil until the hook has finished', async () => {
    let isOver = false;
    const onRefreshed = vi.fn(async () => {
      await settle();
      isOver = true;
    });
    const { sessions, jar, emulator } = await signedIn();
    const own = sessions({ onRefreshed });
    const kept: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>) => void kept.push(promise);
    await own.handle(jar.request, { waitUntil });
    await emulator.clock.advance('6m');
    await own.handle(jar.request, { waitUntil });
    await Promise.all(kept);

    expect(onRefreshed).toHaveBeenCalledOnce();
    expect(isOver).toBe(true);
  });
});

describe('onSignedOut', () => {
  const seen = () => {
    const events: unknown[] = [];
    const onSignedOut: SessionsOptions['onSignedOut'] = ({ signal, ...event }) => void events.push(event);
    return { events, onSignedOut };
  };

  test('runs after a sign-out', async () => {
    const { events, onSignedOut } = seen();
    const { sessions, jar, tokens } = await signedIn();
    const own = sessions({ onSignedOut });
    const { session } = await own.read(jar.header);

    await own.signOut(jar.request);
    await own.signOut({ headers: {} });

    expect(events).toEqual([{ reason: 'sign_out', userId: tokens.user.id, sessionId: session?.sessionId }]);
  });

  test('runs after the service or a limit has ended a session, but not for an invalid cookie', async () => {
    const { events, onSignedOut } = seen();
    const { sessions, jar, emulator, tokens, sallyport } = await signedIn();
    const own = sessions({ onSignedOut });
    const limited = sessions({ onSignedOut, limits: { lifetimeMs: 60_000 } });
    const { sessionId } = (await own.read(jar.header)).session!;
    await emulator.clock.advance('2m');
    const byLimit = await limited.handle(jar.request);
    await sallyport.userManagement.revokeSession({ sessionId });
    await emulator.clock.advance('6m');

    const ended = await own.handle(jar.request);
    await own.handle({ headers: { cookie: 'sallyport-session=nonsense' } });

    const who = { userId: tokens.user.id, sessionId };
    expect([byLimit.status, ended.status]).toEqual(['signed_out', 'signed_out']);
    expect(events).toEqual([
      { reason: 'lifetime', ...who },
      { reason: 'invalid_grant', ...who },
    ]);
  });

  test('does not prevent the cookies from being cleared if the hook throws', async () => {
    const problems: SessionProblem[] = [];
    const { sessions, jar } = await signedIn();
    const own = sessions({
      onProblem: (problem) => problems.push(problem),
      onSignedOut: () => {
        throw new Error('audit log is down');
      },
    });

    const { headers } = await own.signOut(jar.request);
    jar.keep(headers);

    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['hook_failed']);
    expect(jar.names).toEqual([]);
  });
});

describe('hooks', () => {
  test('must be functions', async () => {
    const { sessions } = await signedIn();

    expect(() => sessions({ onSignedIn: 'later' as never })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringContaining('onSignedIn must be a function'),
      }),
    );
  });
});

test.each<[ProtectOptions['routes'], string]>([
  [true, '/sign-up?return_to=/welcome'],
  [{ signUp: '/join' }, '/join?return_to=/welcome'],
])('a sign-up starts at the sign-up path if the routes option is %j', async (routes, path) => {
  const { sessions } = await application();
  const handler = withSession(sessions, () => new Response('the application'), { routes });

  const response = await handler(new Request(new URL(path, 'http://localhost:3000'), { headers: page }));

  expect(new URL(response.headers.get('location') ?? '').searchParams.get('screen_hint')).toBe('sign-up');
});
