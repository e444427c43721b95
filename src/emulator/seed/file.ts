import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../errors/index.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'The file does not exist',
  EISDIR: 'It is a folder',
  EACCES: 'The current user may not read it',
};

/** A seed file. */
interface SeedFile {
  /** Its path as the user wrote it. */
  readonly file: string;
  readonly text: string;
}

/** Read a seed file. @throws {ConfigurationError} */
export async function readSeedFile(location: string | URL): Promise<SeedFile> {
  const file = typeof location === 'string' ? location : fileURLToPath(location);
  const unreadable = (why: string, cause: unknown): ConfigurationError =>
    new ConfigurationError(
      'invalid_seed',
      { what: `The seed ${file} cannot be read`, why, next: `Check the path, which resolves to ${resolve(file)}` },
      { cause },
    );
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(reasonOf(error), error);
  });
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    throw unreadable('It is not valid UTF-8', error);
  }
}

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
};
