import { ConfigurationError } from '../../errors/index.js';
import type { Entry } from './contents.js';

// A state file is lines of JSON: first what it is, then batches of changes, each line one batch. A line that the file ends within was
// being written when the emulator crashed; what it would have said never happened.

const format = 'sallyport-state';
const version = 1;

/** The first line. */
export const header = `${JSON.stringify({ format, version })}\n`;

/** How many changes, and how many characters of them, stand on a line: few enough that writing one takes a millisecond. */
const longestLine = { changes: 500, characters: 64_000 } as const;

/** A line of the file, and how many changes are on it. */
interface Line {
  readonly text: string;
  readonly count: number;
}

/** Changes as lines of the file. */
export function* linesOf(entries: Iterable<Entry>): Generator<Line> {
  let texts: string[] = [];
  let characters = 0;
  const line = (): Line => ({ text: `[${texts.join(',')}]\n`, count: texts.length });
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    texts.push(text);
    characters += text.length;
    if (texts.length < longestLine.changes && characters < longestLine.characters) continue;
    yield line();
    texts = [];
    characters = 0;
  }
  if (texts.length > 0) yield line();
}

/** The changes on a line; undefined when it is none. */
export function entriesOf(line: string): readonly Entry[] | undefined {
  const value = jsonIn(line);
  return Array.isArray(value) && value.every(isEntry) ? value : undefined;
}

/** Refuse a file by its first line, unless this version can read it. @throws {ConfigurationError} `invalid_state`. */
export function checkHeader(file: string, line: string): void {
  const value = Object(jsonIn(line)) as { readonly format?: unknown; readonly version?: unknown };
  if (value.format !== format)
    throw invalidState(
      `The file ${file} is not one in which the emulator remembers its state`,
      'Its first line does not say so, and it was left as it is',
      'Name another file, or one that is not there yet',
    );
  if (value.version !== version)
    throw invalidState(
      `The state in ${file} has the format ${JSON.stringify(value.version)}`,
      `This version of sallyport reads the format ${version}, and left the file as it is`,
      'Use the version that wrote it, or name another file to start over',
    );
}

/** A state file that cannot be used. */
export const invalidState = (what: string, why: string, next: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError('invalid_state', { what, why, next }, { cause });

function isEntry(value: unknown): value is Entry {
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
