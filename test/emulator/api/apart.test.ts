import { describe, expect, test } from 'vitest';
import { Sallyport } from '../../../src/index.js';
import { createTokenVerifier } from '../../../src/session/index.js';
import { sender } from '../../servers/send.js';
import { stage } from '../../stage.js';

const seed = {
  users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true, password: 'correct horse' }],
  api_keys: [{ value: 'sk_reader', deny: ['POST *'] }],
  webhook_endpoints: [{ id: 'we_app', endpoint_url: 'http://127.0.0.1:9/hook', events: ['organization.created'] }],
};
const ada = { email: 'ada@acme.test', password: 'correct horse' };

/** Two worlds with the same seed, each with its client. */
async function createTwoWorlds() {
  const delivered: string[] = [];
  const { emulator } = await stage({
    seed,
    deliver: async (request) => {
      delivered.push(await request.text());
      return new Response();
    },
  });
  const createWorld = async (name: string) => {
    const world = await emulator.worlds.create({ name });
    const { credentials } = world;
    const client = new Sallyport({ ...credentials, fetch: emulator.fetch });
    return { world, client, credentials, send: sender(emulator.fetch, emulator.url, credentials.apiKey) };
  };
  return { emulator, delivered, one: await createWorld('one'), other: await createWorld('other') };
}

type WorldWithClient = Awaited<ReturnType<typeof createTwoWorlds>>['one'];

