import { type ChildProcess, fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { memoryStore, postgresStore, redisStore, type Store } from 'sallyport/stores';
import { type Checkpoint, follow, memoryCheckpoint, storeCheckpoint } from 'sallyport/streams';
import { receive, signWebhook } from 'sallyport/webhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Sallyport } from '../../src/index.js';
import { programsOf } from '../builds/programs.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { captureWarnings } from '../runner/warnings.js';
import { Jar } from '../session/jar.js';
import { ada, password } from '../session/signed-in.js';
import { postgresDrivers, redisDrivers } from '../stores/drivers.js';
import { read } from './markdown.js';

captureWarnings();

const page = 'docs/guides/deployment.md';
const callback = 'http://localhost:3000/callback';
const secret = 'whsec_of_the_application';

/** The rows of the table, by their first cell. */
const table = new Map(
  read(page)
    .split('## What happens when something is away\n')[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|--'))
    .slice(1)
    .map((line) => {
      const [what = '', ...cells] = line.slice(2, -2).split(' | ');
      return [what, cells.map((cell) => cell.replaceAll('`', ''))];
    }),
);

/** An application with a signed-in user, a user who returns from the service, a webhook and a stream. */
async function application({ store, checkpoint }: { store: Store; checkpoint: Checkpoint }) {
  const emulator = await createEmulator({ clock: '2026-01-01T00:00:00.000Z', autoApprove: true });
  onTestFinished(() => emulator.close());
  const away = { service: false, keys: false };
  const clock = { offsetMs: 0 };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isKeySet = String(input instanceof Request ? input.url : input).includes('/sso/jwks/');
    if (away.service || (away.keys && isKeySet))
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
    return emulator.fetch(input, init);
  };
  const now = () => emulator.clock.now() + clock.offsetMs;
  const replica = (options = {}) =>
    createSessions({
      ...emulator.credentials,
      cookiePassword: password,
      redirectUri: callback,
      now,
      fetch,
      refresh: { store, maxRetries: 0 },
      ...options,
    });
  const sessions = replica();
  const admin = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  await admin.userManagement.createUser({ ...ada, emailVerified: true });
  const jar = new Jar();
  const signIn = async () => jar.keep(await sessions.create(await admin.userManagement.authenticateWithPassword(ada)));
  await signIn();
  await sessions.handle(jar.request);

  const started = await sessions.startSignIn({ headers: {} }, { loginHint: ada.email });
  if (started.status !== 'redirect') throw new Error(started.status);
  const visitor = new Jar();
  visitor.keep(started.headers);
  const approved = await emulator.fetch(started.location, { redirect: 'manual' });
  const url = approved.headers.get('location')!;

  const payload = JSON.stringify({
    id: 'event_1',
    event: 'user.created',
    data: {},
    created_at: '2026-01-01T00:00:00Z',
  });
  /** Make a delivery. The service signs each attempt again, with the time of the attempt. */
  const delivery = async () => {
    const signature = await signWebhook({ payload, secret, timestamp: emulator.clock.now() });
    const headers = { 'WorkOS-Signature': signature };
    return new Request('http://localhost:3000/webhooks', { method: 'POST', body: payload, headers });
  };

  const client = new Sallyport({ ...emulator.credentials, fetch, maxRetries: 0 });
  const handled: string[] = [];
  const stream = follow(client, {
    checkpoint,
    events: ['organization.created'],
    pollMs: 50,
    onProblem: () => undefined,
  });
  onTestFinished(() => stream.close({ timeoutMs: 0 }));
  const run = () =>
    void stream.run((event) => void handled.push(String((event.data as { name: string }).name))).catch(() => undefined);

  return {
    emulator,
    away,
    clock,
    handled,
    run,
    stream,
    replica,
    createEvent: (name: string) => admin.organizations.createOrganization({ name }),
    valid: async () => {
      await signIn();
      return (await sessions.handle(jar.request)).status;
    },
    async ended() {
      await emulator.clock.advance('6m');
      const result = await sessions.handle(jar.request);
      jar.keep(result.headers.getSetCookie());
      return result.status;
    },
    async comesBack() {
      return (await sessions.finishSignIn({ url, headers: visitor.headers })).status;
    },
    async webhook() {
      return String((await receive(await delivery(), { secret, store, now, handler: () => undefined })).httpStatus);
    },
  };
}

type Application = Awaited<ReturnType<typeof application>>;

/** The results for a request with a valid token, one with an expired token, a sign-in, a webhook and a stream. */
async function outcomes(app: Application, restored: () => Promise<void>): Promise<string[]> {
  const { valid, ended, comesBack, webhook, handled, createEvent } = app;
  await createEvent('Meanwhile');
  const others = [await valid(), await comesBack(), await webhook(), await ended()];
  const isHandled = await vi
    .waitFor(() => expect(handled).toContain('Meanwhile'), { timeout: 5_000 })
    .then(() => true)
    .catch(() => false);
  await restored();
  await vi.waitFor(() => expect(handled).toEqual(['Before', 'Meanwhile']), { timeout: 40_000, interval: 50 });
  const [first = '', second = '', third = '', last = ''] = others;
  return [first, last, second, third, isHandled ? 'goes on' : 'waits'];
}

/** Check that the user is still signed in after an outage, and that no sign-in and no delivery is lost. */
async function expectRecovery(app: Application, [, , signIn, webhook]: readonly string[]): Promise<void> {
  if (signIn === 'retry_later') expect(await app.comesBack()).toBe('signed_in');
  if (webhook !== '200') expect(await app.webhook()).toBe('200');
  expect(await app.ended()).toBe('refreshed');
}

/** An application whose stream has handled its first event. */
async function running(parts: Parameters<typeof application>[0]): Promise<Application> {
  const app = await application(parts);
  app.run();
  await app.createEvent('Before');
  await vi.waitFor(() => expect(app.handled).toEqual(['Before']), { timeout: 10_000 });
  return app;
}

const row = (what: string): readonly string[] | undefined => table.get(what);

requires(
  'redis-server',
  'postgresql',
  'test/stores/drivers/node_modules',
)('the documented table of outages', () => {
  test('matches the effects of a service outage', { timeout: 60_000 }, async () => {
    const app = await running({ store: memoryStore(), checkpoint: memoryCheckpoint() });
    app.away.service = true;

    const found = await outcomes(app, async () => {
      app.away.service = false;
    });

    expect(found).toEqual(row('The service'));
    await expectRecovery(app, found);
  });

  test('matches the effects of a key set outage', { timeout: 60_000 }, async () => {
    const app = await running({ store: memoryStore(), checkpoint: memoryCheckpoint() });
    app.away.keys = true;

    const found = await outcomes(app, async () => {
      app.away.keys = false;
    });

    expect(found).toEqual(row('The key set'));
    await expectRecovery(app, found);
  });

  test.each([
    ['an hour ahead', 'The clock, an hour ahead', 3_600_000],
    ['an hour behind', 'The clock, an hour behind', -3_600_000],
  ])('matches the effects of a clock that is %s', { timeout: 60_000 }, async (_, what, offsetMs) => {
    const app = await running({ store: memoryStore(), checkpoint: memoryCheckpoint() });
    app.clock.offsetMs = offsetMs;

    const found = await outcomes(app, async () => {
      app.clock.offsetMs = 0;
    });

    expect(found).toEqual(row(what));
    await expectRecovery(app, found);
  });

  const programs = programsOf(['test/docs/away-replica.ts']);

  test.each<[string, () => Promise<Service>, (url: string) => Promise<{ store: Store; close(): Promise<unknown> }>]>([
    [
      'Redis',
      startRedis,
      async (url) => {
        const { client, close } = await redisDrivers.ioredis!(url);
        return { store: redisStore(client), close };
      },
    ],
    [
      'PostgreSQL',
      startPostgres,
      async (url) => {
        const { client, close } = await postgresDrivers['a pg pool']!(url);
        const store = postgresStore(client);
        await store.setUp();
        return { store, close };
      },
    ],
  ])('matches the effects of a %s outage', { timeout: 90_000 }, async (what, start, connect) => {
    const server = await start();
    onTestFinished(() => server.close());
    const { store, close } = await connect(server.url);
    onTestFinished(() => void close());
    const app = await running({ store, checkpoint: storeCheckpoint(store, 'organizations') });
    await server.stop();

    const found = await outcomes(app, server.start);

    expect(found).toEqual(row(what));
    await app.stream.close();
    await expectRecovery(app, found);
  });

  test('matches the effects of an outage of one replica', { timeout: 60_000 }, async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const { client, close } = await redisDrivers.ioredis!(server.url);
    onTestFinished(() => void close());
    const store = redisStore(client);
    const app = await application({ store, checkpoint: storeCheckpoint(store, 'organizations') });
    const baseUrl = await app.emulator.listen();
    const replica: ChildProcess = fork(programs.file('away-replica'), [
      baseUrl,
      app.emulator.credentials.apiKey,
      server.url,
    ]);
    onTestFinished(() => void replica.kill('SIGKILL'));
    expect(await emitted(replica, 'message')).toEqual(['ready', undefined]);
    await app.createEvent('Before');
    expect(await emitted(replica, 'message')).toEqual(['Before', undefined]);
    app.run();
    replica.kill('SIGKILL');
    await app.createEvent('Meanwhile');

    const [valid, signIn, webhook, ended] = [
      await app.valid(),
      await app.comesBack(),
      await app.webhook(),
      await app.ended(),
    ];

    await vi.waitFor(() => expect(app.handled.at(-1)).toBe('Meanwhile'), { timeout: 13_000, interval: 50 });
    expect([valid, ended, signIn, webhook, 'goes on within 13 s']).toEqual(row('One replica'));
  });
});
