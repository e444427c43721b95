import { hashOf } from '../../crypto/pkce.js';
import type { Parser } from '../store/parser.js';
import type { Memory } from '../world/memory.js';
import { parseSeed } from './check.js';
import { type CheckedSeed, describeSeed, type SeedDescription } from './description.js';
import { deepFreeze, plainCopy } from './plain.js';
import { plant } from './plant.js';
import { type PlantedSeed, plantedSeed } from './planted.js';
import { byPositionIn, firstOf, SeedProblems } from './problems.js';
import { wrongNames } from './references.js';
import type { SeedPart } from './section.js';
import { reportProblems, Source, sourceOf } from './source.js';

/** Plants a seed in a new world, before the world is used. */
interface ApplySeed {
  (memory: Memory): Promise<void>;
  /** Check the seed and return its hash. Not set without a seed. */
  readonly fingerprint?: (parser: Parser) => Promise<string>;
}

interface Preparation {
  readonly source: Source;
  readonly planted: PlantedSeed;
  readonly seed: CheckedSeed;
  readonly description: SeedDescription;
}

/**
 * Create a function that plants a seed in new worlds. The seed is read once, for the first world. Without a seed, the function
 * does nothing.
 *
 * The returned function throws a `ConfigurationError` if the seed cannot be read or planted.
 */
export function seederOf(seed: string | object | undefined, parts: readonly SeedPart[]): ApplySeed {
  if (seed === undefined) return async () => undefined;
  let unread: string | object | undefined = seed;
  let preparation: Promise<Preparation> | undefined;
  const prepared = (parser: Parser): Promise<Preparation> => {
    if (unread !== undefined) preparation = prepare(unread, parser, describeSeed(parts));
    unread = undefined;
    // Set by this call or an earlier one.
    return preparation!;
  };
  const apply = async (memory: Memory): Promise<void> => {
    const { source, ...checked } = await prepared(memory.parser);
    await reportProblems(source, () => plant(memory, checked));
    memory.of(plantedSeed).now = checked.planted;
    // Drop the source, which may be large. Planting again only needs the checked seed.
    preparation = Promise.resolve({ ...checked, source: emptySource });
  };
  return Object.assign(apply, {
    fingerprint: async (parser: Parser) => hashOf(JSON.stringify((await prepared(parser)).seed)),
  });
}

/** Replaces the source of a seed that has been planted. */
const emptySource = new Source({ value: () => undefined, places: async () => () => undefined });

async function prepare(input: string | object, parser: Parser, description: SeedDescription): Promise<Preparation> {
  const source = await sourceOf(input);
  return reportProblems(source, () => {
    // A file with only comments is an empty seed.
    const value = plainCopy(source.value()) ?? (source.file === undefined ? null : {});
    const seed = parseSeed(parser, description, value);
    const problems = firstOf(wrongNames(parser.codec, description, value)).sort(byPositionIn(value));
    if (problems.length > 0) throw new SeedProblems(problems);
    const counts = Object.entries(seed).flatMap(([name, entries]) =>
      Array.isArray(entries) && entries.length > 0 ? [[name, entries.length] as const] : [],
    );
    return { source, planted: { file: source.file, counts }, seed: deepFreeze(seed), description };
  });
}
