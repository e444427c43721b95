import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { CommandError } from './command-error.js';

/**
 * Read a text file of the user, without its byte order mark. Bytes that are not UTF-8 become U+FFFD, so never write the text back.
 *
 * @throws {CommandError} It is UTF-16, as PowerShell writes it. Other programs cannot read it either.
 */
export function readTextFile(path: string, name: string): string {
  const bytes = readFileSync(path);
  if (bytes.includes(0) || /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2)))
    throw new CommandError(
      `${name} is not UTF-8 text: it may be UTF-16, which the > of Windows PowerShell writes. Save it as UTF-8 and try again.`,
    );
  return new TextDecoder().decode(bytes);
}

/** Return the line ends of a text: those of its last line that has one. */
const lineEndsOf = (text: string): string => text.match(/\r?\n/g)?.at(-1) ?? '\n';

/** Compare two texts. Line ends do not matter, because git may convert them. */
export const isSameText = (one: string, other: string): boolean =>
  one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n');

/** Replace a text file, or create it. It keeps its line ends. */
export const replaceText = (path: string, before: string, text: string): void =>
  writeFileSync(path, text.replaceAll('\n', lineEndsOf(before)));

/** Append text to a file after a blank line, or create the file. The bytes before it stay, and the line ends match theirs. */
export function appendText(path: string, before: string, text: string, mode: number | undefined): void {
  const gap = before === '' || /(?:^|\n)\r?\n$/.test(before) ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  appendFileSync(path, `${gap}${text}`.replaceAll('\n', lineEndsOf(before)), mode === undefined ? {} : { mode });
}
