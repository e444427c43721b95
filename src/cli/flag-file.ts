import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Refusal } from './refusal.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file',
  EISDIR: 'It is a folder',
  EACCES: 'You have no permission to read it',
};

/** Read the file that a flag names. Returns undefined without the flag. @throws {Refusal} The file cannot be read. */
export function readFlagFile(flag: string, file: string | number | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(String(file), 'utf8');
  } catch (error) {
    // `readFileSync` throws a system error.
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Refusal(
      `${flag} ${file} cannot be read. ${reasons[code] ?? message}. Check the path; it resolves to ${resolve(String(file))}.`,
    );
  }
}
