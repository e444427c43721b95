import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSessionReader, type Sessions, sessionCache } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { followRevocations } from 'sallyport/streams';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { currentCookies } from '../../src/session/cookie/response-cookies.js';
import { recentChanges } from '../../src/session/read/recent-changes.js';
import { noteEnd, noteSwitch } from '../../src/session/sign-in/note-changes.js';
import { runs } from '../runner/property.js';
import { Jar } from './jar.js';
import { ada, password, replica, signedIn } from './signed-in.js';

/** Sign out without following the redirect to the service. */
const signOut = async (sessions: Sessions, jar: Jar) => jar.keep((await sessions.signOut(jar.request)).headers);

/** A user of two organizations. */
async function member() {
  const there = await signedIn();
  const { organizations, userManagement } = there.sallyport;
  const ids: string[] = [];
  for (const name of ['Acme', 'Bolt']) {
    const { id } = await organizations.createOrganization({ name });
    await userManagement.createOrganizationMembership({ userId: there.tokens.user.id, organizationId: id });
    ids.push(id);
  }
  const [acme = '', bolt = ''] = ids;
  return { ...there, acme, bolt };
}

describe.each([
  ['without a cache', undefined],
  ['with a cache', sessionCache()],
])('%s, a cookie that arrives after a sign-out', (_, cache) => {
  test('is rejected by every reader in the process and then cleared', async () => {
    const there = await signedIn();
    const { emulator, jar } = there;
    const { clientId, baseUrl } = emulator.credentials;
    const sessions = there.sessions({ cache });
    const reader = createSessionReader({
      cookiePassword: password,
      clientId,
      baseUrl,
      fetch: emulator.fetch,
      now: () => emulator.clock.now(),
      cache,
    });
    await emulator.clock.advance('6m');
    const late = jar.copy();
    const { headers } = await sessions.handle(late.request);
    // The browser gets it after the sign-out, whose request had the older cookie.
    late.keep(headers);
    await reader.read(late.header);
    await sessions.handle(late.request);
    await signOut(sessions, jar);

    const refused = { status: 'signed_out', session: null, reason: 'session_revoked' };
    expect(await sessions.read(late.header)).toMatchObject(refused);
    expect(await reader.read(late.header)).toMatchObject(refused);
    expect(await sessions.accessToken(late.request)).toMatchObject({ status: 'signed_out', accessToken: null });
    await emulator.clock.advance('4m');
    const result = await sessions.handle(late.request);
    expect(result).toMatchObject(refused);
    late.keep(result.headers);
    expect(late.names).toEqual([]);
  });

  test('contains an access token that is also rejected as a bearer token', async () => {
    const there = await signedIn();
    const sessions = there.sessions({ cache });
    const { accessToken } = there.tokens;
    expect(await sessions.verifyAccessToken(accessToken)).toMatchObject({ status: 'active' });

    await signOut(sessions, there.jar);

    expect(await sessions.verifyAccessToken(accessToken)).toMatchObject({ reason: 'session_revoked' });
  });
});

/** Lists the changes that a process made to the sessions of a service which no other test uses. */
const changesOfAService = () => {
  return recentChanges('a service', {});
};

