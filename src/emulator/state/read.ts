import { createReadStream } from 'node:fs';
import { Contents } from './contents.js';
import { checkHeader, entriesOf, invalidState } from './format.js';

/** Result of reading a state file. */
export interface Reading {
  readonly contents: Contents;
  /** Number of bytes after the last complete line. They are ignored. */
  readonly left: number;
}

const newline = 10;

/** Read a state file. @throws {ConfigurationError} `invalid_state` if it is another kind of file, or damaged before the last line. */
export async function readState(file: string): Promise<Reading> {
  const contents = new Contents();
  let size = 0;
  let number = 0;
  let broken: number | undefined;
  const take = (line: Buffer): void => {
    number++;
    const text = line.toString();
    if (number === 1) checkHeader(file, text);
    else {
      const entries = entriesOf(text);
      // Only the last line may be broken: lines after a broken one are not reliable.
      if (broken !== undefined || !entries) {
        if (broken === undefined && !entries) broken = number;
        else throw damaged(file, broken!);
        return;
      }
      for (const entry of entries) contents.apply(entry);
    }
    size += line.length + 1;
  };

  let total = 0;
  let pieces: Buffer[] = [];
  // Without an encoding, the stream yields buffers.
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
    // The emulator only gives the file its name after it has written the first line, so this file is from another program.
    if (number === 0) checkHeader(file, '');
  }
  if (broken !== undefined && pieces.length > 0) throw damaged(file, broken);
  return { contents, left: total - size };
}

const damaged = (file: string, line: number): Error =>
  invalidState(
    `Line ${line} of the state file ${file} is damaged`,
    'Later lines depend on it. The file was not changed',
    'Restore a backup, or delete the file to start over',
  );
