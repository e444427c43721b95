import { slot } from '../world/memory.js';

/** The seed of a world. */
export interface PlantedSeed {
  /** Path of the file as given; undefined for an object. */
  readonly file: string | undefined;
  /** Number of entries per section. */
  readonly counts: readonly (readonly [section: string, entries: number])[];
}

/** The seed of a world, for the console. Not set in a restored world, which may differ from its seed. */
export const plantedSeed = slot('planted seed', 'describes how the world started, set when a seed is planted', () => ({
  now: undefined as PlantedSeed | undefined,
}));
