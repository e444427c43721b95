import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Worlds } from '../../../src/emulator/api/worlds.js';
import { rooms } from '../../../src/emulator/registry.js';
import { SeedImage } from '../../../src/emulator/seed/seed-image.js';
import { type Clock, createClock } from '../../../src/emulator/world/clock.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';
import { WorldDirectory } from '../../../src/emulator/world/world-directory.js';
import { stage } from '../../stage.js';
import { emptyWorld, worldOf } from '../world/empty-world.js';

/** A register of worlds that removes idle worlds by a clock of the test. */
function register() {
  const main = emptyWorld();
  const directory = new WorldDirectory([]);
  directory.add(worldOf(main));
  const housekeeping = createClock('2026-01-01T00:00:00.000Z');
  const { parser } = main;
  const beginning = new SeedImage(undefined, rooms);
  const worlds = new Worlds({
    shared: {
      parser,
      url: () => 'http://emulator.localhost',
      onFault: () => undefined,
      onDrop: () => undefined,
      claimKey: (world, value) => directory.reserveKey(world, value),
      sourceOf: () => beginning,
    },
    directory,
    settingsOf: (keys) => settingsOf(keys),
    sourceOf: () => beginning,
    newClock: () => createClock(),
    idSeed: undefined,
    housekeeping,
  });
  const namesAfter = async (ms: number, clock: Clock = housekeeping) => {
    await clock.advance(ms);
    return worlds.api.list().map(({ name }) => name);
  };
  return { worlds, directory, namesAfter };
}

test('a world is deleted if no request or call uses the world during the idle time', async () => {
  const { worlds, directory, namesAfter } = register();
  await worlds.create({ name: 'idle', idleMs: 60_000 });
  const called = await worlds.api.create({ name: 'called', idleMs: 60_000 });
  await worlds.create({ name: 'asked', idleMs: 60_000 });
  await worlds.create({ name: 'patient' });

  expect(await namesAfter(59_000)).toEqual(['idle', 'called', 'asked', 'patient']);
  called.clock.read();
  directory.named('asked');
  expect(await namesAfter(1_000)).toEqual(['called', 'asked', 'patient']);
  expect(await namesAfter(58_999)).toEqual(['called', 'asked', 'patient']);
  expect(await namesAfter(1)).toEqual(['patient']);
  expect(await namesAfter(3_480_999)).toEqual(['patient']);
  expect(await namesAfter(1)).toEqual([]);
  expect(() => called.clock.read()).toThrow('The world called has been deleted');
});

test.each([Number.NaN, 0, -1, 'an hour' as unknown as number])(
  'the invalid idle time "%s" for a world is rejected',
  async (idleMs) => {
    const { worlds } = register();

    await expect(worlds.api.create({ idleMs })).rejects.toMatchObject({
      status: 422,
      message: 'The request is not valid: idle_ms must be more than 0 milliseconds.',
    });
    await expect(worlds.api.create({ idleMs: Number.POSITIVE_INFINITY })).resolves.toMatchObject({ name: 'w2' });
  },
);

test('the emulator rejects a new world if 10,000 worlds exist', async () => {
  const { worlds, directory } = register();
  for (let at = 0; at < 9_998; at++) directory.add(worldOf(emptyWorld()));
  await worlds.create({ name: 'last' });

  await expect(worlds.create({})).rejects.toMatchObject({ status: 409, code: 'too_many_worlds' });
  worlds.forget('last');
  await expect(worlds.create({ name: 'another' })).resolves.toMatchObject({ name: 'another' });
});

test('a deleted world does not stay in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { emulator } = await stage({ seed: { organizations: [{ name: 'Acme' }] } });
  const remains = await (async () => {
    const world = await emulator.worlds.create({ name: 'gone' });
    const authorization = `Bearer ${world.credentials.apiKey}`;
    await (await emulator.fetch('/organizations', { headers: { authorization } })).text();
    await (await emulator.fetch(`/sso/jwks/${world.credentials.clientId}`)).text();
    await world.forget();
    return new WeakRef(world);
  })();

  // A running job may keep a reference until it ends.
  for (let round = 0; round < 5 && remains.deref(); round++) {
    await new Promise(setImmediate);
    collectGarbage();
  }

  expect(remains.deref()).toBeUndefined();
});