describe('a sign-out', () => {
  test('calls onSignedOut only once, even if the old cookie is sent again', async () => {
    const reasons: string[] = [];
    const there = await signedIn();
    const sessions = there.sessions({ onSignedOut: ({ reason }) => reasons.push(reason) });
    const late = there.jar.copy();

    await signOut(sessions, there.jar);
    await sessions.handle(late.request);

    expect(reasons).toEqual(['sign_out']);
  });

  test('does not affect a second session of the user', async () => {
    const there = await signedIn();
    const sessions = there.sessions();
    const other = new Jar();
    other.keep(await sessions.create(await there.sallyport.userManagement.authenticateWithPassword(ada)));

    await signOut(sessions, there.jar);

    expect(await sessions.handle(other.request)).toMatchObject({ status: 'active' });
  });

  test('during a refresh discards the new tokens', async () => {
    const there = await signedIn();
    const sessions = there.sessions();
    await there.emulator.clock.advance('6m');
    const late = there.jar.copy();

    const refreshing = sessions.handle(late.request);
    const out = await sessions.signOut(there.jar.request);
    await there.emulator.fetch(out.location, { redirect: 'manual' });
    const { headers } = await refreshing;

    expect(currentCookies(headers).filter((line) => !line.includes('Max-Age=0'))).toEqual([]);
  });

  test.each([1, runs(60_000)])(
    'is remembered in a list of at most 10,000 sessions (number of sign-outs: %i)',
    async (count) => {
      const now = 1_795_168_800_000;
      const changes = changesOfAService();
      const context = { changes, revocations: { find: () => undefined, onStale() {} }, now: () => now };
      setFlagsFromString('--expose-gc');
      const collectGarbage = runInNewContext('gc') as () => void;
      const end = async (from: number, to: number) => {
        for (let at = from; at < to; at++) {
          const claims = { sid: `session_01HZX3V7Q8M2T4B6C8D${at}`, exp: now / 1_000 + 300, iat: now / 1_000 };
          await noteEnd(context, claims);
          await noteSwitch(context, claims);
        }
        collectGarbage();
        return process.memoryUsage().heapUsed;
      };

      const before = await end(0, Math.min(count, 10_000));
      const after = await end(10_000, count);

      expect([changes().ended.size, changes().newest.size]).toEqual([Math.min(count, 10_000), Math.min(count, 10_000)]);
      expect(after - before).toBeLessThan(5_000_000);
      expect(changes().ended.has(`session_01HZX3V7Q8M2T4B6C8D${count - 1}`)).toBe(true);
    },
    60_000,
  );

  test('is forgotten when the tokens of the session have expired', async () => {
    let now = 1_795_168_800_000;
    const changes = changesOfAService();
    const context = { changes, revocations: { find: () => undefined, onStale() {} }, now: () => now };
    const claims = (sid: string) => ({ sid, exp: now / 1_000 + 300, iat: now / 1_000 });

    await noteEnd(context, claims('session_1'));
    now += 601_000;
    await noteEnd(context, claims('session_2'));

    expect([...changes().ended.keys()]).toEqual(['session_2']);
  });
});

describe('switching the organization', () => {
  test('drops older tokens from late responses, even if issued in the same second as the new tokens', async () => {
    const { sessions, jar, emulator, bolt } = await member();
    const own = sessions();
    await emulator.clock.advance('6m');
    const before = await own.handle(jar.copy().request);

    const switched = await own.switchOrganization(jar.request, bolt);
    jar.keep(switched.headers);
    const after = await own.refresh(jar.request);

    expect([before.status, switched.status, after.status]).toEqual(['refreshed', 'refreshed', 'refreshed']);
    expect(before.session?.claims.iat).toBe(switched.session?.claims.iat);
    expect([before, switched, after].map(({ headers }) => currentCookies(headers).length)).toEqual([0, 1, 1]);
  });

  test('does not end the session', async () => {
    const { sessions, jar, bolt } = await member();
    const own = sessions();

    jar.keep((await own.switchOrganization(jar.request, bolt)).headers);

    expect(await own.handle(jar.request)).toMatchObject({ status: 'active', session: { organizationId: bolt } });
  });

  test('several times keeps only the tokens of the last switch', async () => {
    const { sessions, jar, emulator, acme, bolt } = await member();
    const own = sessions();
    const results = [];
    for (const organizationId of [acme, bolt, acme]) {
      const result = await own.switchOrganization(jar.request, organizationId);
      jar.keep(result.headers);
      results.push(result);
      await emulator.clock.advance('1s');
    }

    expect(results.map(({ headers }) => currentCookies(headers).length)).toEqual([0, 0, 1]);
  });

  test('does not drop the cookie of a late response if the switch is denied', async () => {
    const { sessions, jar, emulator } = await member();
    const own = sessions();
    await emulator.clock.advance('6m');
    const before = await own.handle(jar.copy().request);

    const refused = await own.switchOrganization(jar.request, 'org_of_another_user');

    expect(refused.status).toBe('refused');
    expect(currentCookies(before.headers)).toHaveLength(1);
  });
});

