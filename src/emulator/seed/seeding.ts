import type { Codec } from '../../service/describe/codec.js';
import type { World } from '../world/world.js';
import { parseSeed } from './check.js';
import { type CheckedSeed, describeSeed, type SeedDescription } from './description.js';
import { frozen, plainCopy } from './plain.js';
import { plant } from './plant.js';
import { type PlantedSeed, plantedSeed } from './planted.js';
import { byPositionIn, firstOf, SeedProblems } from './problems.js';
import { wrongNames } from './references.js';
import type { SeedPart } from './section.js';
import { reportProblems, Source, sourceOf } from './source.js';

/** Puts what a seed describes into a world; called for a new world, before anybody sees it. */
export interface ApplySeed {
  (world: World): Promise<void>;
  /** Check the seed, and give what distinguishes it from others; absent where there is none. */
  readonly fingerprint?: (codec: Codec) => Promise<string>;
}

interface Preparation {
  readonly source: Source;
  readonly planted: PlantedSeed;
  readonly seed: CheckedSeed;
  readonly description: SeedDescription;
}

/**
 * Make the function that puts a seed into new worlds; without a seed it does nothing. The seed is read once, for the first one.
 *
 * What is returned throws a `ConfigurationError` when the seed cannot be read, or asks for what cannot be.
 */
export function seederOf(seed: string | object | undefined, parts: readonly SeedPart[]): ApplySeed {
  if (seed === undefined) return async () => undefined;
  let given: string | object | undefined = seed;
  let preparation: Promise<Preparation> | undefined;
  const prepared = (codec: Codec): Promise<Preparation> => {
    if (given !== undefined) preparation = prepare(given, codec, describeSeed(parts));
    given = undefined;
    // Set by the first who asks, now or before.
    return preparation!;
  };
  const apply = async (world: World): Promise<void> => {
    const { source, ...checked } = await prepared(world.codec);
    await reportProblems(source, () => plant(world, checked));
    world.of(plantedSeed).now = checked.planted;
    // Only the checked seed is planted again. The text of its file may be large.
    preparation = Promise.resolve({ ...checked, source: readAlready });
  };
  return Object.assign(apply, { fingerprint: async (codec: Codec) => digestOf((await prepared(codec)).seed) });
}

async function digestOf(seed: CheckedSeed): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(seed)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The source of a seed that has been planted. */
const readAlready = new Source({ value: () => undefined, places: async () => () => undefined });

async function prepare(input: string | object, codec: Codec, description: SeedDescription): Promise<Preparation> {
  const source = await sourceOf(input);
  return reportProblems(source, () => {
    // A file in which nothing stands but comments is a seed too.
    const value = plainCopy(source.value()) ?? (source.file === undefined ? null : {});
    const seed = parseSeed(codec, description, value);
    const problems = firstOf(wrongNames(codec, description, value)).sort(byPositionIn(value));
    if (problems.length > 0) throw new SeedProblems(problems);
    const counts = Object.entries(seed).flatMap(([name, entries]) =>
      Array.isArray(entries) && entries.length > 0 ? [[name, entries.length] as const] : [],
    );
    return { source, planted: { file: source.file, counts }, seed: frozen(seed), description };
  });
}
