import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlsAt, worldsAt } from 'sallyport/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { namedControlsOf } from '../../../src/emulator/http/control.js';
import { controls } from '../../../src/emulator/registry.js';
import { stage } from '../../stage.js';

async function running() {
  const { emulator } = await stage({ listen: true });
  return emulator;
}

test('controls of an emulator that runs elsewhere are called over HTTP', async () => {
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

test('an exported seed is the same text as in process', async () => {
  const emulator = await running();

  expect(await controlsAt(emulator.credentials).export()).toBe(await emulator.export());
});

test.each(['', '.', '..'])('a path parameter %j is refused, because it would name another path', async (id) => {
  const emulator = await running();
  await emulator.faults.add({ status: 503 });

  await expect(controlsAt(emulator.credentials).faults.remove(id)).rejects.toMatchObject({
    status: 422,
    fields: { errors: [{ field: 'id', message: 'must not be empty, . or ..' }] },
  });
  expect(emulator.faults.list()).toHaveLength(1);
});

test('worlds of an emulator that runs elsewhere are made and forgotten over HTTP', async () => {
  const { url: baseUrl, adminKey } = await running();
  const worlds = worldsAt({ baseUrl, adminKey });

  const { name, apiKey } = await worlds.create({ name: 'mine' });

  expect((await worlds.list()).map((world) => world.name)).toEqual(['mine']);
  expect((await worlds.get(name)).apiKey).toBe(apiKey);
  expect(await worlds.forget(name)).toBeUndefined();
  await expect(worlds.get(name)).rejects.toMatchObject({ status: 404, code: 'entity_not_found' });
});

test('every control is there, and those that answer at once in process have a type that promises', async () => {
  const remote = controlsAt({ baseUrl: 'http://localhost:9', apiKey: 'sk_test' });
  const methodOf = (name: string): unknown =>
    name.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], remote);
  const named = namedControlsOf(controls);

  expect(named.filter(({ name }) => typeof methodOf(name) !== 'function')).toEqual([]);
  // Each has its promise in RemoteControls.
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

/** The address of a server that is not an emulator. */
async function somethingElse(): Promise<string> {
  const server = createServer((_, response) => response.end('hello'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nothing listens. */
async function nothing(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test.each([
  ['nothing listens', nothing, 'The request failed'],
  ['something else answers', somethingElse, 'Another server answered, with status 200'],
])('a call is refused where %s', async (_, place, why) => {
  const baseUrl = await place();

  await expect(controlsAt({ baseUrl, apiKey: 'sk_test' }).clock.read()).rejects.toMatchObject({
    name: 'EmulatorError',
    code: 'unreachable',
    message: `No emulator is reachable at ${baseUrl}. ${why}. Start one with npx sallyport emulator, or correct the address.`,
  });
});
