import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { Sallyport } from '../../../src/index.js';
import { sender } from '../../servers/send.js';
import { stage } from '../../stage.js';

const adminKey = 'ak_for_these_tests';
const seed = { organizations: [{ id: 'org_acme', name: 'Acme' }] };

/** A listening emulator, and functions that send requests with its administrator key or with other keys. */
async function startServer(options: EmulatorOptions = {}) {
  const { emulator } = await stage({ listen: true, adminKey, ...options });
  return {
    emulator,
    send: sender(fetch, emulator.url, adminKey),
    as: (key: string) => sender(fetch, emulator.url, key),
  };
}

describe('the worlds API', () => {
  test('creates a world with a new API key, client id and URL', async () => {
    const { emulator, send } = await startServer();
    const { port } = new URL(emulator.url);

    const { status, headers, body } = await send('POST /_emulator/worlds', { name: 'checkout' });

    expect([status, headers.get('sallyport-emulator')]).toEqual([200, 'control']);
    expect(body).toEqual({
      name: 'checkout',
      api_key: expect.stringMatching(/^sk_test_sallyport_[A-Za-z0-9]{32}$/),
      client_id: expect.stringMatching(/^client_[0-9A-Z]{26}$/),
      base_url: `http://127.0.0.1:${port}`,
      dialect: 'spec',
      url: `http://checkout.localhost:${port}`,
      env: {
        SALLYPORT_BASE_URL: `http://127.0.0.1:${port}`,
        SALLYPORT_API_KEY: body.api_key,
        SALLYPORT_CLIENT_ID: body.client_id,
        SALLYPORT_COOKIE_PASSWORD: expect.stringMatching(/^.{32,}$/),
        SALLYPORT_REDIRECT_URI: 'http://localhost:3000/callback',
        SALLYPORT_DIALECT: 'spec',
      },
      created_at: '2026-01-01T00:00:00.000Z',
      idle_ms: 3_600_000,
    });
  });

  test("creates a world with the seed from the request, the emulator's seed or no data", async () => {
    const { send, as } = await startServer({ seed });
    const namesIn = async (fields: object) => {
      const { body } = await send('POST /_emulator/worlds', fields);
      const { data } = (await as(body.api_key)('GET /organizations')).body;
      return data.map(({ name }: { readonly name: string }) => name);
    };

    expect(await namesIn({ seed: { organizations: [{ name: 'Northwind' }] } })).toEqual(['Northwind']);
    expect(await namesIn({})).toEqual(['Acme']);
    expect(await namesIn({ seed: null })).toEqual([]);
    expect(await namesIn({ seed: {} })).toEqual([]);
  });

  test('creates a world with the content of the seed object at the time of the call', async () => {
    const { emulator } = await startServer();
    const own = { users: [{ email: 'ada@acme.test' }] };
    const emailsIn = async () => {
      const world = await emulator.worlds.create({ seed: own });
      const { data } = await new Sallyport({ ...world.credentials }).userManagement.listUsers();
      await new Sallyport({ ...world.credentials }).userManagement.createUser({ email: 'late@acme.test' });
      return data.map(({ email }) => email);
    };

    const emails = [await emailsIn(), await emailsIn()];
    own.users[0]!.email = 'bob@acme.test';

    expect([...emails, await emailsIn()]).toEqual([['ada@acme.test'], ['ada@acme.test'], ['bob@acme.test']]);
  });

  test('lists worlds, and reads or deletes a world by name', async () => {
    const { send, as } = await startServer();
    await send('POST /_emulator/worlds', {});
    const { body: second } = await send('POST /_emulator/worlds', {});

    const { body: list } = await send('GET /_emulator/worlds');
    const { body: one } = await send('GET /_emulator/worlds/w2');
    const forgetting = await send('DELETE /_emulator/worlds/w2');

    expect(list.data.map(({ name }: { readonly name: string }) => name)).toEqual(['w1', 'w2']);
    expect(one).toEqual(second);
    expect(forgetting.status).toBe(200);
    expect((await as(second.api_key)('GET /organizations')).body.code).toBe('unknown_api_key');
    expect((await send('GET /_emulator/worlds/w2')).body.code).toBe('entity_not_found');
    expect((await send('DELETE /_emulator/worlds/w2')).status).toBe(404);
    expect((await send('POST /_emulator/worlds', {})).body.name).toBe('w3');
  });

  test('creates a world with the API key, client id, clock, redirect URIs and idle time from the request', async () => {
    const { send, as } = await startServer();
    const wanted = { name: 'a', api_key: 'sk_test_a', client_id: 'client_a', idle_ms: 60_000 };
    const more = { clock: '2030-05-06T07:08:09.000Z', redirect_uris: ['http://localhost:5173/callback'] };

    const { body } = await send('POST /_emulator/worlds', { ...wanted, ...more });

    expect(body).toMatchObject(wanted);
    expect(body.env.SALLYPORT_REDIRECT_URI).toBe('http://localhost:5173/callback');
    expect((await as('sk_test_a')('GET /_emulator/clock')).body).toEqual({ now: '2030-05-06T07:08:09.000Z' });
    expect((await send('GET /_emulator/clock')).status).toBe(401);
  });

  test.each([
    ['an invalid value', { name: 'No_Label' }, 422, 'invalid_value'],
    ['an invalid value', { name: '-a' }, 422, 'invalid_value'],
    ['an invalid value', { name: 'a'.repeat(64) }, 422, 'invalid_value'],
    ['an invalid value', { name: 'emulator' }, 422, 'invalid_value'],
    ['a name that is already in use', { name: 'taken' }, 409, 'name_taken'],
    ['a client id that is already in use', { client_id: 'client_taken' }, 409, 'client_id_taken'],
    ['a client id that is already in use', { client_id: 'client_sallyport_emulator' }, 409, 'client_id_taken'],
    ['an API key that is already in use', { api_key: 'sk_taken' }, 409, 'api_key_taken'],
    ['an API key that is already in use', { api_key: 'sk_test_sallyport_emulator' }, 409, 'api_key_taken'],
    ['an invalid value', { api_key: 'secret' }, 422, 'malformed_api_key'],
    ['an invalid value', { clock: 'soon' }, 422, 'invalid_value'],
    ['an invalid value', { clock: { advance: true } }, 422, 'invalid_type'],
    ['an invalid value', { redirect_uris: ['nowhere'] }, 422, 'invalid_redirect_uri'],
    ['an invalid value', { idle_ms: 0 }, 422, 'validation_error'],
    ['an invalid value', { client_id: ' ' }, 422, 'invalid_value'],
    ['an invalid value', { seed: 'company.yaml' }, 422, 'validation_error'],
    ['an invalid value', { seed: { organisations: [] } }, 422, 'invalid_seed'],
  ])('rejects a new world with %s (%j)', async (_what, fields, status, code) => {
    const { send } = await startServer();
    await send('POST /_emulator/worlds', { name: 'taken', client_id: 'client_taken', api_key: 'sk_taken' });

    const answer = await send('POST /_emulator/worlds', fields);

    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await send('GET /_emulator/worlds')).body.data).toHaveLength(1);
  });

  test('rejects a new world with an invalid seed, and explains the mistake', async () => {
    const { send } = await startServer();

    const { body } = await send('POST /_emulator/worlds', { seed: { organisations: [] } });

    expect(body.errors).toEqual([
      {
        field: 'seed',
        code: 'invalid_seed',
        message: expect.stringContaining('organisations is not a known section; did you mean organizations?'),
      },
    ]);
  });
});