describe('a late response', () => {
  test('does not restore a user after create() has signed in another user', async () => {
    const { sessions, jar, emulator, sallyport } = await signedIn();
    const own = sessions();
    const grace = { email: 'grace@example.com', password: 'flow-matic-1955' };
    await sallyport.userManagement.createUser({ ...grace, emailVerified: true });
    // The tokens of the page will have expired by then.
    await emulator.clock.advance('1h');
    const late = await own.handle(jar.copy().request);

    jar.keep(await own.create(await sallyport.userManagement.authenticateWithPassword(grace), jar.request));

    expect(late.status).toBe('refreshed');
    expect(currentCookies(late.headers)).toEqual([]);
  });

  test('does not set the activity cookie of a session that has ended', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const own = sessions({ limits: { idleMs: 3_600_000 } });
    await emulator.clock.advance('4m');
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
    const late = await own.handle({ headers: { ...headers, ...jar.headers } });
    expect(currentCookies(late.headers).join()).toContain('-activity=');

    await signOut(own, jar);

    expect(currentCookies(late.headers)).toEqual([]);
  });

  test('keeps the user signed in even after three later refreshes of the session', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const own = sessions();
    await emulator.clock.advance('6m');
    const late = jar.copy();
    late.keep((await own.handle(late.request)).headers);
    const others = late.copy();
    for (let time = 0; time < 3; time++) {
      await emulator.clock.advance('2s');
      others.keep((await own.refresh(others.request)).headers);
    }
    await emulator.clock.advance('6m');

    expect(await own.handle(late.request)).toMatchObject({ status: 'refreshed' });
  });
});

test('a second copy of the package in a process rejects sessions that the first copy has ended', async () => {
  const { sessions, jar, emulator } = await signedIn();
  const late = jar.copy();
  vi.resetModules();
  const { createSessions } = await import('sallyport/session');
  const second = createSessions({
    ...emulator.credentials,
    cookiePassword: password,
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
  });
  expect(await second.handle(late.request)).toMatchObject({ status: 'active' });

  await signOut(sessions(), jar);

  expect(await second.handle(late.request)).toMatchObject({ status: 'signed_out', reason: 'session_revoked' });
});

describe('a second replica', () => {
  /** Two replicas that share a store, each with its own list of revocations. */
  async function replicas() {
    const there = await member();
    const store = memoryStore();
    const lists = [1, 2].map(() =>
      followRevocations(there.sallyport, { store, storePollMs: 5, pollMs: 20, now: () => there.emulator.clock.now() }),
    );
    onTestFinished(async () => void (await Promise.all(lists.map((list) => list.close()))));
    const [one, two] = lists.map((revocations) => replica(there, { revocations })) as [Sessions, Sessions];
    return { ...there, one, two };
  }

  test('rejects a session that the first replica has ended', async () => {
    const { one, two, jar } = await replicas();
    const late = jar.copy();
    expect(await two.handle(late.request)).toMatchObject({ status: 'active' });

    await signOut(one, jar);

    await expect
      .poll(() => two.handle(late.request))
      .toMatchObject({ status: 'signed_out', reason: 'session_revoked' });
  });

  test('drops the cookie of a late response after the first replica has switched the organization', async () => {
    const { one, two, jar, emulator, bolt } = await replicas();
    await emulator.clock.advance('6m');
    const page = await two.handle(jar.copy().request);
    expect(currentCookies(page.headers)).toHaveLength(1);

    jar.keep((await one.switchOrganization(jar.request, bolt)).headers);

    await expect.poll(() => currentCookies(page.headers)).toEqual([]);
    expect(await two.handle(jar.request)).toMatchObject({ status: 'active', session: { organizationId: bolt } });
  });

  test('drops the cookie of a late response after a different user has signed in at the first replica', async () => {
    const { one, two, jar, emulator, sallyport } = await replicas();
    const grace = { email: 'grace@example.com', password: 'flow-matic-1955' };
    await sallyport.userManagement.createUser({ ...grace, emailVerified: true });
    await emulator.clock.advance('6m');
    const page = await two.handle(jar.copy().request);

    jar.keep(await one.create(await sallyport.userManagement.authenticateWithPassword(grace), jar.request));

    await expect.poll(() => currentCookies(page.headers)).toEqual([]);
  });

  test('keeps the cookie of the latest organization switch after two quick switches at the first replica', async () => {
    const { one, jar, acme, bolt } = await replicas();
    jar.keep((await one.switchOrganization(jar.request, bolt)).headers);

    const last = await one.switchOrganization(jar.request, acme);

    expect(currentCookies(last.headers)).toHaveLength(1);
  });
});
