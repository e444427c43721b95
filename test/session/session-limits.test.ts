import {
  type CookieOptions,
  createSessionReader,
  type SessionLimitsOptions,
  sessionCache,
  withSession,
} from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { application } from './application.js';
import { Jar } from './jar.js';
import { ada, password, signedIn } from './signed-in.js';

const minute = 60_000;
const page = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
const script = { accept: '*/*', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' };
const prefetch = { ...page, 'sec-purpose': 'prefetch' };

/** The cookie with the time of the last activity, as a browser sends it. */
const activityIn = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .find((cookie) => cookie.startsWith('sallyport-session-activity=')) ?? 'none';

/** Ada's session with limits, in a browser. */
async function limited(
  limits: SessionLimitsOptions = { idleMs: 30 * minute, lifetimeMs: 8 * 60 * minute },
  cookie: CookieOptions = {},
) {
  const world = await signedIn();
  const { emulator, jar, tokens } = world;
  const own = world.sessions({ limits, cookie });
  jar.keep(await own.create(tokens));
  const startedAt = emulator.clock.now();
  const ask = async (headers: Readonly<Record<string, string>> = page, method = 'GET') => {
    const result = await own.handle({ method, headers: { ...headers, ...jar.headers } });
    jar.keep(result.headers);
    return result;
  };
  const later = (minutes: number) => emulator.clock.advance(`${minutes}m`);
  return { ...world, own, ask, later, startedAt };
}

describe('a session with an idle limit', () => {
  test('is extended each time its user opens a page', async () => {
    const { ask, later, startedAt } = await limited();

    const first = await ask();
    await later(29);
    const second = await ask();
    await later(29);
    const third = await ask();

    expect(first.session?.endsAtMs).toBe(startedAt + 30 * minute);
    expect(second.session?.endsAtMs).toBe(startedAt + 59 * minute);
    expect(third.session?.endsAtMs).toBe(startedAt + 88 * minute);
  });

  test('stores the activity time in a cookie with the attributes of the session cookie', async () => {
    const cookie = { maxAgeMs: 'session', sameSite: 'none', secure: true, partitioned: true } as const;
    const { ask, later } = await limited(undefined, cookie);
    const attributes = 'Path=/; HttpOnly; Secure; SameSite=None; Partitioned';

    await later(20);
    const active = (await ask()).headers.getSetCookie();
    await later(31);
    const ended = (await ask()).headers.getSetCookie();

    expect(active.map((line) => line.replace(/=[^;]*/, ''))).toEqual([
      `sallyport-session; ${attributes}`,
      `sallyport-session-activity; ${attributes}`,
    ]);
    expect(ended).toEqual([
      `sallyport-session=; ${attributes}; Max-Age=0`,
      `sallyport-session-activity=; ${attributes}; Max-Age=0`,
      `sallyport-session-ended=1; ${attributes}`,
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['prefetches', prefetch, 'GET'],
    ['data requests from scripts', script, 'GET'],
    ['requests from programs', {}, 'GET'],
    ['preflights', script, 'OPTIONS'],
  ])('is not extended by %s', async (_, headers, method) => {
    const { ask, later } = await limited();
    await later(20);
    const before = await ask(headers, method);
    await later(10);

    const after = await ask();

    expect(before.session).not.toBeNull();
    expect(after).toMatchObject({ status: 'signed_out', reason: 'idle', session: null });
  });

  test('is extended by a POST request from a script', async () => {
    const { ask, later } = await limited();
    await later(20);
    await ask(script, 'POST');
    await later(20);

    expect((await ask()).session).not.toBeNull();
  });

  test('ends exactly at the limit, and the next request clears the cookies without a refresh', async () => {
    const { ask, later, emulator, jar, rotations } = await limited();
    await later(10);
    await ask();
    const names = jar.names;
    await emulator.clock.advance(30 * minute - 1);
    const last = await ask(script);
    const refreshed = rotations();
    await emulator.clock.advance(1);

    const ended = await ask();

    expect(names).toEqual(['sallyport-session', 'sallyport-session-activity']);
    expect(last.session).not.toBeNull();
    expect(ended).toMatchObject({ status: 'signed_out', reason: 'idle' });
    expect(jar.names).toEqual(['sallyport-session-ended']);
    expect(rotations()).toBe(refreshed);
  });

  test('updates the activity cookie at most once a minute, and at most twenty times per idle limit', async () => {
    const { ask, emulator } = await limited({ idleMs: 60 * minute });
    const written: boolean[] = [];
    for (const seconds of [179, 1, 179, 1]) {
      await emulator.clock.advance(seconds * 1_000);
      written.push((await ask()).headers.getSetCookie().some((line) => line.startsWith('sallyport-session-activity=')));
    }

    const short = await limited({ idleMs: 2 * minute });
    const early: boolean[] = [];
    for (const seconds of [59, 1]) {
      await short.emulator.clock.advance(seconds * 1_000);
      early.push((await short.ask()).headers.getSetCookie().length > 0);
    }

    expect(written).toEqual([false, true, false, true]);
    expect(early).toEqual([false, true]);
  });

  test('uses the later of two activity cookies, regardless of their order', async () => {
    const { ask, later, own, jar, startedAt } = await limited();
    await later(5);
    await ask();
    const [session, early] = jar.header.split('; ');
    await later(10);
    await ask();
    const late = jar.header.split('; ')[1];

    for (const cookie of [`${session}; ${early}; ${late}`, `${session}; ${late}; ${early}`])
      expect((await own.read(cookie)).session?.endsAtMs).toBe(startedAt + 45 * minute);
  });

  test('is extended only by an activity cookie that belongs to the session and is sealed with the right password', async () => {
    const { ask, own, jar, later, tokens, sallyport, sessions, emulator } = await limited();
    const limits = { idleMs: 30 * minute };
    const forger = sessions({ cookiePassword: 'another-password-of-32-characters!', limits });
    const forged = new Jar();
    forged.keep(await forger.create(tokens));
    await later(4);
    const forgery = activityIn((await forger.handle({ headers: { ...page, ...forged.headers } })).headers);
    await ask();
    const [session] = jar.header.split('; ');
    await later(28);
    const other = new Jar();
    const signedInAgain = await sallyport.userManagement.authenticateWithPassword(ada);
    other.keep(await own.create(signedInAgain));
    await later(2 - 1 / 60);
    const foreign = activityIn((await own.handle({ headers: { ...page, ...other.headers } })).headers);

    expect([forgery, foreign].map((cookie) => cookie.split('=')[0])).toEqual([
      'sallyport-session-activity',
      'sallyport-session-activity',
    ]);
    for (const cookie of [session, `${session}; ${foreign}`, `${session}; ${forgery}`])
      expect(await own.read(cookie)).toMatchObject({ status: 'signed_out', reason: 'idle' });
    expect((await own.read(jar.header)).session?.endsAtMs).toBe(emulator.clock.now() + 1_000);
  });

  test('is not extended by a sign-out', async () => {
    const { own, jar, later } = await limited();
    const handler = withSession(own, async (request) => {
      const { headers } = await own.signOut(request);
      return new Response(null, { status: 302, headers });
    });
    await later(5);
    const before = await own.handle({ headers: { ...page, ...jar.headers } });
    jar.keep(before.headers);
    await later(5);

    const response = await handler(new Request('https://app.test/', { headers: { ...page, ...jar.headers } }));

    jar.keep(response.headers);
    expect(jar.names).toEqual([]);
  });
});

describe('a session with a limited lifetime', () => {
  test('ends at the limit despite user activity and refreshes', async () => {
    const { ask, later, startedAt, rotations } = await limited({ lifetimeMs: 60 * minute });
    const seen: (number | null | undefined)[] = [];
    for (let passed = 0; passed < 50; passed += 10) {
      await later(10);
      seen.push((await ask()).session?.endsAtMs);
    }
    await later(10);

    expect(seen).toEqual(Array(5).fill(startedAt + 60 * minute));
    expect(rotations()).toBe(5);
    expect(await ask()).toMatchObject({ status: 'signed_out', reason: 'lifetime' });
  });

  test('is not extended by an organization switch', async () => {
    const { own, ask, jar, later, sallyport, tokens, startedAt } = await limited({ lifetimeMs: 60 * minute });
    const { id: organizationId } = await sallyport.organizations.createOrganization({ name: 'Acme' });
    await sallyport.userManagement.createOrganizationMembership({ userId: tokens.user.id, organizationId });
    await later(40);

    const switched = await own.switchOrganization(jar.request, organizationId);
    jar.keep(switched.headers);
    const next = await ask();
    await later(20);

    expect([switched.session?.endsAtMs, next.session?.endsAtMs]).toEqual([
      startedAt + 60 * minute,
      startedAt + 60 * minute,
    ]);
    expect((await ask()).status).toBe('signed_out');
  });

  test('starts at the sign-in time in the token if the cookie contains no start time', async () => {
    const { own, ask, jar, later, tokens, startedAt, emulator } = await limited({ lifetimeMs: 60 * minute });
    const { seal } = await import('../../src/crypto/seal.js');
    const { passwordRing } = await import('../../src/crypto/seal.js');
    const text = await seal({ ...tokens }, passwordRing(password));
    jar.keep([`sallyport-session=${text}`]);
    await later(6);
    const refreshed = await ask();
    await later(53);
    const kept = await own.read(jar.header);
    await emulator.clock.advance(minute);

    expect(refreshed.session?.endsAtMs).toBe(Math.floor(startedAt / 1_000) * 1_000 + 60 * minute);
    expect(kept.session?.startedAtMs).toBe(Math.floor(startedAt / 1_000) * 1_000);
    expect((await ask()).status).toBe('signed_out');
  });
});

describe("an organization's limits", () => {
  const ofOrganization = (id: string) =>
    id === 'org_bank' ? { idleMs: 5 * minute, lifetimeMs: 60 * minute } : { lifetimeMs: 10_000 * minute };
  test('can shorten, but not extend, the limits of the application', async () => {
    const world = await signedIn({
      seed: {
        organizations: [
          { id: 'org_bank', name: 'Bank' },
          { id: 'org_shop', name: 'Shop' },
        ],
      },
    });
    const { emulator, jar, sallyport, tokens } = world;
    const own = world.sessions({ limits: { lifetimeMs: 120 * minute, ofOrganization } });
    jar.keep(await own.create(tokens));
    const startedAt = emulator.clock.now();
    const ends: (number | null | undefined)[] = [(await own.handle(jar.request)).session?.endsAtMs];
    for (const organizationId of ['org_bank', 'org_shop']) {
      await sallyport.userManagement.createOrganizationMembership({ userId: tokens.user.id, organizationId });
      const switched = await own.switchOrganization(jar.request, organizationId);
      jar.keep(switched.headers);
      ends.push(switched.session?.endsAtMs);
    }

    expect(ends).toEqual([startedAt + 120 * minute, startedAt + 5 * minute, startedAt + 120 * minute]);
  });

  test('include an idle limit that starts at the switch to the organization, regardless of the sign-in time', async () => {
    const world = await signedIn({ seed: { organizations: [{ id: 'org_bank', name: 'Bank' }] } });
    const { emulator, jar, sallyport, tokens } = world;
    const own = world.sessions({ limits: { ofOrganization } });
    jar.keep(await own.create(tokens));
    await sallyport.userManagement.createOrganizationMembership({ userId: tokens.user.id, organizationId: 'org_bank' });
    await emulator.clock.advance('20m');
    const switchedAt = emulator.clock.now();

    const switched = await own.switchOrganization(jar.request, 'org_bank');
    jar.keep(switched.headers);
    await emulator.clock.advance(5 * minute - 1);
    const kept = await own.read(jar.header);
    await emulator.clock.advance(1);

    expect([switched.session?.endsAtMs, kept.session?.endsAtMs]).toEqual([
      switchedAt + 5 * minute,
      switchedAt + 5 * minute,
    ]);
    expect(await own.read(jar.header)).toMatchObject({ status: 'signed_out', reason: 'idle' });
  });
});

test.each([
  ['idleMs is 1000', { idleMs: 1_000 }, 'limits.idleMs'],
  ['idleMs is NaN', { idleMs: Number.NaN }, 'limits.idleMs'],
  ['lifetimeMs is 0', { lifetimeMs: 0 }, 'limits.lifetimeMs'],
  ['the unknown option idle is set', { idle: 5 } as object, 'limits.idle'],
  ['ofOrganization is an object', { ofOrganization: {} as never }, 'limits.ofOrganization'],
])('the session limits are rejected if %s', async (_, limits, name) => {
  const { sessions } = await signedIn();

  expect(() => sessions({ limits })).toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(name) }),
  );
});

