import type { EventFilter, UnknownEvent } from '../service/events.js';
import type { EventSelection, EventsClient } from './latest.js';
import { type Place, shortOf } from './position.js';
import { StreamError } from './stream-error.js';
import type { Listed } from './window.js';

/** Events can be listed for 30 days. */
export const retentionMs = 30 * 86_400_000;
/** How far the clock here and the service's may differ. */
const toleranceMs = 86_400_000;

/** Where a look begins. */
export interface LookStart {
  readonly place: Place | undefined;
  readonly since: string | undefined;
  readonly now: number;
  /** Called with the headers of the first answer. */
  readonly onHeaders: (headers: Headers) => void;
}

/** Differences of clocks that do not matter: the header has whole seconds, and an answer takes time. */
const noMatterMs = 5_000;

/** How many milliseconds ahead the clock of the service is, by the `Date` of an answer. A test may have a clock that is years off; it does not count. */
export function aheadMs(headers: Headers, now: number): number {
  const ahead = Date.parse(headers.get('date') ?? '') - now;
  return Math.abs(ahead) > noMatterMs && Math.abs(ahead) < toleranceMs ? ahead : 0;
}

/** The pages of the feed from a place on. A record that cannot be read stands before the others of its page. */
export async function* pagesFrom(
  client: EventsClient,
  { types, organizationId }: EventSelection,
  { place, since, now, onHeaders }: LookStart,
  signal: AbortSignal,
): AsyncGenerator<readonly Listed[]> {
  // An event that the service is about to forget is no place to go on from. What it forgets is older than anything still to be listed.
  const isKept = place !== undefined && Date.parse(place.createdAt) > now - retentionMs + toleranceMs;
  const start = isKept ? { after: place.id } : { rangeStart: place?.createdAt ?? since };
  const filter: Omit<EventFilter, 'rangeStart'> = { events: types && [...types], organizationId, order: 'asc' };
  let unread: Listed[] = [];
  const onInvalid = (record: unknown, problem: string): void => {
    unread.push({ event: unreadable(record, problem, now), isPlace: false });
  };
  try {
    const list = client.events.listEvents({ ...filter, limit: 100, ...start }, { signal, onInvalid });
    // The walk begins with this page, so it is not fetched twice.
    onHeaders((await list.withResponse()).response.headers);
    for await (const { data } of list.pages()) {
      const page = [...unread, ...data.map((event) => ({ event, isPlace: true }))];
      unread = [];
      yield page;
    }
  } catch (error) {
    throw isKept && isUnknownPlace(error) ? unknownPlace(place.id, error) : error;
  }
}

/** What is known of an error of the client. */
interface ClientError {
  readonly status?: unknown;
  readonly code?: unknown;
  readonly errors?: readonly { readonly field?: string }[];
}

function isUnknownPlace(error: unknown): boolean {
  const { status, errors = [] } = Object(error) as ClientError;
  return status === 422 && errors.every(({ field }) => field === undefined || field === 'after');
}

const unknownPlace = (id: string, cause: unknown): StreamError =>
  new StreamError(
    'checkpoint_expired',
    {
      what: `The service does not know the event ${id}, at which the checkpoint stands`,
      why: 'It is not in the list of the last 30 days, or belongs to another environment',
      next: 'Check the API key. If it is the right one, compare your data with the lists of the service, then remove the checkpoint and follow with start',
    },
    { cause },
  );

/** Refuses a checkpoint that is so old that events have gone meanwhile. @throws {StreamError} `checkpoint_expired`. */
export function checkAge(lookedAt: number, now: number): void {
  if (now - lookedAt <= retentionMs) return;
  throw new StreamError('checkpoint_expired', {
    what: `The checkpoint was saved ${Math.floor((now - lookedAt) / 86_400_000)} days ago`,
    why: 'The service lists events of the last 30 days, and those between are gone',
    next: 'Compare your data with the lists of the service, then remove the checkpoint and follow with start',
  });
}

/**
 * Whether trying again later may help: not where the service refuses the request itself, and not where nothing was sent.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof StreamError) return false;
  const { status, code } = Object(error) as ClientError;
  if (typeof status === 'number') return status < 400 || status >= 500 || [408, 425, 429].includes(status);
  return code === 'connection_failed' || code === 'timeout' || code === 'repeated_cursor';
}

/** A record that is no event, as an event that nobody can read. */
function unreadable(record: unknown, message: string, now: number): UnknownEvent {
  const data = Object(record) as Record<string, unknown>;
  const { id, event, created_at: createdAt } = data;
  return {
    object: 'event',
    id: typeof id === 'string' && id !== '' ? id : `unreadable_${shortOf(JSON.stringify(data))}`,
    // The name that an event gets whose data cannot be read.
    event: 'unknown' as UnknownEvent['event'],
    data,
    createdAt: isTime(createdAt) ? createdAt : new Date(now).toISOString(),
    problem: { event: typeof event === 'string' ? event : 'unknown', message },
  };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && Number.isFinite(Date.parse(value));
