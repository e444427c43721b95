import { messageOf } from '../../errors/message-of.js';
import { withoutRecognizable } from '../../errors/redact.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import type { Event } from '../../service/events.js';
import type { DeadLetter } from '../delivery.js';
import type { Database, Row } from './database.js';
import { typeOf } from './guard.js';
import type { TableNames } from './tables.js';

/** An event that its handler failed at, as it is kept in the database. */
export interface StoredDeadLetter {
  /** Id of the event. */
  readonly id: string;
  /** Type of the event. */
  readonly type: string;
  /** The event, or what it was edited to. */
  readonly event: Event;
  /** What the handler failed with last; keys and tokens of the service are masked in it. */
  readonly error: string;
  /** How often the handler was called with it. */
  readonly attempts: number;
  /** When it failed last; ISO 8601 UTC with milliseconds. */
  readonly failedAt: string;
  /** Whether it waits for a worker that applies it again. */
  readonly isMarked: boolean;
}

/** An event to put aside, as a stream hands it over; attempts are 1 and the time is now unless it says otherwise. */
export type FailedEvent = Pick<DeadLetter, 'event' | 'error'> & Partial<DeadLetter>;

/** Which dead letters to list. */
export interface DeadLetterPage {
  /** How many at most; default 50. */
  readonly limit?: number | undefined;
  /** Those after this id. */
  readonly after?: string | undefined;
}

/** The dead letters of a consumer, for whoever has its database and not its handler. */
export interface DeadLetterBox {
  /** Puts an event aside, or counts one more failure where it is here already. */
  add(letter: FailedEvent): Promise<void>;
  /** Lists letters in the order of their ids, which is that of the events. */
  list(page?: DeadLetterPage): Promise<readonly StoredDeadLetter[]>;
  /** Gives a letter; undefined where there is none, or its event was applied since. */
  get(id: string): Promise<StoredDeadLetter | undefined>;
  /**
   * Changes the event of a letter, whose id it keeps.
   *
   * @throws {InvalidArgumentError} There is no such letter, or what was passed is no event with that id.
   */
  edit(id: string, event: Event): Promise<void>;
  /** Forgets a letter; says whether there was one. */
  remove(id: string): Promise<boolean>;
  /** Has a worker apply a letter again, or all of them; says how many. */
  mark(id: string | 'all'): Promise<number>;
  /** Lists the ids that wait for a worker. */
  marked(): Promise<readonly string[]>;
}

/** Keeps dead letters in a database. */
export function deadLetterBox<Tx>(
  { query }: Database<Tx>,
  { deadLetters, events }: TableNames,
  consumer: string,
  now: () => number,
): DeadLetterBox {
  const time = (): string => new Date(now()).toISOString();
  // One that was applied since, by another delivery, is none any more.
  const isOpen = `NOT EXISTS (SELECT 1 FROM ${events} e WHERE e.consumer = ${deadLetters}.consumer AND e.id = ${deadLetters}.id)`;
  const columns = 'id, type, event, error, attempts, failed_at, marked_at';
  const found = async (id: string): Promise<StoredDeadLetter | undefined> => {
    const [row] = await query(`SELECT ${columns} FROM ${deadLetters} WHERE consumer = $1 AND id = $2 AND ${isOpen}`, [
      consumer,
      id,
    ]);
    return row && letterOf(row);
  };
  return {
    async add({ event, error, attempts = 1, failedAt = time() }) {
      // What somebody has edited stays so when the event comes again and fails again.
      await query(
        `INSERT INTO ${deadLetters} (consumer, id, type, event, error, attempts, failed_at, marked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)
         ON CONFLICT (consumer, id) DO UPDATE SET error = EXCLUDED.error,
           attempts = ${deadLetters}.attempts + EXCLUDED.attempts, failed_at = EXCLUDED.failed_at, marked_at = NULL`,
        [consumer, event.id, typeOf(event), JSON.stringify(event), errorText(error), attempts, failedAt],
      );
    },
    async list({ limit = 50, after = '' } = {}) {
      const rows = await query(
        `SELECT ${columns} FROM ${deadLetters} WHERE consumer = $1 AND id > $2 AND ${isOpen} ORDER BY id LIMIT $3`,
        [consumer, after, limit],
      );
      return rows.map(letterOf);
    },
    get: found,
    async edit(id, event) {
      checkEdited(id, event);
      const rows = await query(
        `UPDATE ${deadLetters} SET event = $3, type = $4 WHERE consumer = $1 AND id = $2 RETURNING id`,
        [consumer, id, JSON.stringify(event), typeOf(event)],
      );
      if (rows.length === 0) throw noSuchLetter(id);
    },
    async remove(id) {
      const rows = await query(`DELETE FROM ${deadLetters} WHERE consumer = $1 AND id = $2 RETURNING id`, [
        consumer,
        id,
      ]);
      return rows.length > 0;
    },
    async mark(id) {
      const which = id === 'all' ? '' : ' AND id = $3';
      const rows = await query(
        `UPDATE ${deadLetters} SET marked_at = $2 WHERE consumer = $1${which} AND ${isOpen} RETURNING id`,
        id === 'all' ? [consumer, time()] : [consumer, time(), id],
      );
      return rows.length;
    },
    async marked() {
      const rows = await query(
        `SELECT id FROM ${deadLetters} WHERE consumer = $1 AND marked_at IS NOT NULL AND ${isOpen} ORDER BY id`,
        [consumer],
      );
      return rows.map(({ id }) => String(id));
    },
  };
}

/** The error of who names a letter that is not there. */
export const noSuchLetter = (id: string): InvalidArgumentError =>
  new InvalidArgumentError({
    what: `There is no dead letter ${JSON.stringify(id)}`,
    why: 'It was applied or removed since, or belongs to another consumer',
    next: 'List the dead letters and pass an id of theirs',
    argument: 'id',
  });

function checkEdited(id: string, event: Event): void {
  const { id: edited, event: type, data } = Object(event) as Partial<Event>;
  if (edited === id && typeof type === 'string' && typeof data === 'object' && data !== null) return;
  throw new InvalidArgumentError({
    what: `An edited event must be an event with the id ${id}`,
    why: 'By its id it is applied once, and by its type and data handlers know it',
    next: 'Take what get() gives, change its data, and leave id, event and createdAt',
    argument: 'event',
  });
}

const letterOf = ({ id, type, event, error, attempts, failed_at, marked_at }: Row): StoredDeadLetter => ({
  id: String(id),
  type: String(type),
  // It was written by `add` or checked by `edit`.
  event: JSON.parse(String(event)) as Event,
  error: String(error),
  attempts: Number(attempts),
  failedAt: String(failed_at),
  isMarked: marked_at !== null && marked_at !== undefined,
});

const errorText = (error: unknown): string =>
  withoutRecognizable(error instanceof Error ? `${error.name}: ${messageOf(error)}` : messageOf(error)).slice(0, 2_000);
