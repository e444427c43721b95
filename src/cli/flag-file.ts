import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError } from './command-error.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'The file does not exist',
  EISDIR: 'It is a folder',
  EACCES: 'You have no permission to read it',
};

/** Read the file passed to a flag. Returns undefined if the flag is not set. @throws {CommandError} The file cannot be read. */
export function readFlagFile(flag: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    // Editors on Windows may add a byte order mark, which PEM and JSON do not allow. The decoder removes it.
    return new TextDecoder().decode(readFileSync(String(file)));
  } catch (error) {
    // `readFileSync` throws system errors.
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${flag} ${file} cannot be read. ${reasons[code] ?? message}. Check the path; it resolves to ${resolve(String(file))}.`,
    );
  }
}
