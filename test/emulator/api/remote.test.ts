import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { controlsAt, worldsAt } from 'sallyport/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { namedControlsOf } from '../../../src/emulator/http/control.js';
import { controls } from '../../../src/emulator/registry.js';
import { stage } from '../../stage.js';

async function running() {
  const { emulator } = await stage({ listen: true });
  return emulator;
}

test('the controls of a remote emulator are called over HTTP', async () => {
  const { credentials } = await running();
  const remote = controlsAt(credentials);

  expect(await remote.clock.advance('1d')).toEqual({ now: '2026-01-02T00:00:00.000Z' });
  expect(await remote.requests.list({ status: 404, limit: 5 })).toEqual([]);
  expect(await remote.inbox.latest()).toBeUndefined();
  expect(await remote.inbox.clear()).toBeUndefined();
  await expect(remote.signInAs('user/gone')).rejects.toMatchObject({
    name: 'EmulatorRefusal',
    status: 404,
    message: 'No user has the id or email address "user/gone".',
  });
});

test('a remote export returns the same seed as an export in process', async () => {
  const emulator = await running();

  expect(await controlsAt(emulator.credentials).export()).toBe(await emulator.export());
});

test.each(['', '.', '..'])('the path parameter %j is rejected because the value would change the path', async (id) => {
  const emulator = await running();
  await emulator.faults.add({ status: 503 });

  await expect(controlsAt(emulator.credentials).faults.remove(id)).rejects.toMatchObject({
    status: 422,
    fields: { errors: [{ field: 'id', message: 'must not be empty, . or ..' }] },
  });
  expect(emulator.faults.list()).toHaveLength(1);
});

test('worlds of a remote emulator are created and deleted over HTTP', async () => {
  const { url: baseUrl, adminKey } = await running();
  const worlds = worldsAt({ baseUrl, adminKey });

  const { name, apiKey } = await worlds.create({ name: 'mine' });

  expect((await worlds.list()).map((world) => world.name)).toEqual(['mine']);
  expect((await worlds.get(name)).apiKey).toBe(apiKey);
  expect(await worlds.forget(name)).toBeUndefined();
  await expect(worlds.get(name)).rejects.toMatchObject({ status: 404, code: 'entity_not_found' });
});

test('every control exists for a remote emulator', async () => {
  const remote = controlsAt({ baseUrl: 'http://localhost:9', apiKey: 'sk_test' });
  const methodOf = (name: string): unknown =>
    name.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], remote);
  const named = namedControlsOf(controls);

  expect(named.filter(({ name }) => typeof methodOf(name) !== 'function')).toEqual([]);
  // RemoteControls declares their promises.
  expect(
    named
      .filter(({ control }) => control.isSync)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    'clock.read',
    'dropped',
    'faults.list',
    'inbox.latest',
    'inbox.list',
    'listAuditTrailEvents',
    'listDeliveries',
    'requests.list',
    'snapshot',
  ]);
});

