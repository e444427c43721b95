import { redact } from '../errors/index.js';
import { pc } from './colours.js';
import { printable, printableLines } from './printable.js';

/** The text to print after the emulator has started over with a changed seed. */
export const changesText = (file: string, changes: readonly string[]): string =>
  changes.length === 0
    ? `  ${printable(file)} is as before.\n`
    : [
        `  ${pc.bold(`${printable(file)} has changed`)}: the emulator starts over with it, and all users are signed out.\n`,
        ...changes.map((change) => `    ${printable(change)}\n`),
      ].join('');

/** The text to print if the emulator cannot use a changed seed. */
export const refusalText = (why: string): string =>
  `${pc.yellow('sallyport:')} ${printableLines(redact(why)).replace(/[^.!?]$/, '$&.')} The emulator keeps its current data.\n`;
