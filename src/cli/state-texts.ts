import type { EmulatorState } from '../emulator/index.js';

/** What becomes of what an emulator remembers when it stops. */
export const whatRemains = (state: EmulatorState | undefined): string =>
  state ? 'what it remembers is there when it starts again' : 'what it remembers is gone then';

/** Where an emulator remembers everything, and with what it began. */
export function stateLine({ file, isNew, hasOtherSeed }: EmulatorState): string {
  if (isNew) return `${file}, which is new`;
  if (!hasOtherSeed) return `${file}, as it was left`;
  return `${file}, as it was left: the seed has changed since, and is planted when you delete this file or reset the emulator`;
}
