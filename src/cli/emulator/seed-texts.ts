import { redact } from '../../errors/index.js';
import { pc } from '../colours.js';
import { printable, printableLines } from '../printable.js';

/** Format the message about a changed seed. Without changed sections, the previous file was restored. */
export const changesText = (file: string, changes: readonly string[]): string =>
  changes.length === 0
    ? `  ${printable(file)} is valid again and has no changes.\n`
    : `  ${pc.bold(`${printable(file)} has changed`)} (${printable(changes.join(', '))}): the emulator was reset, and all users are signed out.\n`;

/** Format the message about a seed that the emulator cannot use. */
export const refusalText = (why: string): string =>
  `${pc.yellow('sallyport:')} ${printableLines(redact(why)).replace(/[^.!?]$/, '$&.')} The emulator keeps its current data.\n`;
