import { resolve } from 'node:path';
import { CommandError } from './command-error.js';
import { readTextFile } from './text-file.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'The file does not exist',
  EISDIR: 'It is a folder',
  EACCES: 'You have no permission to read it',
};

/** Read the file passed to a flag. Returns undefined if the flag is not set. @throws {CommandError} The file cannot be read. */
export function readFlagFile(flag: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readTextFile(String(file), `${flag} ${file}`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // The others are system errors.
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${flag} ${file} cannot be read. ${reasons[code] ?? message}. Check the path; it resolves to ${resolve(String(file))}.`,
    );
  }
}
