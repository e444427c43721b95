import { createSessionReader } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import { type Jar as Browser, Jar } from './jar.js';
import { password, type SignedIn, signedIn } from './signed-in.js';

captureWarnings();

const name = 'sallyport-session';
const other = 'another-password-of-32-characters!';
const sealIn = (jar: Browser) => jar.header.slice(`${name}=`.length);
/** The request of a browser that has the cookie several times, for different paths or domains. */
const request = (...values: string[]) => ({
  headers: { cookie: ['theme=dark', ...values.map((value) => `${name}=${value}`)].join('; ') },
});
const readerOf = ({ emulator }: SignedIn) =>
  createSessionReader({
    clientId: emulator.credentials.clientId,
    baseUrl: emulator.credentials.baseUrl,
    cookiePassword: password,
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
  });
const cleared = (headers: Headers) => headers.getSetCookie().map((line) => line.split('=')[0]);

/** A second session, of another user in another browser. */
async function secondSession(world: SignedIn): Promise<Browser> {
  const credentials = { email: 'grace@example.com', password: 'flow-matic-1955' };
  await world.sallyport.userManagement.createUser({ ...credentials, emailVerified: true });
  const tokens = await world.sallyport.userManagement.authenticateWithPassword(credentials);
  const jar = new Jar();
  jar.keep(await world.sessions().create(tokens));
  return jar;
}

describe('with several session cookies in a request,', () => {
  test.each([
    ['a malformed cookie', async () => 'nonsense'],
    ['a cookie that was sealed with a different password', async (world: SignedIn) => sealedElsewhere(world)],
    ['a cookie with a changed seal', async ({ jar }: SignedIn) => sealIn(jar).replace(/~2$/, 'A~2')],
  ])('a valid cookie takes precedence over %s, regardless of their order', async (_, bad) => {
    const world = await signedIn();
    const [good, worse] = [sealIn(world.jar), await bad(world)];

    for (const both of [request(good, worse), request(worse, good)]) {
      const result = await world.sessions().handle(both);

      expect(result).toMatchObject({ status: 'active', session: { user: { id: world.tokens.user.id } } });
      expect([...result.headers]).toEqual([]);
      expect((await readerOf(world).read(both.headers.cookie)).status).toBe('active');
    }
  });

  test('an active session takes precedence over an expired session', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const grace = await secondSession(world);

    const result = await world.sessions().handle(request(sealIn(world.jar), sealIn(grace)));

    expect(result).toMatchObject({ status: 'active', session: { user: { email: 'grace@example.com' } } });
    expect(world.rotations()).toBe(0);
  });

  test('the newest active session takes precedence', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('1m');
    const grace = await secondSession(world);

    const result = await world.sessions().handle(request(sealIn(world.jar), sealIn(grace)));

    expect(result.session?.user.email).toBe('grace@example.com');
  });

  test('a refreshable session takes precedence over a revoked session', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('1m');
    const grace = await secondSession(world);
    const { session } = await world.sessions().handle(request(sealIn(grace)));
    await world.sallyport.userManagement.revokeSession({ sessionId: session!.sessionId });
    world.emulator.clock.advance('6m');

    const result = await world.sessions().handle(request(sealIn(grace), sealIn(world.jar)));

    expect(result).toMatchObject({ status: 'refreshed', session: { user: { id: world.tokens.user.id } } });
  });

  test('no cookie is cleared if one can be valid for another replica', async () => {
    const world = await signedIn();

    const result = await world.sessions().handle(request('nonsense', await sealedElsewhere(world)));

    expect(result.status).toBe('signed_out');
    expect([...result.headers]).toEqual([]);
  });

  test('the cookies are cleared if none can ever be valid', async () => {
    const { sessions } = await signedIn();

    const result = await sessions().handle(request('nonsense', 'rubbish'));

    expect(result).toMatchObject({ status: 'signed_out', reason: 'malformed' });
    expect(cleared(result.headers)).toEqual([name]);
  });

  test('an invalid unchunked cookie is cleared, but not chunks that can be valid for another replica', async () => {
    const world = await signedIn();
    const seal = await sealedElsewhere(world);
    const cookie = `${name}=nonsense; ${name}.0=2~${seal.slice(0, 100)}; ${name}.1=${seal.slice(100)}; ${name}.7=stale`;

    const result = await world.sessions().handle({ headers: { cookie } });

    expect(result.status).toBe('signed_out');
    expect(cleared(result.headers)).toEqual([name, `${name}.7`]);
  });

  test('a sign-out ends the newest session', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('1m');
    const grace = await secondSession(world);
    const both = request(sealIn(world.jar), 'nonsense', sealIn(grace));
    const { session } = await world.sessions().handle(both);

    const { location } = await world.sessions().signOut(both);

    expect(location).toContain(session!.sessionId);
    expect(session?.user.email).toBe('grace@example.com');
  });

  test('an organization switch uses the valid session', async () => {
    const world = await signedIn();
    const { id } = await world.sallyport.organizations.createOrganization({ name: 'Acme' });
    const userId = world.tokens.user.id;
    await world.sallyport.userManagement.createOrganizationMembership({ userId, organizationId: id });

    const result = await world.sessions().switchOrganization(request('nonsense', sealIn(world.jar)), id);

    expect(result).toMatchObject({ status: 'refreshed', session: { organizationId: id } });
  });
});

/** The same session, sealed with a password that this replica does not have yet. */
async function sealedElsewhere(world: SignedIn): Promise<string> {
  const jar = new Jar();
  jar.keep(await world.sessions({ cookiePassword: [{ id: '2', secret: other }] }).create(world.tokens));
  return sealIn(jar);
}
