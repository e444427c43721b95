import type { Fault } from 'sallyport/emulator';
import { createSessions, type SessionProblem, type SessionsOptions } from 'sallyport/session';
import { describe, expect, test, vi } from 'vitest';
import { deferred } from '../deferred.js';
import { captureWarnings } from '../runner/warnings.js';
import { stage } from '../stage.js';
import { Jar } from './jar.js';
import { password, type SignedIn, signedIn } from './signed-in.js';

captureWarnings();

/** The operation that ends a session. */
const logout = 'userManagement.logout';

/** Sessions that collect their problems and their requests to the logout URL. */
function observed(world: SignedIn, options: Partial<SessionsOptions> = {}) {
  const problems: SessionProblem[] = [];
  const requests: Request[] = [];
  const sessions = world.sessions({
    onProblem: (problem) => void problems.push(problem),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.url.includes('/logout')) requests.push(request);
      return world.emulator.fetch(request);
    },
    ...options,
  });
  return { sessions, problems, requests };
}

const statusesOf = async ({ sallyport, tokens }: SignedIn): Promise<string[]> =>
  (await sallyport.userManagement.listSessions(tokens.user.id)).data.map(({ status }) => status);

describe('a sign-out without a redirect', () => {
  test('revokes the session, and a copied cookie is rejected at the next refresh', async () => {
    const world = await signedIn();
    const { sessions, problems } = observed(world);
    const copy = world.jar.copy();

    await sessions.signOut(world.jar.request);

    expect(await statusesOf(world)).toEqual(['revoked']);
    world.emulator.clock.advance('11m');
    expect(await sessions.handle(copy.request)).toMatchObject({ status: 'signed_out', reason: 'invalid_grant' });
    expect(problems).toEqual([]);
  });

  test('revokes the session in the workos dialect', async () => {
    const { emulator, sallyport } = await stage({ dialect: 'workos' });
    const ada = { email: 'ada@example.com', password: 'analytical-engine' };
    await sallyport.userManagement.createUser({ ...ada, emailVerified: true });
    const tokens = await sallyport.userManagement.authenticateWithPassword(ada);
    const sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: password,
      dialect: 'workos',
      fetch: emulator.fetch,
      now: () => emulator.clock.now(),
    });
    const jar = new Jar();
    jar.keep(await sessions.create(tokens));

    await sessions.signOut(jar.request);

    const { data } = await sallyport.userManagement.listSessions(tokens.user.id);
    expect(data.map(({ status }) => status)).toEqual(['revoked']);
  });

  test('ends the sessions in all cookies and calls onSignedOut for each session', async () => {
    const world = await signedIn();
    const ended: string[] = [];
    const { sessions, requests } = observed(world, { onSignedOut: (event) => void ended.push(event.userId) });
    const grace = { email: 'grace@example.com', password: 'flow-matic-1955' };
    await world.sallyport.userManagement.createUser({ ...grace, emailVerified: true });
    world.emulator.clock.advance('1m');
    const tokens = await world.sallyport.userManagement.authenticateWithPassword(grace);
    const other = new Jar();
    other.keep(await sessions.create(tokens));
    const cookie = [world.jar.header, other.header, world.jar.header, 'sallyport-session=nonsense'].join('; ');

    const { location } = await sessions.signOut({ headers: { cookie } });

    expect(await statusesOf(world)).toEqual(['revoked']);
    expect(await statusesOf({ ...world, tokens })).toEqual(['revoked']);
    expect(ended).toEqual([tokens.user.id, world.tokens.user.id]);
    expect(requests).toHaveLength(2);
    // The browser is redirected to end the session that expires last.
    expect(requests.map(({ url }) => url)[0]).toBe(location);
  });

  test('sends the service no API key, cookie or return URL', async () => {
    const world = await signedIn();
    const { sessions, requests } = observed(world);

    await sessions.signOut(world.jar.request, { returnTo: 'https://app.example.com/bye' });

    const [request] = requests;
    expect([request?.method, request?.redirect, [...(request?.headers ?? [])]]).toEqual(['GET', 'manual', []]);
    expect([...new URL(request?.url ?? '').searchParams.keys()]).toEqual(['session_id']);
  });
});

describe('a sign-out while the service fails', () => {
  test.each<[string, Fault, string]>([
    ['is overloaded', { status: 503 }, 'answered with status 503'],
    ['responds with status 404', { status: 404 }, 'answered with status 404'],
    ['cannot be reached', { connection: 'reset' }, 'did not answer'],
  ])('clears the cookie and reports the problem once if the service %s', async (_, fault, why) => {
    const world = await signedIn();
    const { sessions, problems } = observed(world);
    await world.emulator.faults.add({ operation: logout, ...fault });

    const out = await sessions.signOut(world.jar.request);
    world.jar.keep(out.headers);

    expect([out.status, world.jar.names]).toEqual(['redirect', []]);
    await expect.poll(() => problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: 'sign_out_failed', message: expect.stringContaining(why) });
    expect(problems[0]?.message).not.toContain('session_0');
    expect(await statusesOf(world)).toEqual(['active']);
  });

  test('reports a redirect by a proxy as a failure', async () => {
    const world = await signedIn();
    const moved: typeof fetch = async (input) =>
      new Response(null, { status: 301, headers: { location: String(input).replace('http:', 'https:') } });
    const { sessions, problems } = observed(world, { fetch: moved });

    await sessions.signOut(world.jar.request);

    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['sign_out_failed']);
  });

  test('waits at most two seconds in total if the service never responds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const world = await signedIn();
    await world.emulator.faults.add({ operation: logout, never: true });
    const asked = deferred<void>();
    const { sessions, problems, requests } = observed(world, {
      fetch: (input, init) => {
        const request = new Request(input, init);
        requests.push(request);
        if (requests.length === 2) asked.resolve();
        return world.emulator.fetch(request);
      },
    });
    const second = new Jar();
    second.keep(
      await sessions.create(
        await world.sallyport.userManagement.authenticateWithPassword({
          email: 'ada@example.com',
          password: 'analytical-engine',
        }),
      ),
    );
    const cookie = `${world.jar.header}; ${second.header}`;

    const leaving = sessions.signOut({ headers: { cookie } });
    await asked.promise;
    await vi.advanceTimersByTimeAsync(2_000);
    const out = await leaving;
    vi.useRealTimers();

    expect(out.headers.getSetCookie()).toContainEqual(expect.stringContaining('sallyport-session=; '));
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['sign_out_failed']);
    expect(problems[0]).toMatchObject({ cause: { cause: { message: 'timed out after 2000 ms' } } });
  });
});

describe('the endSessions option', () => {
  test('leaves the session active at the service if the value is false', async () => {
    const world = await signedIn();
    const { sessions, requests } = observed(world, { endSessions: false });

    const { location } = await sessions.signOut(world.jar.request);

    expect(requests).toEqual([]);
    expect(await statusesOf(world)).toEqual(['active']);
    await world.emulator.fetch(location, { redirect: 'manual' });
    expect(await statusesOf(world)).toEqual(['revoked']);
  });

  test.each(['false', 0, null])('must not be %j', async (endSessions) => {
    const world = await signedIn();

    expect(() => world.sessions({ endSessions: endSessions as never })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('endSessions') }),
    );
  });
});
