import { fieldOf } from '../../errors/problem.js';
import type { Event, EventFilter, UnknownEvent } from '../../service/events.js';
import { StreamError } from '../stream-error.js';
import type { EventSelection, EventsClient } from './latest.js';
import { type EventRef, shortHash } from './position.js';
import type { ListedRecord } from './window.js';

/** Events can be listed for 30 days. */
export const retentionMs = 30 * 86_400_000;
/** Maximum difference between the local clock and that of the service. */
const maxSkewMs = 86_400_000;

/** Where a poll of the feed starts. */
export interface PollStart {
  readonly cursor: EventRef | undefined;
  readonly since: string | undefined;
  readonly now: number;
  /** Called with the headers of the first response. */
  readonly onHeaders: (headers: Headers) => void;
}

/** Clock differences to ignore: `Date` has whole seconds, and responses take time to arrive. */
const ignoredSkewMs = 5_000;

/**
 * Offset of the service's clock in milliseconds, from the `Date` header. Ignores offsets of a day or more: a test may use a clock
 * that is years off.
 */
export function aheadMs(headers: Headers, now: number): number {
  const ahead = Date.parse(headers.get('date') ?? '') - now;
  return Math.abs(ahead) > ignoredSkewMs && Math.abs(ahead) < maxSkewMs ? ahead : 0;
}

/** List pages of the feed. Unreadable records come first in their page. */
export async function* listPages(
  client: EventsClient,
  { events, organizationId }: EventSelection,
  { cursor, since, now, onHeaders }: PollStart,
  signal: AbortSignal,
): AsyncGenerator<readonly ListedRecord[]> {
  // An event that expires soon is unsafe as a cursor. Its time is safe, because expired events are older than those still to list.
  const isUsable = cursor !== undefined && Date.parse(cursor.createdAt) > now - retentionMs + maxSkewMs;
  const start = isUsable ? { after: cursor.id } : { rangeStart: cursor?.createdAt ?? since };
  const filter: Omit<EventFilter, 'rangeStart'> = { events: events && [...events], organizationId, order: 'asc' };
  let invalid: ListedRecord[] = [];
  const onInvalid = (record: unknown, problem: string): void => {
    invalid.push({ event: unreadable(record, problem, now), isCursor: false });
  };
  try {
    const list = client.events.listEvents({ ...filter, limit: 100, ...start }, { signal, onInvalid });
    // The iteration below starts with this page, so it is fetched only once.
    onHeaders((await list.withResponse()).response.headers);
    for await (const { data } of list.pages()) {
      const page = [...invalid, ...data.map((event) => ({ event: withData(event), isCursor: true }))];
      invalid = [];
      yield page;
    }
  } catch (error) {
    throw isUsable && isUnknownCursor(error) ? unknownCursor(cursor.id, error) : error;
  }
}

/** The fields of an API error that are used here. */
interface ClientError {
  readonly status?: unknown;
  readonly errors?: readonly { readonly field?: string }[];
}

/** Whether the service does not know the object that a list was to continue after. */
export function isUnknownCursor(error: unknown): boolean {
  const { status, errors = [] } = Object(error) as ClientError;
  return status === 422 && errors.every(({ field }) => field === undefined || field === 'after');
}

const unknownCursor = (id: string, cause: unknown): StreamError =>
  new StreamError(
    'checkpoint_expired',
    {
      what: `The service does not know the event ${id} of the checkpoint`,
      why: 'It is older than 30 days, or belongs to another environment',
      next: 'Check the API key. If it is correct, compare your data with the lists of the service, then delete the checkpoint and pass start',
    },
    { cause },
  );

/** Reject a checkpoint that is so old that events are lost. @throws {StreamError} `checkpoint_expired`. */
export function checkCheckpointAge(polledAt: number, now: number): void {
  if (now - polledAt <= retentionMs) return;
  throw new StreamError('checkpoint_expired', {
    what: `The checkpoint was saved ${Math.floor((now - polledAt) / 86_400_000)} days ago`,
    why: 'The service lists events of the last 30 days only, so older ones are lost',
    next: 'Compare your data with the lists of the service, then delete the checkpoint and pass start',
  });
}

/** Whether a later retry may succeed: not if the service rejects the request, or if the request was never sent. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StreamError) return false;
  const status = fieldOf(error, 'status');
  const code = fieldOf(error, 'code');
  if (typeof status === 'number') return status < 400 || status >= 500 || [408, 425, 429].includes(status);
  return code === 'connection_failed' || code === 'timeout' || code === 'repeated_cursor';
}

/** Unreadable data may be null or missing. Callbacks get an object, as its type says. */
const withData = (event: Event): Event => (event.data ? event : ({ ...event, data: {} } as UnknownEvent));

/** An `UnknownEvent` for a record that is not a valid event. */
function unreadable(record: unknown, message: string, now: number): UnknownEvent {
  const data = Object(record) as Record<string, unknown>;
  const { id, event, created_at: createdAt } = data;
  return {
    object: 'event',
    id: typeof id === 'string' && id !== '' ? id : `unreadable_${shortHash(JSON.stringify(data))}`,
    // The name of events with unreadable data.
    event: 'unknown' as UnknownEvent['event'],
    data,
    createdAt: isTime(createdAt) ? createdAt : new Date(now).toISOString(),
    problem: { event: typeof event === 'string' ? event : 'unknown', message },
  };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && Number.isFinite(Date.parse(value));
