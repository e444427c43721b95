import type { EmulatorState } from '../../emulator/index.js';

/** Describe whether the emulator keeps its data after it stops. */
export const stateAfterExit = (state: EmulatorState | undefined): string =>
  state ? 'The emulator keeps its data for the next start' : 'The emulator does not keep its data';

/** Describe the state file and whether its data was restored. */
export function stateLine({ file, isNew, hasOtherSeed }: EmulatorState): string {
  if (isNew) return `${file} (new)`;
  if (!hasOtherSeed) return `${file} (restored)`;
  return `${file} (restored; the seed has changed since then: to use it, delete this file or reset the emulator)`;
}
