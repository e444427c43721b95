import { Sallyport } from 'sallyport';
import { controlsAt, type Emulator, type Seed } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { type NewTestWorld, type TestWorldsOptions, testWorlds } from 'sallyport/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stage } from '../stage.js';

const seed: Seed = {
  organizations: [{ id: 'org_acme', name: 'Acme' }],
  users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }],
  memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
};

/** Starts an emulator that is used like a remote one. */
async function elsewhere() {
  // Its clock runs, because applications verify tokens with their own clock.
  const { emulator } = await stage({ seed, clock: undefined, listen: true });
  return { url: emulator.url, adminKey: emulator.adminKey };
}

const makerOf = (options: TestWorldsOptions) => {
  const worlds = testWorlds(options);
  onTestFinished(() => worlds.close());
  return worlds;
};

const places = [
  [
    'in the test process',
    async (): Promise<TestWorldsOptions> => ({ emulator: { seed } }),
    'returns the clock time synchronously',
  ],
  ['accessed over HTTP', elsewhere, 'rejects a synchronous read of the clock'],
] as const;

describe.each(places)('a test world %s', (_, place, clockRule) => {
  const worldOf = async (options?: NewTestWorld) => makerOf(await place()).create(options);

  test('starts with the seed of the emulator, and shares no data with a second world', async () => {
    const worlds = makerOf(await place());
    const [one, other] = [await worlds.create(), await worlds.create({ seed: null })];
    const clientOf = ({ credentials, fetch }: typeof one) => new Sallyport({ ...credentials, fetch });

    await clientOf(one).userManagement.createUser({ email: 'bob@acme.test' });

    const emails = async (world: typeof one) =>
      (await clientOf(world).userManagement.listUsers()).data.map(({ email }) => email).sort();
    expect(await emails(one)).toEqual(['ada@acme.test', 'bob@acme.test']);
    expect(await emails(other)).toEqual([]);
    expect(one.env).toMatchObject({
      SALLYPORT_API_KEY: one.credentials.apiKey,
      SALLYPORT_CLIENT_ID: one.credentials.clientId,
    });
  });

  test('has a separate clock', async () => {
    const worlds = makerOf(await place());
    const one = await worlds.create({ clock: '2026-01-01T00:00:00.000Z' });
    const other = await worlds.create({ clock: new Date('2026-01-01T00:00:00.000Z') });

    await one.clock.advance('31d');

    expect([await one.clock.read(), await other.clock.read()]).toEqual([
      { now: '2026-02-01T00:00:00.000Z' },
      { now: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  test(clockRule, async () => {
    const options = await place();
    const world = await makerOf(options).create({ clock: '2026-01-01T00:00:00.000Z' });

    await world.clock.advance('31d');

    if ('url' in options) expect(() => world.clock.now()).toThrow('Call await world.clock.read().');
    else expect(world.clock.now()).toBe(1_769_904_000_000);
  });

  test('returns the session id when signing a user in', async () => {
    const world = await makerOf({ ...(await place()), seed }).create();

    const { sessionId, user } = await world.signInAs('user_ada');

    const client = new Sallyport({ ...world.credentials, fetch: world.fetch });
    const { data } = await client.userManagement.listSessions(user.id);
    expect(data.map(({ id }) => id)).toEqual([sessionId]);
  });

  test('has a separate inbox', async () => {
    const world = await worldOf();
    const sallyport = new Sallyport({ ...world.credentials, fetch: world.fetch });

    await sallyport.userManagement.sendMagicAuthCode({ email: 'ada@acme.test' });

    const { code } = await world.inbox.waitFor({ to: 'ada@acme.test', kind: 'magic_auth' });
    expect(code).toMatch(/^\d{6}$/);
    expect((await world.inbox.latest())?.sentAt).toMatch(/Z$/);
    expect(await world.inbox.latest('bob@acme.test')).toBeUndefined();
  });

  test('can inject faults, and throws EmulatorRefusal for an unknown session', async () => {
    const world = await worldOf();
    const sallyport = new Sallyport({ ...world.credentials, fetch: world.fetch, maxRetries: 0 });

    const fault = await world.faults.add({ operation: 'organizations.create', status: 503, times: 1 });
    await expect(sallyport.organizations.createOrganization({ name: 'Bolt' })).rejects.toMatchObject({ status: 503 });

    expect(fault.operation).toBe('organizations.create');
    expect(await world.faults.list()).toEqual([]);
    await expect(world.expireSession('session_gone')).rejects.toMatchObject({
      name: 'EmulatorRefusal',
      status: 404,
      code: 'entity_not_found',
    });
  });

  test('signs a user in with a cookie and a token that the application accepts', async () => {
    const world = await worldOf({ cookiePassword: 'a password of more than 32 characters' });

    const { user, cookies, headers, bearer, accessToken, storageState } = await world.signInAs('ada@acme.test', {
      organizationId: 'org_acme',
    });

    const sessions = createSessions({
      ...world.credentials,
      cookiePassword: 'a password of more than 32 characters',
      fetch: world.fetch,
    });
    const { session } = await sessions.read(headers.cookie);
    expect([session?.user.email, session?.organizationId, user.id]).toEqual(['ada@acme.test', 'org_acme', 'user_ada']);
    expect(bearer).toEqual({ authorization: `Bearer ${accessToken}` });
    expect((await sessions.verifyAccessToken(accessToken)).session?.userId).toBe('user_ada');
    const [cookie] = cookies;
    expect(cookies).toEqual([
      {
        name: 'sallyport-session',
        value: expect.stringMatching(/^Fe26\.2/),
        attributes: { path: '/', maxAge: 34_560_000, sameSite: 'lax', secure: false, httpOnly: true },
      },
    ]);
    expect(storageState('http://w7.localhost:3000/account')).toEqual({
      cookies: [
        {
          name: 'sallyport-session',
          value: cookie?.value,
          domain: 'w7.localhost',
          path: '/',
          expires: expect.closeTo(Date.now() / 1_000 + 34_560_000, -2),
          httpOnly: true,
          secure: false,
          sameSite: 'Lax',
        },
      ],
      origins: [],
    });
  });

  test('seals cookies with the password in env, and accepts cookie options', async () => {
    const world = await worldOf();

    const { headers } = await world.signInAs({ id: 'user_ada' });
    const { cookies, storageState } = await world.signInAs('user_ada', {
      cookie: { name: '__Secure-me', domain: 'acme.test', sameSite: 'strict' },
    });

    const sessions = createSessions({
      ...world.credentials,
      cookiePassword: world.env.SALLYPORT_COOKIE_PASSWORD,
      fetch: world.fetch,
    });
    expect((await sessions.read(headers.cookie)).session?.user.id).toBe('user_ada');
    expect(cookies[0]).toMatchObject({ name: '__Secure-me', attributes: { domain: 'acme.test', secure: true } });
    expect(storageState('https://app.acme.test').cookies[0]).toMatchObject({
      domain: '.acme.test',
      sameSite: 'Strict',
    });
  });

  test('can provide Playwright with a cookie that ends with the browser session', async () => {
    const world = await worldOf();

    const { storageState } = await world.signInAs('user_ada', { cookie: { maxAgeMs: 'session' } });

    expect(storageState('http://app.acme.test').cookies[0]?.expires).toBe(-1);
  });

  test('refuses to sign in an unknown user', async () => {
    const world = await worldOf();

    await expect(world.signInAs('user_gone')).rejects.toMatchObject({ status: 404, code: 'entity_not_found' });
  });

  test('returns an expected event, or throws an error that lists the events so far', async () => {
    const world = await worldOf();
    const sallyport = new Sallyport({ ...world.credentials, fetch: world.fetch });
    const event = world.expectEvent('user.created', { email: 'bob@acme.test' });

    await sallyport.userManagement.createUser({ email: 'cleo@acme.test', firstName: 'Cleo' });
    await sallyport.userManagement.createUser({ email: 'bob@acme.test', firstName: 'Bob' });

    expect((await event).data.firstName).toBe('Bob');
    await expect(world.expectEvent('user.deleted', { id: 'user_ada' }, { timeoutMs: 0 })).rejects.toThrow(
      'No user.deleted with {"id":"user_ada"} occurred within 0 ms. Events so far: user.created, user.created (already returned).',
    );
  });

  test('throws an error that lists unexpected requests', async () => {
    const world = await worldOf();
    const sallyport = new Sallyport({ ...world.credentials, fetch: world.fetch });
    await world.expectNoRequests();
    await sallyport.organizations.getOrganization('org_acme');

    const since = await world.expectNoRequests().catch((error: Error) => error);
    await world.markRequests();
    await world.expectNoRequests();
    await world.expectNoRequests(() => world.signInAs('user_ada'));
    const during = world.expectNoRequests(() => sallyport.organizations.listOrganizations());

    expect(since).toMatchObject({ code: 'unexpected_requests' });
    expect(String(since)).toContain(
      '1 request reached the service, but none was expected: GET /organizations/org_acme (200).',
    );
    await expect(during).rejects.toThrow('GET /organizations (200)');
  });

  test('can be deleted twice without an error', async () => {
    const world = await worldOf();

    await world.forget();
    await world.forget();

    await expect(world.clock.read()).rejects.toMatchObject({ status: 401 });
  });
});

test('requests to a world created before an emulator restart fail with an error that mentions the restart', async () => {
  const seeded = { clock: undefined, adminKey: 'ak_of_both_emulators' };
  const { emulator: first } = await stage(seeded);
  const url = await first.listen();
  const world = await makerOf({ url, adminKey: 'ak_of_both_emulators' }).create();
  const controls = controlsAt(world.credentials);
  await first.close();
  const { emulator: second } = await stage(seeded);
  await second.listen(Number(new URL(url).port));

  const gone = expect.stringContaining('the emulator was restarted, because created worlds end with the emulator');
  await expect(world.clock.read()).rejects.toMatchObject({ status: 401, message: gone });
  await expect(controls.clock.read()).rejects.toMatchObject({ status: 401, message: gone });
  const page = await second.fetch(`${world.url}/organizations`);
  expect([page.status, (await page.json()).message]).toEqual([404, gone]);
  await world.forget();
});

test('the error for an old administrator key says that the key changes at each restart', async () => {
  const { url } = await elsewhere();

  await expect(makerOf({ url, adminKey: 'ak_of_the_last_start' }).create()).rejects.toMatchObject({
    status: 401,
    message: expect.stringContaining('which has a new one after each start unless you choose it'),
  });
});

describe('test worlds', () => {
  test('can use an existing emulator, which stays open when the worlds are closed', async () => {
    const { emulator } = await stage({ seed });
    const worlds = testWorlds({ emulator });

    const { name } = await worlds.create();
    await worlds.close();

    expect(emulator.worlds.find(name)?.name).toBe(name);
    expect(await worlds.emulator()).toBe(emulator);
  });

  test('have common options, which each world can override', async () => {
    const worlds = makerOf({ seed, clock: '2026-01-01T00:00:00.000Z', redirectUris: ['http://localhost:3000/back'] });

    const [one, other] = [
      await worlds.create({ clock: undefined }),
      await worlds.create({ clock: '2030-01-01T00:00:00.000Z', name: 'later' }),
    ];

    expect((await one.clock.read()).now).toBe('2026-01-01T00:00:00.000Z');
    expect((await other.clock.read()).now).toBe('2030-01-01T00:00:00.000Z');
    expect([one.env.SALLYPORT_REDIRECT_URI, other.name]).toEqual(['http://localhost:3000/back', 'later']);
    expect(other.url).toBe('http://later.localhost');
  });

  test('provide environment variables that connect an application to the emulator', async () => {
    const worlds = makerOf({ listen: true, emulator: { seed } });
    const world = await worlds.create();
    for (const [name, value] of Object.entries(world.env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { headers } = await world.signInAs('user_ada');

    const { data } = await new Sallyport().userManagement.listUsers();
    const { session } = await createSessions().read(headers.cookie);

    expect(data.map(({ email }) => email)).toEqual(['ada@acme.test']);
    expect(session?.user.id).toBe('user_ada');
    expect(world.env.SALLYPORT_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('do not listen on a port by default', async () => {
    const { env } = await makerOf({ seed }).create();

    expect(env.SALLYPORT_BASE_URL).toBe('http://emulator.localhost');
  });

  test('stop listening on the port when the worlds are closed', async () => {
    const worlds = testWorlds({ listen: true });
    const { env } = await worlds.create();

    await worlds.close();

    await expect(fetch(env.SALLYPORT_BASE_URL)).rejects.toThrow();
  });

  test.each<[string, () => Promise<{ emulator?: Emulator; url?: string; adminKey?: string }>]>([
    ['an existing emulator', async () => ({ emulator: (await stage()).emulator })],
    ['a remote emulator', async () => ({ url: 'http://localhost:4100', adminKey: 'ak_12345678' })],
  ])('cannot make %s listen on a port', async (_, place) => {
    const options = await place();

    expect(() => testWorlds({ ...options, listen: true })).toThrow(
      'The option listen of testWorlds works only for an emulator that testWorlds creates. Omit it, and call listen() on your emulator.',
    );
  });

  test.each([
    [{ url: 'http://localhost:4100' }, 'The option adminKey of testWorlds is missing'],
    [{ adminKey: 'ak_12345678' }, 'The option url of testWorlds is missing'],
    [
      { url: 'http://localhost:4100', adminKey: 'ak_12345678', emulator: {} },
      'The option url of testWorlds cannot be combined with emulator',
    ],
  ])('reject the incomplete or conflicting options %j', (options, message) => {
    expect(() => testWorlds(options)).toThrow(message);
  });

  test('throw an error that names the URL if no emulator responds', async () => {
    const adminKey = 'ak_12345678';
    const nowhere = testWorlds({ url: 'http://127.0.0.1:9', adminKey });

    await expect(nowhere.create()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('No emulator is reachable at http://127.0.0.1:9'),
    });
    await expect(nowhere.emulator()).rejects.toMatchObject({ code: 'invalid_option' });
  });

  test('accept a plain HTTP public URL for an emulator in the test process', async () => {
    const world = await makerOf({ emulator: { publicUrl: 'http://emulator.acme.test' } }).create();

    expect(world.url).toMatch(/acme\.test/);
    expect(await world.inbox.list()).toEqual([]);
  });

  test('require allowInsecure for plain HTTP to a remote machine', async () => {
    const at = { url: 'http://nowhere.invalid', adminKey: 'ak_12345678' };

    await expect(testWorlds(at).create()).rejects.toMatchObject({ code: 'insecure_base_url' });
    await expect(testWorlds({ ...at, allowInsecure: true }).create()).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('cannot be created with a wrong administrator key', async () => {
    const { url } = await elsewhere();

    await expect(testWorlds({ url, adminKey: 'ak_not_this_one' }).create()).rejects.toMatchObject({ status: 401 });
  });
});

describe('a fixture', () => {
  test('deletes the created world even if the test fails', async () => {
    const worlds = makerOf({ seed });
    const fixture = worlds.fixture({ name: 'mine' });
    const { worlds: all } = await worlds.emulator();

    const failure = fixture({}, async (world) => {
      expect(all.find('mine')?.credentials).toEqual(world.credentials);
      throw new Error('the test failed');
    });

    await expect(failure).rejects.toThrow('the test failed');
    expect(all.list()).toEqual([]);
  });

  test('has an empty first parameter, so Vitest and Playwright inject no fixtures', () => {
    // Vitest and Playwright read the needed fixtures from the first parameter.
    expect(String(testWorlds().fixture())).toMatch(/^async \(\{\s*\}, use\) =>/);
  });
});

describe('the hooks', () => {
  test.each([
    ['beforeEach and afterEach', 'beforeEach', 'afterEach'],
    ['beforeAll and afterAll', 'beforeAll', 'afterAll'],
  ] as const)('%s create and delete a world', async (_, before, after) => {
    const worlds = makerOf({ seed });
    const acts: Record<string, () => Promise<void>> = {};
    const hooks = {
      [before]: (act: () => Promise<void>) => (acts[before] = act),
      [after]: (act: () => Promise<void>) => (acts[after] = act),
    };
    const world = worlds.during(hooks as unknown as Parameters<typeof worlds.during>[0]);
    const { worlds: all } = await worlds.emulator();

    expect(world).toThrow('The world does not exist yet');
    await acts[before]?.();
    expect(all.find(world().name)?.name).toBe(world().name);
    await acts[after]?.();

    expect(all.list()).toEqual([]);
    expect(world).toThrow('The world does not exist yet');
  });
});
