import { ConfigurationError } from '../../errors/index.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { readText } from './text.js';
import type { SeedText } from './yaml.js';

/** A seed as it was given, not yet checked. */
export interface Source extends SeedText {
  /** The file it is in; undefined for an object. */
  readonly file: string | undefined;
}

/** Open a seed. @throws {ConfigurationError} When its file cannot be read. */
export async function sourceOf(seed: string | object): Promise<Source> {
  const location = fileOf(seed);
  if (location === undefined) return { file: undefined, value: () => seed, places: async () => () => undefined };
  const { readSeedFile } = await import('./file.js');
  const { file, text } = await readSeedFile(location);
  return { file, ...(await readText(text)) };
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
      next: 'Pass the path of a YAML or JSON file, or what it holds as an object',
    });
  return seed;
}

const urlIn = (text: string): URL | undefined => (/^(?:https?|file):\/\//i.test(text) ? parsedUrl(text) : undefined);
