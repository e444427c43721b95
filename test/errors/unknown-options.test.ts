import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import * as express from '../../src/adapters/express.js';
import * as fastify from '../../src/adapters/fastify.js';
import * as hono from '../../src/adapters/hono.js';
import { nextSessions } from '../../src/adapters/next.js';
import { createBrowserClient } from '../../src/browser/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { Sallyport } from '../../src/index.js';
import { mirror } from '../../src/mirror/index.js';
import * as session from '../../src/session/index.js';
import * as stores from '../../src/stores/index.js';
import * as streams from '../../src/streams/index.js';
import { storeContract, testWorlds } from '../../src/testing/index.js';
import * as webhooks from '../../src/webhooks/index.js';

/** Values that callers in JavaScript may pass, and that the compiler would refuse. */
// biome-ignore lint/suspicious/noExplicitAny: each of these calls is wrong on purpose.
type Anything = any;

const address = { clientId: 'client_42', baseUrl: 'https://api.example.com' };
const reader = { ...address, cookiePassword: 'a password of at least 32 characters' };
const sessions = session.createSessions(reader);
const client = new Sallyport({ ...address, apiKey: 'sk_test_42' });
const request = new Request('https://app.example.com/account');
const thrown = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the error for an unknown option', () => {
  const page = (): Response => new Response();
  const pool: Anything = async () => ({ rows: [] });

  test.each<[string, (options: Anything) => unknown, object, string, string]>([
    ['new Sallyport()', (o) => new Sallyport(o), { ...address, apikey: 'sk_1' }, 'apikey', 'apiKey'],
    ['new Sallyport()', (o) => new Sallyport(o), { ...address, timeout: 1 }, 'timeout', 'timeoutMs'],
    [
      'new Sallyport()',
      (o) => new Sallyport(o).organizations.listOrganizations(),
      { ...address, apiKey: 'sk_test_42', limits: { mode: 'published', limiters: 1 } },
      'limits.limiters',
      'limiter',
    ],
    ['with()', (o) => client.with(o), { timeout: 1 }, 'timeout', 'timeoutMs'],
    ['createSessions', session.createSessions, { ...reader, redirectURL: '/x' }, 'redirectURL', 'redirectUri'],
    ['createSessions', session.createSessions, { redirect_uri: '/x' }, 'redirect_uri', 'redirectUri'],
    ['createSessions', session.createSessions, { ...reader, refresh: { aheadMS: 1 } }, 'refresh.aheadMS', 'aheadMs'],
    ['createSessions', session.createSessions, { ...reader, cookie: { maxAge: 1 } }, 'cookie.maxAge', 'maxAgeMs'],
    ['createSessionReader', session.createSessionReader, { ...reader, password: '' }, 'password', 'cookiePassword'],
    ['createSessionReader', session.createSessionReader, { ...reader, cookie: { names: 'x' } }, 'cookie.names', 'name'],
    ['createTokenVerifier', session.createTokenVerifier, { ...address, audiences: 'x' }, 'audiences', 'audience'],
    ['sessionCache', session.sessionCache, { maxEntry: 1 }, 'maxEntry', 'maxEntries'],
    ['withSession', (o) => session.withSession(sessions, page, o), { protected: ['/'] }, 'protected', 'protect'],
    [
      'withSession',
      (o) => session.withSession(sessions, page, o),
      { routes: { signin: '/x', signUp: '/y' } },
      'routes.signin',
      'signIn',
    ],
    ['requireSession', (o) => session.requireSession(sessions, page, o), { bearers: true }, 'bearers', 'bearer'],
    ['requireSession', (o) => session.requireSession(sessions, page, o), { maxAge: 1 }, 'maxAge', 'maxAgeMs'],
    ['expressSession', (o) => express.expressSession(sessions, o), { protects: ['/'] }, 'protects', 'protect'],
    ['requireSession', (o) => express.requireSession(sessions, o), { signin: true }, 'signin', 'signIn'],
    ['fastifySession', (o) => fastify.fastifySession(sessions, o), { route: true }, 'route', 'routes'],
    ['requireSession', (o) => fastify.requireSession(sessions, o), { signin: true }, 'signin', 'signIn'],
    ['honoSession', (o) => hono.honoSession(sessions, o), { permissions: {} }, 'permissions', 'permission'],
    ['requireSession', (o) => hono.requireSession(sessions, o), { signin: true }, 'signin', 'signIn'],
    ['nextSessions', (o) => nextSessions(sessions, o), { signinpath: '/x' }, 'signinpath', 'signInPath'],
    ['proxy', (o) => nextSessions(sessions).proxy(o), { protekt: ['/'] }, 'protekt', 'protect'],
    ['createBrowserClient', createBrowserClient, { ...address, redirect: '/' }, 'redirect', 'redirectUri'],
    ['receive', (o) => webhooks.receive(request, o), { secrets: 'x' }, 'secrets', 'secret'],
    ['webhookHandler', webhooks.webhookHandler, { secret: 'x', handle: page }, 'handle', 'handler'],
    ['follow', (o) => streams.follow(client, o), { checkpoints: {} }, 'checkpoints', 'checkpoint'],
    ['exactlyOnce', (o) => streams.exactlyOnce(pool, o), { handler: page, maxRetrys: 3 }, 'maxRetrys', 'maxRetries'],
    ['mirror', (o) => mirror(client, { into: pool, maxLagMs: 3_000, ...o }), { prefixes: 'x' }, 'prefixes', 'prefix'],
    ['followRevocations', (o) => streams.followRevocations(client, o), { stales: 1 }, 'stales', 'staleMs'],
    ['redisStore', (o) => stores.redisStore(async () => null, o), { prefixes: 'x' }, 'prefixes', 'prefix'],
    ['postgresStore', (o) => stores.postgresStore(pool, o), { tables: 'x' }, 'tables', 'table'],
    ['storeContract', storeContract, { store: stores.memoryStore(), elapsed: page }, 'elapsed', 'elapse'],
    ['testWorlds', testWorlds, { emulator: {}, seeds: {} }, 'seeds', 'seed'],
    ['createEmulator', createEmulator, { seeds: 'x' }, 'seeds', 'seed'],
    ['createEmulator', createEmulator, { production: { apikey: 'x' } }, 'production.apikey', 'apiKey'],
  ])('of $0 suggests $4 for $3', async (taker, make, options, option, nearest) => {
    expect(await thrown(() => make(options))).toMatchObject({
      name: 'ConfigurationError',
      code: 'invalid_option',
      message: `${taker} does not know the option ${option}. Did you mean ${nearest}?`,
    });
  });
});

