import { redact } from '../errors/index.js';
import { pc } from './colours.js';

/** What is printed when the emulator has started over with a seed that was changed. */
export const changesText = (file: string, changes: readonly string[]): string =>
  changes.length === 0
    ? `  ${file} is as it was.\n`
    : [
        `  ${pc.bold(`${file} has changed`)}: the emulator starts over with it, and nobody is signed in any more.\n`,
        ...changes.map((change) => `    ${change}\n`),
      ].join('');

/** What is printed when a seed that was changed cannot be taken. */
export const refusalText = (why: string): string =>
  `${pc.yellow('sallyport:')} ${redact(why).replace(/[^.!?]$/, '$&.')} The emulator goes on with what it had.\n`;