describe('the worlds API', () => {
  test.each([
    ['without a key', undefined, 401, 'missing_admin_key'],
    ['with an unknown administrator key', 'ak_of_somebody_else', 401, 'unknown_admin_key'],
    ['with an API key', 'sk_test_sallyport_emulator', 403, 'admin_key_required'],
  ])('cannot be used %s', async (_, key, status, code) => {
    const { send } = await startServer();
    const authorization = key && `Bearer ${key}`;

    for (const line of ['POST /_emulator/worlds', 'GET /_emulator/worlds', 'GET /_emulator/worlds/w1']) {
      const { body, ...answer } = await send(line, undefined, { authorization });
      expect([answer.status, body.code, answer.headers.get('sallyport-emulator')]).toEqual([status, code, 'control']);
    }
  });

  test('is the only API that accepts the administrator key', async () => {
    const { send } = await startServer();

    const { status, body } = await send('GET /organizations');

    expect([status, body.code]).toEqual([401, 'malformed_api_key']);
    expect(body.message).toContain('administrator key');
  });

  test('responds with status 405 to an unsupported method', async () => {
    const { send } = await startServer();

    expect((await send('PUT /_emulator/worlds')).status).toBe(405);
  });

  test('has a random administrator key by default', async () => {
    const [one, other] = [await createEmulator(), await createEmulator()];

    expect(one.adminKey).toMatch(/^ak_[A-Za-z0-9]{40}$/);
    expect(one.adminKey).not.toBe(other.adminKey);
  });
});