describe('options', () => {
  class Settings {
    readonly clientId = address.clientId;
  }

  test.each<[string, (options: Anything) => unknown]>([
    ['with()', (o) => client.with(o)],
    ['createSessions', session.createSessions],
    ['createTokenVerifier', session.createTokenVerifier],
    ['createBrowserClient', createBrowserClient],
    ['receive', (o) => webhooks.receive(request, o)],
    ['follow', (o) => streams.follow(client, o)],
    ['redisStore', (o) => stores.redisStore({} as Anything, o)],
    ['createEmulator', createEmulator],
  ])('that are not a plain object are rejected by %s', async (taker, make) => {
    for (const options of [new Map([['clientId', 'x']]), new Settings(), ['x'], 'x']) {
      const error = await thrown(() => make(options));

      expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_option' });
      expect(error).toHaveProperty('message', expect.stringContaining(taker));
    }
  });

  test('that are not a plain object are rejected by new Sallyport()', async () => {
    for (const options of [new Map(Object.entries(address)), new Settings(), 'sk_test_42'])
      expect(await thrown(() => new Sallyport(options as Anything))).toMatchObject({
        code: 'invalid_option',
        message: expect.stringContaining('new Sallyport() takes one object. Pass { apiKey, clientId, baseUrl }'),
      });
  });

  test('are rejected if a nested option is not a plain object, and the error names the nested option', async () => {
    expect(await thrown(() => session.createSessions({ ...reader, cookie: new Map() } as Anything))).toMatchObject({
      code: 'invalid_option',
      message: 'createSessions needs cookie to be a plain object.',
    });
  });

  test('that are not a plain object are rejected by client and session methods', async () => {
    const { organizations } = client;
    const maxRetries = new Map([['maxRetries', 0]]) as Anything;

    for (const call of [
      () => organizations.getOrganization('org_1', maxRetries),
      () => organizations.listOrganizations({}, maxRetries),
      () => client.request('GET', '/users', maxRetries),
      () => client.list('/users', maxRetries),
      () => client.fga.listWarrants({}, maxRetries),
      () => sessions.startSignIn(request, maxRetries),
    ])
      expect(await thrown(call)).toMatchObject({
        name: 'InvalidArgumentError',
        argument: 'options',
        message: expect.stringContaining('needs options to be a plain object.'),
      });
  });

  test('from a different realm or without a prototype are accepted', async () => {
    const ofAnotherRealm = runInNewContext('({ clientId: "client_42", baseUrl: "https://api.example.com" })');
    const bare = Object.assign(Object.create(null), address);

    expect(await thrown(() => new Sallyport(ofAnotherRealm))).toBeUndefined();
    expect(await thrown(() => new Sallyport(bare))).toBeUndefined();
    expect(await thrown(() => session.createTokenVerifier(ofAnotherRealm))).toBeUndefined();
  });
});