const signIn = ({ client }: WorldWithClient) => client.userManagement.authenticateWithPassword(ada);
describe('worlds do not share', () => {
  test('objects, events or deliveries', async () => {
    const { emulator, delivered, one, other } = await createTwoWorlds();
    const heard: string[] = [];
    other.world.onEvent(({ event }) => heard.push(event));

    const { id } = await one.client.organizations.createOrganization({ name: 'Acme' });
    await one.world.waitForDeliveries();

    await expect(other.client.organizations.getOrganization(id)).rejects.toMatchObject({ status: 404 });
    expect((await other.client.events.listEvents({ events: ['organization.created'] })).data).toEqual([]);
    expect([heard, other.world.deliveries, emulator.deliveries]).toEqual([[], [], []]);
    expect([one.world.deliveries.length, delivered.length]).toEqual([1, 1]);
  });

  test('ids, even if the ids are created at the same time', async () => {
    const { emulator } = await stage({ seed, ids: undefined });
    const ids: string[] = [];
    for (const name of ['one', 'other', 'third']) {
      const { credentials } = await emulator.worlds.create({ name });
      const client = new Sallyport({ ...credentials, fetch: emulator.fetch });
      const { id } = await client.organizations.createOrganization({ name });
      const later = await client.organizations.createOrganization({ name });
      expect(later.id > id).toBe(true);
      const { accessToken } = await client.userManagement.authenticateWithPassword(ada);
      ids.push(id, later.id, JSON.parse(atob(accessToken.split('.')[1]!)).sid);
    }

    expect(new Set(ids).size).toBe(9);
  });

  test('invitations, even if the worlds have the same public URL', async () => {
    const invitations = [{ email: 'grace@acme.test' }];
    const { emulator } = await stage({ seed: { ...seed, invitations }, publicUrl: 'https://emulator.acme.test' });
    const createWorld = async (name: string) => {
      const { credentials } = await emulator.worlds.create({ name });
      return new Sallyport({ ...credentials, fetch: emulator.fetch }).userManagement;
    };
    const [one, other] = [await createWorld('one'), await createWorld('other')];
    const stateIn = async (client: typeof one) => (await client.listInvitations()).data.map(({ state }) => state);
    const { token = '' } = (await one.listInvitations()).data[0] ?? {};

    const form = { method: 'POST', body: new URLSearchParams({ token, way: 'accept' }) };
    const shown = await emulator.fetch(`/invitations/accept?token=${token}`, { headers: { accept: 'text/html' } });
    const [cookie = ''] = (shown.headers.get('set-cookie') ?? '').split(';');
    const [, field = ''] = /name="form_token" value="([^"]+)"/.exec(await shown.text()) ?? [];
    form.body.set('form_token', field);
    await emulator.fetch('/invitations/accept', { ...form, headers: { cookie, accept: 'text/html' } });

    expect([await stateIn(one), await stateIn(other)]).toEqual([['accepted'], ['pending']]);
  });

  test('email messages', async () => {
    const { emulator, one, other } = await createTwoWorlds();

    await one.client.userManagement.sendMagicAuthCode({ email: 'ada@acme.test' });

    expect(one.world.inbox.messages).toHaveLength(1);
    expect([other.world.inbox.messages, emulator.inbox.messages]).toEqual([[], []]);
  });

  test('clocks', async () => {
    const { emulator, one, other } = await createTwoWorlds();
    const before = [other.world.clock.now(), emulator.clock.now()];

    await one.world.clock.advance('400d');

    const days = [other.world.clock.now() - before[0]!, emulator.clock.now() - before[1]!].map((ms) => ms / 86_400_000);
    expect(Math.max(...days)).toBeLessThan(1);
    const answer = await one.send('GET /organizations');
    expect(Date.parse(answer.headers.get('date')!) - emulator.clock.now()).toBeGreaterThan(399 * 86_400_000);
  });

  test('redirect URIs', async () => {
    const { one, other } = await createTwoWorlds();
    const redirectUri = 'https://app.acme.test/callback';

    await one.world.addRedirectUri(redirectUri);

    const authorizeStatus = async ({ client, send }: WorldWithClient) => {
      const url = await client.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri });
      return (await send(`GET ${url.slice(url.indexOf('/', 8))}`, undefined, { accept: 'application/json' })).status;
    };
    expect([await authorizeStatus(one), await authorizeStatus(other)]).toEqual([302, 400]);
  });

  test('redirect URIs that are set when a world is created', async () => {
    const { emulator } = await stage({ seed });
    const addressesOf = async (uri: string) => {
      const world = await emulator.worlds.create({ redirectUris: [uri] });
      return (await world.export({ format: 'json' })).match(/https:[^"]*callback/g);
    };

    expect(await addressesOf('https://one.test/callback')).toEqual(['https://one.test/callback']);
    expect(await addressesOf('https://two.test/callback')).toEqual(['https://two.test/callback']);
  });

  test('faults, rate limits, idempotency keys or request logs', async () => {
    const { one, other } = await createTwoWorlds();
    const headers = { 'idempotency-key': 'the-same' };
    await one.world.setRateLimit('user_management_reads', { requests: 1 });

    const first = await one.send('POST /organizations', { name: 'Acme' }, headers);
    const second = await other.send('POST /organizations', { name: 'Acme' }, headers);
    await one.world.faults.add({ status: 503 });
    const statuses = [await one.send('GET /organizations'), await other.send('GET /organizations')];
    const reads = [await other.send('GET /user_management/users'), await other.send('GET /user_management/users')];

    expect(first.body.id).not.toBe(second.body.id);
    expect(statuses.map(({ status }) => status)).toEqual([503, 200]);
    expect(reads.map(({ status }) => status)).toEqual([200, 200]);
    expect(one.world.requests.list().map(({ path }) => path)).toEqual(['/organizations', '/organizations']);
  });

  test('sessions', async () => {
    const { one, other } = await createTwoWorlds();

    const { refreshToken } = await signIn(one);

    expect((await other.client.userManagement.listSessions('user_ada')).data).toEqual([]);
    await expect(other.client.userManagement.authenticateWithRefreshToken({ refreshToken })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('API keys from a seed', async () => {
    const { emulator, one } = await createTwoWorlds();
    const as = (key: string) => sender(emulator.fetch, emulator.url, key);
    await one.client.organizations.createOrganization({ name: 'Acme' });

    expect((await as('sk_reader')('GET /organizations')).body.data).toEqual([]);
    expect((await as('sk_reader_one')('GET /organizations')).body.data).toHaveLength(1);
    expect((await as('sk_reader_one')('POST /organizations', { name: 'B' })).status).toBe(403);
    expect((await as('sk_reader_other')('GET /organizations')).body.data).toEqual([]);
    await expect(one.world.addApiKey({ value: 'sk_reader_other' })).rejects.toMatchObject({ code: 'api_key_taken' });
  });
});

describe("a page at a world's redirect URI", () => {
  const origin = 'http://localhost:5173';
  const withPage = async () => {
    const worlds = await createTwoWorlds();
    await worlds.one.world.addRedirectUri(`${origin}/callback`);
    for (const { world } of [worlds.other, { world: worlds.emulator }])
      await world.addRedirectUri('http://localhost:3000/callback');
    const sendFromPage = (method: string, clientId: string, url = worlds.emulator.url) =>
      worlds.emulator.fetch(`${url}/user_management/authenticate`, {
        method,
        headers: { origin, 'access-control-request-method': 'POST', 'content-type': 'application/json' },
        ...(method === 'POST' && {
          body: JSON.stringify({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'none' }),
        }),
      });
    return { ...worlds, sendFromPage };
  };
  const allowed = (answer: Response): string | null => answer.headers.get('access-control-allow-origin');

  test("can read token responses only for the world's client id", async () => {
    const { one, other, sendFromPage } = await withPage();

    expect(allowed(await sendFromPage('OPTIONS', ''))).toBe(origin);
    expect(allowed(await sendFromPage('POST', one.credentials.clientId))).toBe(origin);
    expect(allowed(await sendFromPage('POST', other.credentials.clientId))).toBeNull();
  });

  test("can send requests to the world's URL, but not to another world's URL", async () => {
    const { one, other, sendFromPage } = await withPage();

    expect((await sendFromPage('OPTIONS', '', one.world.url)).status).toBe(204);
    expect((await sendFromPage('OPTIONS', '', other.world.url)).status).toBe(403);
  });
});

describe('an access token', () => {
  test('is rejected by the token verifier of another world', async () => {
    const { emulator, one, other } = await createTwoWorlds();
    const { accessToken } = await signIn(one);

    const verdictOf = ({ credentials: { baseUrl, clientId } }: WorldWithClient) =>
      createTokenVerifier({ baseUrl, clientId, fetch: emulator.fetch, now: emulator.clock.now }).verifyAccessToken(
        accessToken,
      );

    expect(await verdictOf(one)).toMatchObject({ status: 'active', session: { userId: 'user_ada' } });
    expect(await verdictOf(other)).toMatchObject({ status: 'signed_out', reason: 'unknown_key' });
  });

  test('is signed with a different key in each world, even if a new world reuses a client id', async () => {
    const { emulator, one, other } = await createTwoWorlds();
    const kidsOf = async (clientId: string): Promise<readonly string[]> => {
      const answer = await emulator.fetch(`/sso/jwks/${clientId}`);
      return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    };
    const { clientId } = one.credentials;
    const kids = [...(await kidsOf(clientId)), ...(await kidsOf(other.credentials.clientId))];
    kids.push(...(await kidsOf(emulator.credentials.clientId)));

    await one.world.forget();
    expect((await emulator.fetch(`/sso/jwks/${clientId}`)).status).toBe(404);
    await emulator.worlds.create({ clientId });
    kids.push(...(await kidsOf(clientId)));

    expect(new Set(kids).size).toBe(4);
  });
});

test("a sign-out at the emulator's URL does not end a session in another world", async () => {
  const { emulator, one, other } = await createTwoWorlds();
  const { accessToken } = await signIn(one);
  await signIn(other);
  const { sid } = JSON.parse(atob(accessToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));

  await emulator.fetch(`/user_management/sessions/logout?session_id=${sid}`);

  const statusIn = async ({ client }: WorldWithClient) =>
    (await client.userManagement.listSessions('user_ada')).data[0]?.status;
  expect([await statusIn(one), await statusIn(other)]).toEqual(['revoked', 'active']);
});

test('a restored world continues webhook deliveries', async () => {
  const statuses: number[] = [];
  const { emulator } = await stage({
    deliver: () => {
      const status = statuses.length === 0 ? 500 : 200;
      statuses.push(status);
      return new Response(null, { status });
    },
  });
  const world = await emulator.worlds.create({ clock: '2026-01-01T00:00:00.000Z' });
  const send = sender(emulator.fetch, emulator.url, world.credentials.apiKey);
  await send('POST /webhook_endpoints', { endpoint_url: 'https://app.acme.test/webhooks', events: [] });
  await send('POST /organizations', { name: 'Acme' });
  await expect.poll(() => statuses).toEqual([500]);

  await world.restore(JSON.parse(JSON.stringify(world.snapshot())));
  await world.clock.advance('1h');

  expect(statuses).toEqual([500, 200]);
  expect(world.deliveries.map(({ state }) => state)).toEqual(['delivered']);
});

test('the API key of a world that is deleted during a reset can be used for a new world', async () => {
  const { emulator } = await stage({ seed: { organizations: [{ name: 'Acme' }] } });
  const before = await emulator.worlds.create({ apiKey: 'sk_test_shared' });
  const send = sender(emulator.fetch, emulator.url, 'sk_test_shared');

  const reset = before.reset();
  await before.forget();
  await reset;

  expect((await send('GET /organizations')).body.code).toBe('unknown_api_key');
  const after = await emulator.worlds.create({ apiKey: 'sk_test_shared' });
  expect(after.credentials.apiKey).toBe('sk_test_shared');
  expect((await send('GET /organizations')).body.data).toMatchObject([{ name: 'Acme' }]);
});