describe('a world that is created in process', () => {
  const startWithWorld = async (options: EmulatorOptions = {}) => {
    const { emulator } = await stage({ seed, ...options });
    const world = await emulator.worlds.create();
    const client = new Sallyport({ ...world.credentials, fetch: emulator.fetch });
    return { emulator, world, client };
  };

  test('has its own data, clock and request log', async () => {
    const { emulator, world, client } = await startWithWorld();

    await client.organizations.createOrganization({ name: 'Northwind' });
    await world.clock.set('2030-01-01T00:00:00.000Z');

    const { data } = await client.organizations.listOrganizations();
    expect(data.map(({ name }) => name)).toEqual(['Northwind', 'Acme']);
    expect(world.requests.list()).toHaveLength(2);
    expect(emulator.requests.list()).toEqual([]);
    expect(emulator.clock.iso()).not.toBe(world.clock.iso());
  });

  test('is found by name until the world is deleted', async () => {
    const { emulator, world, client } = await startWithWorld();
    const waiting = world.inbox.waitFor({ timeoutMs: 60_000 });
    expect([emulator.worlds.find('w1'), emulator.worlds.list()]).toEqual([world, [world]]);

    await world.forget();

    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    expect([emulator.worlds.find('w1'), emulator.worlds.list()]).toEqual([undefined, []]);
    await expect(client.organizations.listOrganizations()).rejects.toMatchObject({ status: 401 });
    expect(() => world.inbox.messages).toThrow('The world w1 has been deleted');
    await world.forget();
  });

  test('keeps the signing key after a reset', async () => {
    const { emulator } = await stage();
    const world = await emulator.worlds.create();
    const keys = async () => (await emulator.fetch(`/sso/jwks/${world.credentials.clientId}`)).text();
    const before = await keys();

    await world.reset();

    expect(await keys()).toBe(before);
  });

  test('can be reset without affecting other worlds', async () => {
    const { emulator, world, client } = await startWithWorld();
    const other = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    await client.organizations.createOrganization({ name: 'Northwind' });
    await other.organizations.createOrganization({ name: 'Tailspin' });

    await world.reset();

    expect((await client.organizations.listOrganizations()).data).toHaveLength(1);
    expect((await other.organizations.listOrganizations()).data).toHaveLength(2);
  });

  test('is deleted when the emulator is closed', async () => {
    const { emulator, world } = await startWithWorld();

    await emulator.close();

    expect(() => world.inbox.messages).toThrow('has been deleted');
    await expect(emulator.worlds.create()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe("a world's URL", () => {
  const startWithAddress = async () => {
    const { emulator } = await startServer({ seed });
    const world = await emulator.worlds.create({ name: 'w7', seed: { organizations: [{ name: 'Northwind' }] } });
    const open = async (path: string, host: string, headers: Readonly<Record<string, string>> = {}) =>
      emulator.fetch(`http://${host}${path}`, { headers, redirect: 'manual' });
    return { emulator, world, open };
  };

  test("serves the world's pages and API", async () => {
    const { world, open } = await startWithAddress();
    const authorization = `Bearer ${world.credentials.apiKey}`;

    const page = await open('/', 'w7.localhost', { accept: 'text/html' });
    const call = await open('/organizations', 'W7.localhost:4100', { authorization });

    expect(await page.text()).toContain(world.credentials.clientId);
    expect((await call.json()).data).toMatchObject([{ name: 'Northwind' }]);
  });

  test("does not accept another world's API key", async () => {
    const { emulator, open } = await startWithAddress();
    const authorization = `Bearer ${emulator.credentials.apiKey}`;

    const answer = await open('/organizations', 'w7.localhost', { authorization });

    expect([answer.status, (await answer.json()).code]).toEqual([403, 'key_of_another_world']);
  });

  test('responds with status 404 if the world does not exist', async () => {
    const { open } = await startWithAddress();

    const answer = await open('/organizations', 'w8.localhost:4100');
    const page = await open('/', 'w8.localhost', { accept: 'text/html' });

    expect([answer.status, answer.headers.get('sallyport-emulator')]).toEqual([404, 'no-such-world']);
    expect(await answer.json()).toMatchObject({
      code: 'no_such_world',
      message: expect.stringContaining('/_emulator/worlds'),
    });
    expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('World not found')]);
  });

  test("is the redirect target for a browser that signs in with the world's client id", async () => {
    const { emulator, world, open } = await startWithAddress();
    const path = `/user_management/authorize?client_id=${world.credentials.clientId}&response_type=code`;
    const host = new URL(emulator.url).host;

    const browser = await open(path, host, { accept: 'text/html' });
    const program = await open(path, host, { accept: '*/*' });

    expect(browser.headers.get('location')).toBe(`${world.url}${path}`);
    expect(program.headers.get('location') ?? '').not.toContain('w7.localhost');
  });

  test("is the redirect target for a sign-in that starts at the world's identity provider", async () => {
    const { emulator, world, open } = await startWithAddress();
    const { id } = await world.createConnection({ name: 'Okta', connectionType: 'OktaSAML' });
    const host = new URL(emulator.url).host;

    const known = await open(`/sso/idp-initiated/${id}`, host, { accept: 'text/html' });
    const unknown = await open('/sso/idp-initiated/conn_none', host, { accept: 'text/html' });

    expect([known.status, known.headers.get('location')]).toEqual([302, `${world.url}/sso/idp-initiated/${id}`]);
    expect([unknown.status, unknown.headers.get('location')]).toEqual([404, null]);
  });

  test('is used in email links, but not as the base URL for clients', async () => {
    const { emulator, world } = await startWithAddress();
    const client = new Sallyport({ ...world.credentials, fetch: emulator.fetch });

    await client.userManagement.sendInvitation({ email: 'ada@acme.test' });

    expect(world.inbox.latest()?.url).toContain(`${world.url}/invitations/accept`);
    expect(world.credentials.baseUrl).toBe(emulator.url);
  });

  test("is recognized in the Host header, but not as part of a website's host name", async () => {
    const { emulator, world } = await startWithAddress();
    const { port } = new URL(emulator.url);
    const statusAt = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${world.credentials.apiKey}` };
        get({ port, path: '/organizations', headers }, (answer) => resolve(answer.resume().statusCode)).on(
          'error',
          reject,
        );
      });

    const hosts = [
      `w7.localhost:${port}`,
      `w8.localhost:${port}`,
      'w7.localhost.evil.test',
      'w7.evil.test',
      'evil.test',
    ];
    expect(await Promise.all(hosts.map(statusAt))).toEqual([200, 404, 403, 403, 403]);
  });

  test.each([
    ['http://idp.localhost:8080', 'http://w7.idp.localhost:8080'],
    ['http://localhost:8080', 'http://w7.localhost:8080'],
    ['https://emulator.acme.test', 'https://emulator.acme.test'],
  ])('for an emulator at the public URL %s is %s', async (publicUrl, url) => {
    const { emulator } = await stage({ publicUrl });
    const world = await emulator.worlds.create({ name: 'w7' });
    const query = `client_id=${world.credentials.clientId}&response_type=code&provider=authkit`;
    const callback = 'redirect_uri=http://localhost:3000/callback';
    const open = (address: string, cookie = '') =>
      emulator.fetch(address, { headers: { accept: 'text/html', cookie }, redirect: 'manual' });

    const first = await open(`${publicUrl}/user_management/authorize?${query}&${callback}`);
    const sent = first.headers.get('location')!;
    const own = sent.startsWith('/') ? first : await open(sent);
    const cookie = own.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    const page = await open(url + own.headers.get('location'), cookie);

    expect([world.url, world.credentials.baseUrl]).toEqual([url, publicUrl]);
    expect(sent.startsWith('/') ? publicUrl : new URL(sent).origin).toBe(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Sign in')]);
  });

  test('does not change when the emulator is reset', async () => {
    const { emulator, world } = await startWithAddress();
    const other = await emulator.worlds.create();

    await emulator.reset();

    expect(emulator.worlds.list().map(({ url }) => new URL(url).hostname)).toEqual(['w7.localhost', 'w1.localhost']);
    expect([world.credentials.baseUrl, other.credentials.baseUrl]).toEqual([emulator.url, emulator.url]);
    expect(world.env.SALLYPORT_COOKIE_PASSWORD).not.toBe(other.env.SALLYPORT_COOKIE_PASSWORD);
  });
});
