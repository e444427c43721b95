import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Refusal } from './refusal.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file',
  EISDIR: 'It is a folder',
  EACCES: 'This user may not read it',
};

/** The text of the file that a flag names; undefined without the flag. @throws {Refusal} It cannot be read. */
export function fileOfFlag(flag: string, file: string | number | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(String(file), 'utf8');
  } catch (error) {
    // Reading a file fails with an error of the system.
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Refusal(
      `${flag} ${file} cannot be read. ${reasons[code] ?? message}. Check the path, which stands for ${resolve(String(file))}.`,
    );
  }
}
