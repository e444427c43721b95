import { ConfigurationError } from '../../errors/index.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { invalidSeed, SeedProblems } from './problems.js';
import { readText } from './text.js';
import type { SeedText } from './yaml.js';

/** An unchecked seed. It can be passed as a seed, to avoid reading it again. */
export class Source implements SeedText {
  /** Path of its file as the user wrote it; undefined for an object. */
  readonly file: string | undefined;
  readonly value: () => unknown;
  readonly places: SeedText['places'];

  constructor({ value, places }: SeedText, file?: string) {
    this.file = file;
    this.value = value;
    this.places = places;
  }
}

/** Wrap a value that has no text, and so no positions. */
const withoutPlaces = (value: unknown): SeedText => ({ value: () => value, places: async () => () => undefined });

/** Open a seed. @throws {ConfigurationError} The file cannot be read or run. */
export async function sourceOf(seed: string | object): Promise<Source> {
  if (seed instanceof Source) return seed;
  const location = fileOf(seed);
  if (location === undefined) return new Source(withoutPlaces(seed));
  const { readSeedFile } = await import('./file.js');
  const { file, text } = await readSeedFile(location);
  const { isModule, runModule } = await import('./module.js');
  return new Source(isModule(file) ? withoutPlaces(await runModule(file)) : await readText(text), file);
}

/** Run a function, and turn the problems of a seed into an error for the user. @throws {ConfigurationError} */
export async function reportProblems<T>(source: Source, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof SeedProblems)) throw error;
    throw invalidSeed(source.file, await source.places(), error.problems, error.cause);
  }
}

/** Return the file that a seed names; undefined if the seed is an object. */
function fileOf(seed: string | object): string | URL | undefined {
  const url = seed instanceof URL ? seed : typeof seed === 'string' ? urlIn(seed) : undefined;
  if (url && url.protocol !== 'file:')
    throw new ConfigurationError('invalid_seed', {
      what: 'The seed is a web address',
      why: 'Seeds are read from files, never over the network',
      next: 'Pass a file, or fetch the seed yourself and pass it as an object',
    });
  if (url) return url;
  if (typeof seed !== 'string') return undefined;
  if (seed.trim() === '' || /[\r\n]/.test(seed))
    throw new ConfigurationError('invalid_seed', {
      what: 'The seed is a string, but not a file path',
      next: 'Pass the path of a YAML, JSON, .ts or .js file, or its content as an object',
    });
  return seed;
}

const urlIn = (text: string): URL | undefined => (/^(?:https?|file):\/\//i.test(text) ? parsedUrl(text) : undefined);
