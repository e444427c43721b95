import { slot } from '../world/world.js';

/** What was planted in a world. */
export interface PlantedSeed {
  /** The file, as it was named; undefined for an object. */
  readonly file: string | undefined;
  /** How many entries each of its sections has. */
  readonly counts: readonly (readonly [section: string, entries: number])[];
}

/** The seed of a world, for whoever looks; nothing in one that was saved, which need not be what its seed said. */
export const plantedSeed = slot('planted seed', 'how the world began, said by whoever plants', () => ({
  now: undefined as PlantedSeed | undefined,
}));
