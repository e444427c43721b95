import { fieldOf, messageOf } from '../../errors/problem.js';
import { withoutRecognizable } from '../../errors/redact.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import type { Event } from '../../service/events.js';
import type { DeadLetter } from '../delivery.js';
import { type Database, type Row, storable, storing } from './database.js';
import { typeOf } from './guard.js';
import type { TableNames } from './tables.js';

/** A dead letter in the database: an event that its handler could not handle. */
export interface StoredDeadLetter {
  /** Id of the event. */
  readonly id: string;
  /** Type of the event. */
  readonly type: string;
  /** The event, with edits if there were any. */
  readonly event: Event;
  /** The last error of the handler. Keys and tokens of the service are masked. */
  readonly error: string;
  /** Number of times the handler was called with it. */
  readonly attempts: number;
  /** Time of the last failure; ISO 8601 UTC with milliseconds. */
  readonly failedAt: string;
  /** Whether it is marked to be replayed by a worker. */
  readonly isMarked: boolean;
}

/** A failed event to store. `attempts` defaults to 1 and `failedAt` to now. */
export type FailedEvent = Pick<DeadLetter, 'event' | 'error'> & Partial<DeadLetter>;

/** Options for listing dead letters. */
export interface DeadLetterPage {
  /** Maximum number of letters; default 50. */
  readonly limit?: number | undefined;
  /** Only letters after this id. */
  readonly after?: string | undefined;
}

/** The dead letters of a consumer. These operations need the database but not the handler. */
export interface DeadLetterBox {
  /** Store an event. If it is stored already, its error and the number of attempts are updated. */
  add(letter: FailedEvent): Promise<void>;
  /** List letters by id, which is the order of the events. */
  list(page?: DeadLetterPage): Promise<readonly StoredDeadLetter[]>;
  /** Get a letter, or undefined if there is none or its event has been applied. */
  get(id: string): Promise<StoredDeadLetter | undefined>;
  /**
   * Replace the event of a letter. The id must stay the same.
   *
   * @throws {InvalidArgumentError} No dead letter has this id, or the value is not an event with this id.
   */
  edit(id: string, event: Event): Promise<void>;
  /** Delete a letter. Returns whether there was one. */
  remove(id: string): Promise<boolean>;
  /** Mark one or all letters to be replayed by a worker. Returns how many were marked. */
  mark(id: string | 'all'): Promise<number>;
  /** List the ids of marked letters. */
  marked(): Promise<readonly string[]>;
}

/** The statements of the operations. The first value is always the consumer. */
function statementsOf({ deadLetters, events }: TableNames) {
  const columns = 'id, type, event, error, attempts, failed_at, marked_at';
  // Ignore letters whose event has since been applied by another delivery.
  const isOpen = `consumer = $1 AND NOT EXISTS (SELECT 1 FROM ${events} e WHERE e.consumer = ${deadLetters}.consumer AND e.id = ${deadLetters}.id)`;
  return {
    // Keep edits of the stored event if the same event fails again.
    add: `INSERT INTO ${deadLetters} (consumer, id, type, event, error, attempts, failed_at, marked_at)
          VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)
          ON CONFLICT (consumer, id) DO UPDATE SET error = EXCLUDED.error,
            attempts = ${deadLetters}.attempts + EXCLUDED.attempts, failed_at = EXCLUDED.failed_at, marked_at = NULL`,
    list: `SELECT ${columns} FROM ${deadLetters} WHERE ${isOpen} AND id > $2 ORDER BY id LIMIT $3`,
    get: `SELECT ${columns} FROM ${deadLetters} WHERE ${isOpen} AND id = $2`,
    edit: `UPDATE ${deadLetters} SET event = $3, type = $4 WHERE consumer = $1 AND id = $2 RETURNING id`,
    remove: `DELETE FROM ${deadLetters} WHERE consumer = $1 AND id = $2 RETURNING id`,
    mark: `UPDATE ${deadLetters} SET marked_at = $2 WHERE ${isOpen} AND $3 IN ('all', id) RETURNING id`,
    marked: `SELECT id FROM ${deadLetters} WHERE ${isOpen} AND marked_at IS NOT NULL ORDER BY id`,
  };
}

/** Create the dead letter operations for a database. */
export function deadLetterBox<Tx>(
  { query }: Database<Tx>,
  names: TableNames,
  consumer: string,
  now: () => number,
): DeadLetterBox {
  const time = (): string => new Date(now()).toISOString();
  const statements = statementsOf(names);
  const store = storing(query);
  const run = (name: keyof typeof statements, ...values: unknown[]) => store(statements[name], [consumer, ...values]);
  return {
    async add({ event, error, attempts = 1, failedAt = time() }) {
      await run('add', event.id, typeOf(event), JSON.stringify(event), errorText(error), attempts, failedAt);
    },
    async list({ limit = 50, after = '' } = {}) {
      return (await run('list', after, limit)).map(letterOf);
    },
    async get(id) {
      const [row] = await run('get', id);
      return row && letterOf(row);
    },
    async edit(id, event) {
      checkEdited(id, event);
      const rows = await run('edit', id, JSON.stringify(event), typeOf(event));
      if (rows.length === 0) throw noSuchLetter(id);
    },
    remove: async (id) => (await run('remove', id)).length > 0,
    mark: async (id) => (await run('mark', time(), id)).length,
    marked: async () => (await run('marked')).map(({ id }) => String(id)),
  };
}

/** The error for an unknown letter. */
export const noSuchLetter = (id: string): InvalidArgumentError =>
  new InvalidArgumentError({
    what: `No dead letter has the id ${JSON.stringify(id)}`,
    why: 'It has been applied or removed, or belongs to another consumer',
    next: 'List the dead letters and pass one of their ids',
    argument: 'id',
  });

function checkEdited(id: string, event: Event): void {
  const { id: edited, event: type, data } = Object(event) as Partial<Event>;
  if (
    typeof edited === 'string' &&
    storable(edited) === storable(id) &&
    typeof type === 'string' &&
    typeof data === 'object' &&
    data !== null
  )
    return;
  throw new InvalidArgumentError({
    what: `An edited event must be an event with the id ${id}`,
    why: 'Events are deduplicated by id and dispatched by type and data',
    next: 'Take the event from get(), change its data, and keep id, event and createdAt',
    argument: 'event',
  });
}

const letterOf = ({ id, type, event, error, attempts, failed_at, marked_at }: Row): StoredDeadLetter => ({
  id: String(id),
  type: String(type),
  // `add` and `edit` store only events.
  event: JSON.parse(String(event)) as Event,
  error: String(error),
  attempts: Number(attempts),
  failedAt: String(failed_at),
  isMarked: marked_at !== null && marked_at !== undefined,
});

const errorText = (error: unknown): string => {
  const name = error instanceof Error ? `${String(fieldOf(error, 'name'))}: ` : '';
  return withoutRecognizable(name + messageOf(error)).slice(0, 2_000);
};