describe('the error for an unknown option', () => {
  const { userManagement } = client;
  const cookie = userManagement.loadSealedSession({ sessionData: undefined });

  test.each<[string, (options: Anything) => unknown, object, string, string]>([
    ['userManagement.getUser', (o) => userManagement.getUser('user_1', o), { timeout: 1 }, 'timeout', 'timeoutMs'],
    ['organizations.listOrganizations', (o) => list(o), { oninvalid: 'skip' }, 'oninvalid', 'onInvalid'],
    ['request', (o) => client.request('GET', '/users', o), { querry: {} }, 'querry', 'query'],
    ['list', (o) => client.list('/users', o), { routes: '/users' }, 'routes', 'route'],
    ['loadSealedSession', (o) => userManagement.loadSealedSession(o), { session: 'x' }, 'session', 'sessionData'],
    ['refresh', (o) => cookie.refresh(o), { organization: 'org_1' }, 'organization', 'organizationId'],
    ['sealData', (o) => userManagement.sealData({}, o), { password: 'x', ttls: 1 }, 'ttls', 'ttl'],
    ['unsealData', (o) => userManagement.unsealData('', o), { passwords: 'x' }, 'passwords', 'password'],
    ['session', (o) => withCode(o), { sealSesion: true }, 'sealSesion', 'sealSession'],
    ['latest', (o) => streams.latest(client, o), { event: ['user.created'] }, 'event', 'events'],
    ['startSignIn', (o) => sessions.startSignIn(request, o), { loginhint: 'x' }, 'loginhint', 'loginHint'],
  ])('of $0 suggests $4 for $3', async (taker, call, options, argument, nearest) => {
    const error = await thrown(() => call(options));

    expect(error).toMatchObject({ name: 'InvalidArgumentError', code: 'invalid_argument', argument });
    expect(error).toHaveProperty('message', expect.stringContaining(`${taker} does not know the option ${argument}. `));
    expect(error).toHaveProperty('message', expect.stringContaining(`Did you mean ${nearest}?`));
  });

  const withCode = (session: Anything) => userManagement.authenticateWithCode({ code: 'x', session });
  const list = async (options: Anything): Promise<void> => {
    for await (const one of client.organizations.listOrganizations({}, options)) throw new Error(one.id);
  };
});

test('an unknown option is accepted if the value is undefined', async () => {
  expect(await thrown(() => session.sessionCache({ maxEntry: undefined } as Anything))).toBeUndefined();
  expect(await thrown(() => new Sallyport({ ...address, apikey: undefined } as Anything))).toBeUndefined();
});

describe('the createSessions option', () => {
  const { cookiePassword: _, ...verifier } = reader;
  const cookie = { name: 'acme', domain: 'acme.test' };

  test.each([
    ['createSessionReader', 'apiKey', { ...reader, apiKey: 'sk_test_42' }],
    ['createSessionReader', 'redirectUri', { ...reader, redirectUri: 'https://app.example.com/callback' }],
    ['createSessionReader', 'refresh', { ...reader, refresh: {} }],
    ['createTokenVerifier', 'apiKey', { ...verifier, apiKey: 'sk_test_42' }],
    ['createTokenVerifier', 'cookiePassword', reader],
    ['createTokenVerifier', 'cookie', { ...verifier, cookie }],
  ] as const)('$1 is rejected by $0', async (factory, option, options) => {
    const make = factory === 'createSessionReader' ? session.createSessionReader : session.createTokenVerifier;

    const error = await thrown(() => make(options as Anything));

    expect(error).toMatchObject({ code: 'invalid_option' });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(
        `^${factory} does not know the option ${option}\\. Pass one of clientId, baseUrl, .*allowInsecure`,
      ),
    );
  });

  test("'cookie' is accepted by 'createSessionReader'", async () => {
    expect(await thrown(() => session.createSessionReader({ ...reader, cookie }))).toBeUndefined();
  });
});

test('an error about an unknown option lists all options if no option has a similar name', async () => {
  expect(await thrown(() => stores.redisStore(async () => null, { zzz: 1 } as Anything))).toHaveProperty(
    'message',
    'redisStore does not know the option zzz. Pass one of prefix.',
  );
});

test('the methods of a running emulator reject unknown options', async () => {
  const emulator = await createEmulator();
  const refused = await thrown(() => emulator.reset({ sead: 'x' } as Anything));
  const listen = await thrown(() => emulator.listen(0, '127.0.0.1', { http: {} } as Anything));

  expect(refused).toHaveProperty('message', 'reset does not know the option sead. Did you mean seed?');
  expect(listen).toHaveProperty('message', 'listen does not know the option http. Did you mean https?');
  const world = await thrown(() => emulator.worlds.create({ sead: null } as Anything));
  const requests = await thrown(() => emulator.requests.list({ lmit: 1 } as Anything));

  expect(world).toHaveProperty('message', 'worlds.create does not know the option sead. Did you mean seed?');
  expect(requests).toHaveProperty('message', expect.stringContaining('lmit is not a known field; did you mean limit?'));
  await emulator.close();
});

test('the methods of a test world reject unknown options', async () => {
  const worlds = testWorlds({ emulator: {} });
  const world = await worlds.create();

  const refusal = await thrown(() => worlds.create({ sead: null } as Anything));
  const event = await thrown(() => world.expectEvent('user.created', {}, { timeout: 1 } as Anything));

  expect(refusal).toHaveProperty('message', expect.stringContaining('sead is not a known field; did you mean seed?'));
  expect(event).toHaveProperty('message', 'expectEvent does not know the option timeout. Did you mean timeoutMs?');
  await worlds.close();
});
