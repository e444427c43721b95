import { ConfigurationError } from '../../errors/index.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { invalidSeed, SeedProblems } from './problems.js';
import { readText } from './text.js';
import type { SeedText } from './yaml.js';

/** A seed as it was given, not yet checked; itself a seed that need not be read again. */
export class Source implements SeedText {
  /** The file it is in, as the user writes it; undefined for an object. */
  readonly file: string | undefined;
  /** The files in which it stands: that one, and for a module what it imports where the runtime says so. */
  readonly files: readonly string[];
  readonly value: () => unknown;
  readonly places: SeedText['places'];

  constructor({ value, places }: SeedText, file?: string, files: readonly string[] = []) {
    this.file = file;
    this.files = files;
    this.value = value;
    this.places = places;
  }
}

/** A seed that is there as a value, in which nothing has a place in a text. */
const placeless = (value: unknown): SeedText => ({ value: () => value, places: async () => () => undefined });

/** Open a seed. @throws {ConfigurationError} When its file cannot be read, or run. */
export async function sourceOf(seed: string | object): Promise<Source> {
  if (seed instanceof Source) return seed;
  const location = fileOf(seed);
  if (location === undefined) return new Source(placeless(seed));
  const { readSeedFile } = await import('./file.js');
  const { file, text, path } = await readSeedFile(location);
  const { isModule, runModule } = await import('./module.js');
  if (!isModule(file)) return new Source(await readText(text), file, [path]);
  const { value, files } = await runModule(file);
  return new Source(placeless(value), file, files);
}

/** Turn a seed's problems into the error that a user sees. @throws {ConfigurationError} */
export async function reportProblems<T>(source: Source, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof SeedProblems)) throw error;
    throw invalidSeed(source.file, await source.places(), error.problems, error.cause);
  }
}

/** The file that a seed names, or `undefined` for one that is there already. */
function fileOf(seed: string | object): string | URL | undefined {
  const url = seed instanceof URL ? seed : typeof seed === 'string' ? urlIn(seed) : undefined;
  if (url && url.protocol !== 'file:')
    throw new ConfigurationError('invalid_seed', {
      what: 'The seed is an address of the web',
      why: 'Seeds are read from files, never over a network',
      next: 'Pass a file, or as an object what you fetched from there',
    });
  if (url) return url;
  if (typeof seed !== 'string') return undefined;
  if (seed.trim() === '' || /[\r\n]/.test(seed))
    throw new ConfigurationError('invalid_seed', {
      what: 'The seed is a text, but not the path of a file',
      next: 'Pass the path of a YAML, JSON, .ts or .js file, or what it holds as an object',
    });
  return seed;
}

const urlIn = (text: string): URL | undefined => (/^(?:https?|file):\/\//i.test(text) ? parsedUrl(text) : undefined);
