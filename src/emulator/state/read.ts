import { createReadStream } from 'node:fs';
import { Contents } from './contents.js';
import { checkHeader, entriesOf, invalidState } from './format.js';

/** What was read of a state file. */
export interface Reading {
  readonly contents: Contents;
  /** Where the last whole line ends, in bytes; what follows is left out. */
  readonly size: number;
  /** How many bytes follow. */
  readonly left: number;
  /** How many changes are in the file. */
  readonly changes: number;
}

const newline = 10;

/** Read a state file. @throws {ConfigurationError} `invalid_state`, when it is something else or damaged within. */
export async function readState(file: string): Promise<Reading> {
  const contents = new Contents();
  let size = 0;
  let changes = 0;
  let number = 0;
  let broken: number | undefined;
  const take = (line: Buffer): void => {
    number++;
    const text = line.toString();
    if (number === 1) checkHeader(file, text);
    else {
      const entries = entriesOf(text);
      // The last line may be broken; what comes after another one cannot be relied on.
      if (broken !== undefined || !entries) {
        if (broken === undefined && !entries) broken = number;
        else throw damaged(file, broken!);
        return;
      }
      for (const entry of entries) contents.apply(entry);
      changes += entries.length;
    }
    size += line.length + 1;
  };

  let total = 0;
  let pieces: Buffer[] = [];
  // Without an encoding it gives bytes.
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    total += chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      const end = chunk.subarray(from, at);
      take(pieces.length === 0 ? end : Buffer.concat([...pieces, end]));
      pieces = [];
      from = at + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    // A first line without an end is somebody else's: the emulator puts a file in its place when that line is in it.
    if (number === 0) checkHeader(file, '');
  }
  if (broken !== undefined && pieces.length > 0) throw damaged(file, broken);
  return { contents, size, left: total - size, changes };
}

const damaged = (file: string, line: number): Error =>
  invalidState(
    `Line ${line} of the state in ${file} is damaged`,
    'More lines follow, which rely on it; the file was left as it is',
    'Put a copy in its place, or delete the file to start over',
  );
