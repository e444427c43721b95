import { parserOf } from '../../../src/emulator/store/parser.js';
import type { SavedWorld } from '../../../src/emulator/store/store.js';
import { createClock, type Instant } from '../../../src/emulator/world/clock.js';
import { createMemory, type Memory } from '../../../src/emulator/world/memory.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';
import { World, WorldSet } from '../../../src/emulator/world/world.js';

/** The memory of a world without rooms, for behavior that no response of the emulator shows. */
export function emptyWorld(start: Instant = '2026-01-01T00:00:00.000Z', saved?: SavedWorld): Memory {
  const settings = settingsOf({});
  return createMemory({
    saved,
    clock: createClock(start),
    settings,
    idSeed: 1,
    parser: parserOf(settings.dialect),
    url: () => 'http://emulator.localhost',
    onFault: (error) => {
      throw error;
    },
    onDrop: () => undefined,
  });
}

/** Open a world with this memory. Its reset keeps the memory. */
export function worldOf(memory: Memory): World {
  const { clock, settings, parser } = memory;
  const world = new World(new WorldSet(), {
    clock,
    settings,
    parser,
    idSeed: 1,
    url: () => 'http://emulator.localhost',
    onFault: () => undefined,
    onDrop: () => undefined,
    claimKey: () => undefined,
    source: sourceOf(memory),
    sourceOf: () => sourceOf(memory),
  });
  world.install(memory, undefined);
  return world;
}

const sourceOf = (memory: Memory) => ({
  plant: async () => memory,
  open: () => memory,
  fingerprint: async () => '',
});
