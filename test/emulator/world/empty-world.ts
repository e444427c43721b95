import { Parser } from '../../../src/emulator/store/parser.js';
import type { SavedWorld } from '../../../src/emulator/store/store.js';
import { createClock, type Instant } from '../../../src/emulator/world/clock.js';
import { Memory } from '../../../src/emulator/world/memory.js';
import { settingsOf } from '../../../src/emulator/world/settings.js';
import { Codec } from '../../../src/service/describe/codec.js';

/** A world without rooms, for behavior that no answer of an emulator shows. */
export function emptyWorld(start: Instant = '2026-01-01T00:00:00.000Z', saved?: SavedWorld): Memory {
  const settings = settingsOf({});
  const codec = new Codec(settings.dialect);
  return new Memory({
    saved,
    clock: createClock(start),
    settings,
    idSeed: 1,
    codec,
    parser: new Parser(codec),
    url: () => 'http://emulator.localhost',
    onFault: (error) => {
      throw error;
    },
    onDrop: () => undefined,
    reset: () => Promise.reject(new Error('an empty world has nothing to start over with')),
    snapshot: () => {
      throw new Error('an empty world is in no emulator');
    },
    restore: () => Promise.reject(new Error('an empty world is in no emulator')),
  });
}
