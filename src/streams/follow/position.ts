import { StreamError } from '../stream-error.js';

/** An event as a position in the feed. */
export interface EventRef {
  readonly id: string;
  readonly createdAt: string;
}

/** The progress of a stream. */
export interface Position {
  /** The last settled event: everything up to it is handled, and no event can appear before it. */
  readonly settled: EventRef | undefined;
  /** Start of the feed until there is a settled event; ISO 8601. */
  readonly since: string | undefined;
  /** Time of the last poll, in milliseconds since 1970. */
  readonly polledAt: number;
  /** Events handled after `settled`: from the hash of each id to the time it was first seen, in milliseconds since 1970. */
  readonly handled: ReadonlyMap<string, number>;
}

const width = 6;

/** A 31-bit hash of a string. */
function hash31(text: string, factor: number): number {
  let hash = factor;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), factor);
    hash ^= hash >>> 15;
  }
  return hash >>> 1;
}

/** A hash of an id in twelve letters and digits. With 62 bits, a collision among a million events is very unlikely. */
export const shortHash = (id: string): string =>
  [0x9e3779b1, 0x85ebca77].map((factor) => hash31(id, factor).toString(36).padStart(width, '0')).join('');

/** Saved times are rounded up to this many milliseconds, so that events can share one. */
const spanMs = 10_000;

/** The stream that saved a checkpoint. */
interface Author {
  /** Differs between streams, so that two streams at the same position save different texts and detect each other. */
  readonly by: string;
  /** Event types that the stream requests; undefined for all. */
  readonly types: readonly string[] | undefined;
  /** Number of the last request to poll whose events are handled. */
  readonly poked?: number | undefined;
}

/** A position as it was saved. */
export type SavedPosition = Position & Pick<Author, 'types' | 'poked'>;

/** Serialize a position for a checkpoint. */
export const serializePosition = (
  { settled, since, polledAt, handled }: Position,
  { by, types, poked }: Author,
): string =>
  JSON.stringify({
    v: 1,
    by,
    types,
    after: settled?.id,
    at: settled?.createdAt,
    since,
    looked: new Date(polledAt).toISOString(),
    poked,
    handled: groupsOf(handled),
  });

/** Group ids by the time they were first seen. */
function groupsOf(handled: Position['handled']): Group[] {
  const groups = new Map<number, string[]>();
  for (const [hash, seenAt] of handled) {
    const end = Math.ceil(seenAt / spanMs) * spanMs;
    const group = groups.get(end);
    if (group) group.push(hash);
    else groups.set(end, [hash]);
  }
  return [...groups].map(([end, hashes]) => [end, hashes.join('')]);
}

/** Parse the text of a checkpoint. @throws {StreamError} `checkpoint_malformed`. */
export function parsePosition(text: string): SavedPosition {
  const { v, types, poked, after, at, since, looked, handled } = fieldsIn(text);
  const isSettled = after !== undefined || at !== undefined;
  if (
    v !== 1 ||
    !isTime(looked) ||
    !(types === undefined || isTexts(types)) ||
    !(since === undefined || isTime(since)) ||
    (isSettled && !(typeof after === 'string' && isTime(at))) ||
    !(Array.isArray(handled) && handled.every(isGroup))
  )
    throw new StreamError('checkpoint_malformed', {
      what: 'The checkpoint was not written by this version of sallyport/streams',
      why: 'Another program or a later version of this package saved it',
      next: 'Give each stream its own checkpoint. To start over, delete the checkpoint and pass start',
    });
  return {
    types,
    poked: typeof poked === 'number' ? poked : undefined,
    // `isSettled` is true only if both are strings.
    settled: isSettled ? { id: after as string, createdAt: at as string } : undefined,
    since,
    polledAt: Date.parse(looked),
    handled: new Map(
      handled.flatMap(([end, hashes]) =>
        [...hashes.matchAll(hashPattern)].map(([hash]): [string, number] => [hash, end]),
      ),
    ),
  };
}

const hashPattern = new RegExp(`.{${2 * width}}`, 'g');

type Group = readonly [end: number, hashes: string];

const isTime = (value: unknown): value is string => typeof value === 'string' && Number.isFinite(Date.parse(value));

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isGroup = (value: unknown): value is Group =>
  Array.isArray(value) &&
  Number.isFinite(value[0]) &&
  typeof value[1] === 'string' &&
  value[1].length % (2 * width) === 0;

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
