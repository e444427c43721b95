import { ConfigurationError } from '../../errors/index.js';
import type { StateEntry } from './contents.js';

// A state file consists of lines of JSON: a header, then one batch of changes per line. An incomplete last line is ignored: the
// emulator crashed while it wrote the line.

const format = 'sallyport-state';
const version = 1;

/** The first line. */
export const header = `${JSON.stringify({ format, version })}\n`;

/** Maximum number of changes and characters per line. Writing such a line takes about a millisecond. */
const maxLine = { changes: 500, characters: 64_000 } as const;

/** A line of the file, and the number of changes on it. */
interface Line {
  readonly text: string;
  readonly count: number;
}

/** Format changes as lines of the file. */
export function* linesOf(entries: Iterable<StateEntry>): Generator<Line> {
  let texts: string[] = [];
  let characters = 0;
  const line = (): Line => ({ text: `[${texts.join(',')}]\n`, count: texts.length });
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    texts.push(text);
    characters += text.length;
    if (texts.length < maxLine.changes && characters < maxLine.characters) continue;
    yield line();
    texts = [];
    characters = 0;
  }
  if (texts.length > 0) yield line();
}

/** Parse the changes on a line; undefined if it is not valid. */
export function entriesOf(line: string): readonly StateEntry[] | undefined {
  const value = jsonIn(line);
  return Array.isArray(value) && value.every(isEntry) ? value : undefined;
}

/** Check the first line of a file. @throws {ConfigurationError} `invalid_state` if this version cannot read it. */
export function checkHeader(file: string, line: string): void {
  const value = Object(jsonIn(line)) as { readonly format?: unknown; readonly version?: unknown };
  if (value.format !== format)
    throw invalidState(
      `The file ${file} is not a state file of the emulator`,
      'It does not start with the header of a state file. The file was not changed',
      'Use another file, or a path that does not exist yet',
    );
  if (value.version !== version)
    throw invalidState(
      `The state file ${file} has format ${JSON.stringify(value.version)}`,
      `This version of sallyport reads format ${version}, and did not change the file`,
      'Use the version that wrote it, or another file to start over',
    );
}

/** Create the error for a state file that cannot be used. */
export const invalidState = (what: string, why: string, next: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError('invalid_state', { what, why, next }, { cause });

function isEntry(value: unknown): value is StateEntry {
  return (
    Array.isArray(value) &&
    (value.length === 3 || value.length === 4) &&
    value.slice(0, 3).every((one) => typeof one === 'string')
  );
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