/** Starts a server, and returns its URL. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a URL where nothing listens. */
async function nothing(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const start = 'Start one with npx sallyport emulator, or correct the address.';
const marked = { 'sallyport-emulator': 'control' };
const answering = (status: number, headers: Record<string, string>, body: string) => () =>
  startServer((_, response) => response.writeHead(status, headers).end(body));

describe('a call to a remote emulator fails with the error code unreachable if', () => {
  const wrongAnswer = `The server there does not answer like an emulator of this version. ${start}`;

  test.each([
    ['no server listens at the URL', nothing, /The request failed: .*ECONNREFUSED.* Start one with/],
    [
      'fetch rejects the port',
      async () => 'http://localhost:6000',
      'The request failed: fetch failed: bad port. Use another port in baseUrl: fetch refuses this one.',
    ],
    ['the host is unknown', async () => 'https://nowhere.invalid', /ENOTFOUND|EAI_AGAIN/],
    [
      'a server that is not an emulator answers',
      answering(200, {}, 'hello'),
      `Another server answered, with status 200. ${start}`,
    ],
    [
      'a server that is not an emulator answers with an error',
      answering(500, {}, '{}'),
      'Another server answered, with status 500.',
    ],
    ['the response is not JSON', answering(200, marked, '<html>'), wrongAnswer],
    ['the response is a string instead of an object', answering(200, marked, '"text"'), wrongAnswer],
    ['the body of the error response is not JSON', answering(400, marked, '<html>'), wrongAnswer],
    ['the error response has no code', answering(404, marked, '{"message":"Not here"}'), wrongAnswer],
    ['the body of the error response is null', answering(400, marked, 'null'), wrongAnswer],
    ["the server redirects with an emulator's header", answering(307, { ...marked, location: '/' }, ''), wrongAnswer],
    [
      'the connection ends in the middle of the response',
      () =>
        startServer((_, response) =>
          response.writeHead(200, { ...marked, 'content-length': 9 }).write('{', () => response.destroy()),
        ),
      /The request failed: terminated/,
    ],
  ])('%s', async (_, place, why) => {
    const baseUrl = await place();

    const call = controlsAt({ baseUrl, apiKey: 'sk_test' }).requests.list();

    await expect(call).rejects.toMatchObject({
      name: 'EmulatorError',
      code: 'unreachable',
      message: typeof why === 'string' ? expect.stringContaining(why) : expect.stringMatching(why),
    });
    await expect(call).rejects.toThrow(`No emulator is reachable at ${baseUrl}. `);
  });

  test.each([301, 302, 303, 307, 308])('the server redirects with the status code %i', async (status) => {
    const seen: (string | undefined)[] = [];
    const target = await startServer(({ headers }, response) => response.end(String(seen.push(headers.authorization))));
    const baseUrl = await startServer((_, response) => response.writeHead(status, { location: target }).end());

    const calls = [
      controlsAt({ baseUrl, apiKey: 'sk_test_mine' }).clock.read(),
      controlsAt({ baseUrl, apiKey: 'sk_test_mine' }).clock.advance('1d'),
      worldsAt({ baseUrl, adminKey: 'ak_mine_12345' }).create({ apiKey: 'sk_test_of_the_world' }),
    ];

    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        code: 'unreachable',
        message: `No emulator is reachable at ${baseUrl}. Another server answered, with a redirect, which is not followed because it could send your key elsewhere. ${start}`,
      });
    expect(seen).toEqual([]);
  });

  test.each([
    ['does not come from an emulator', {}, 'Another server answered, with status 200.'],
    ['is larger than any snapshot', marked, 'It answered with more than 268435456 bytes.'],
  ])('the response never ends and %s', async (_, headers, why) => {
    let sent = 0;
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    const baseUrl = await startServer((_, response) => {
      const write = (): void => {
        for (let more = true; more && !response.destroyed; sent++) more = response.write(megabyte);
      };
      response.writeHead(200, headers).on('drain', write);
      write();
    });

    await expect(controlsAt({ baseUrl, apiKey: 'sk_test' }).clock.read()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(why),
    });
    expect(sent).toBeLessThan(300);
  });
});

describe('remote controls', () => {
  test.each([
    [
      'uses plain HTTP for another machine',
      'http://emulator:4100',
      'It would send keys in plain text to emulator:4100.',
    ],
    ['has the host 0.0.0.0', 'http://0.0.0.0:4100', 'It would send keys in plain text to 0.0.0.0:4100.'],
    ['has no scheme', 'localhost:4100', 'It must begin with https://'],
    ['has a password', 'http://ada:hunter2@localhost:4100', 'It must not contain credentials'],
    ['is missing', undefined, 'It must begin with https://'],
  ])("throw an error before any request if the emulator's URL %s", async (_, address, why) => {
    const sent: string[] = [];
    const baseUrl = String(address);
    const fetch = async (url: string) => Promise.reject(new Error(String(sent.push(url))));

    for (const call of [
      controlsAt({ baseUrl, apiKey: 'sk_test', fetch }).clock.read(),
      worldsAt({ baseUrl, adminKey: 'ak_12345678', fetch }).list(),
    ]) {
      await expect(call).rejects.toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining(why) });
      await expect(call).rejects.not.toThrow('hunter2');
    }
    expect(sent).toEqual([]);
  });

  test('accept a plain HTTP URL of another machine if allowInsecure is true', async () => {
    const { emulator } = await stage();
    const baseUrl = 'http://emulator:4100';
    const { apiKey } = emulator.credentials;
    const { adminKey, fetch } = emulator;

    expect(await controlsAt({ baseUrl, apiKey, fetch, allowInsecure: true }).inbox.list()).toEqual([]);
    expect(await worldsAt({ baseUrl, adminKey, fetch, allowInsecure: true }).list()).toEqual([]);
  });
});

test('an error from a remote control does not contain the API key', async () => {
  const fetch = async (_: string, { headers }: { headers?: Record<string, string> }) =>
    Promise.reject(new Error(`could not send ${headers?.authorization}`));

  const error = await controlsAt({ baseUrl: 'http://localhost:4100', apiKey: 'my own key', fetch })
    .clock.read()
    .catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('could not send Bearer …') });
  expect(inspect(error)).not.toContain('my own key');
});

test('a fetch option that does not return a Response is named in the error', async () => {
  const fetch = async () => undefined as never;

  await expect(controlsAt({ baseUrl: 'http://localhost:4100', apiKey: 'sk_test', fetch }).clock.read()).rejects.toThrow(
    'fetch must return a Response',
  );
});
