import { StreamError } from './stream-error.js';

/** An event, as a place in the feed. */
export interface Place {
  readonly id: string;
  readonly createdAt: string;
}

/** How far a stream has come. */
export interface Position {
  /** The last event before which nothing is left to do, and nothing will appear any more. */
  readonly settled: Place | undefined;
  /** Where the feed begins as long as there is no such event; ISO 8601. */
  readonly since: string | undefined;
  /** When the feed was last looked at, in milliseconds since 1970. */
  readonly lookedAt: number;
  /** What was handled after `settled`, by `shortOf` their ids, with when it was first seen, in milliseconds since 1970. */
  readonly handled: ReadonlyMap<string, number>;
}

const width = 6;

/** A number of 31 bits for a text. Each letter changes all bits that follow from it. */
function mixed(text: string, factor: number): number {
  let hash = factor;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), factor);
    hash ^= hash >>> 15;
  }
  return hash >>> 1;
}

/** Twelve letters and digits for an id: 62 bits, so that no two of a million events are likely ever to share them. */
export const shortOf = (id: string): string =>
  [0x9e3779b1, 0x85ebca77].map((factor) => mixed(id, factor).toString(36).padStart(width, '0')).join('');

/** Times of several events are kept as one: the end of so many milliseconds. */
const spanMs = 10_000;

/** What a checkpoint says about the stream that has saved it. */
interface Author {
  /** Differs between streams, so that two streams at the same place save different texts and notice each other. */
  readonly by: string;
  /** Types of events that the stream asks for; all if undefined. */
  readonly types: readonly string[] | undefined;
}

/** A position as the text of a checkpoint. */
export const textOf = ({ settled, since, lookedAt, handled }: Position, { by, types }: Author): string =>
  JSON.stringify({
    v: 1,
    by,
    types,
    after: settled?.id,
    at: settled?.createdAt,
    since,
    looked: new Date(lookedAt).toISOString(),
    handled: groupsOf(handled),
  });

/** Ids by the time when they were first seen, those of one span together. */
function groupsOf(handled: Position['handled']): Group[] {
  const groups = new Map<number, string[]>();
  for (const [short, seenAt] of handled) {
    const end = Math.ceil(seenAt / spanMs) * spanMs;
    const group = groups.get(end);
    if (group) group.push(short);
    else groups.set(end, [short]);
  }
  return [...groups].map(([end, shorts]) => [end, shorts.join('')]);
}

/** Reads the text of a checkpoint. @throws {StreamError} `checkpoint_malformed`. */
export function positionIn(text: string): Position & Pick<Author, 'types'> {
  const { v, types, after, at, since, looked, handled } = fieldsIn(text);
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
      what: 'The checkpoint holds a text that a stream of this version did not save',
      why: 'Something else saved it, or a later version of this package',
      next: 'Give each stream its own checkpoint; to start again, remove the text and pass start',
    });
  return {
    types,
    // The condition above has checked both.
    settled: isSettled ? { id: after as string, createdAt: at as string } : undefined,
    since,
    lookedAt: Date.parse(looked),
    handled: new Map(
      handled.flatMap(([end, shorts]) =>
        [...shorts.matchAll(shortLetters)].map(([short]): [string, number] => [short, end]),
      ),
    ),
  };
}

const shortLetters = new RegExp(`.{${2 * width}}`, 'g');

type Group = readonly [end: number, shorts: string];

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