test.each([
  ['a promise', async () => ({ idleMs: 5 * minute })],
  ['a Map', () => new Map([['idleMs', 5 * minute]])],
])('the session limits are rejected if ofOrganization returns %s', async (_, ofOrganization) => {
  const world = await signedIn({ seed: { organizations: [{ id: 'org_bank', name: 'Bank' }] } });
  await world.sallyport.userManagement.createOrganizationMembership({
    userId: world.tokens.user.id,
    organizationId: 'org_bank',
  });
  const own = world.sessions();
  const switched = await own.switchOrganization(world.jar.request, 'org_bank');
  world.jar.keep(switched.headers);
  // A caller without types.
  const limits = { ofOrganization: ofOrganization as never };

  await expect(world.sessions({ limits }).handle(world.jar.request)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('limits.ofOrganization'),
  });
});

test('createSessionReader rejects an unknown session limit', () => {
  expect(() => createSessionReader({ limits: { idle: 5 } as object })).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^createSessionReader does not know .*limits\.idle/) }),
  );
});

describe('with session limits,', () => {
  test('a new session clears the cookie that marks a previous session as ended', async () => {
    const { own, ask, jar, later, sallyport } = await limited();
    await later(31);
    await ask();
    const before = jar.names;

    jar.keep(await own.create(await sallyport.userManagement.authenticateWithPassword(ada), jar.request));

    expect([before, jar.names]).toEqual([['sallyport-session-ended'], ['sallyport-session']]);
  });

  test('a session reader ends a session at the limit, and never extends the session', async () => {
    const { jar, later, emulator } = await limited();
    const { clientId, baseUrl } = emulator.credentials;
    const reader = createSessionReader({
      clientId,
      baseUrl,
      cookiePassword: password,
      fetch: emulator.fetch,
      now: () => emulator.clock.now(),
      limits: { idleMs: 30 * minute },
      clockToleranceMs: 300_000,
    });
    await later(4);
    const before = await reader.read(jar.header);
    await later(26);

    expect(before).toMatchObject({ status: 'active', session: { endsAtMs: emulator.clock.now() } });
    expect(await reader.read(jar.header)).toMatchObject({ status: 'signed_out', reason: 'idle' });
  });

  test('a cached session ends at the limit', async () => {
    const { jar, sessions, emulator } = await limited();
    const own = sessions({
      limits: { lifetimeMs: 3 * minute },
      cache: sessionCache({ maxAgeMs: 600_000 }),
    });
    const first = await own.handle(jar.request);
    await emulator.clock.advance(3 * minute - 1);
    const last = await own.handle(jar.request);
    await emulator.clock.advance(1);

    expect([first.status, last.status]).toEqual(['active', 'active']);
    expect(await own.handle(jar.request)).toMatchObject({ status: 'signed_out', reason: 'lifetime' });
  });

  test('only the first sign-in after a session ends makes the user authenticate again', async () => {
    const app = await application({}, { limits: { idleMs: 30 * minute } });
    const { sessions, browser, emulator, sallyport } = app;
    await sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
    const promptOf = async () => {
      const started = await sessions.startSignIn({ headers: { ...page, ...browser.headers } });
      browser.keep(started.headers);
      const location = 'location' in started ? started.location : '';
      return [new URL(location).searchParams.get('prompt'), location] as const;
    };
    const finish = async (location: string) => {
      const back = await app.approve(`${location}&login_hint=ada@example.com`);
      const finished = await sessions.finishSignIn({ url: back, headers: { ...page, ...browser.headers } });
      browser.keep(finished.headers);
      return finished.status;
    };
    const [none, first] = await promptOf();
    await finish(first);
    await emulator.clock.advance('31m');
    // The session has ended, but no request has reported it yet.
    const [unsaid] = await promptOf();
    browser.keep((await sessions.handle({ headers: { ...page, ...browser.headers } })).headers);
    const [said, second] = await promptOf();
    const status = await finish(second);
    const [after] = await promptOf();

    expect([none, unsaid, said, status, after]).toEqual([null, 'login', 'login', 'signed_in', null]);
  });
});
