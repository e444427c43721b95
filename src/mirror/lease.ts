import type { Event } from '../service/events.js';
import { databaseCheckpoint } from '../streams/once/checkpoint.js';
import { type Database, type Query, storing, transact } from '../streams/once/database.js';
import { typeOf } from '../streams/once/guard.js';
import { type TableNames, tableNames } from '../streams/once/tables.js';
import { nowSql } from './clock.js';
import type { MirrorNames } from './tables.js';

/** Thrown in a process that does not hold the lease any more. */
export class LeaseLost extends Error {}

/** Name of the lease and of the checkpoint of the stream. */
const name = 'mirror';

/**
 * The right to write. One process holds it at a time, and each of its transactions checks in the database that it still does. The
 * check locks the lease, so that no other process gets it before the transaction ends.
 */
export class Lease {
  readonly #database: Database<unknown>;
  readonly #names: TableNames;
  readonly #checkpoint: ReturnType<typeof databaseCheckpoint>;
  readonly #owner = crypto.randomUUID();
  readonly ms: number;

  constructor(database: Database<unknown>, { prefix }: MirrorNames, ms: number) {
    this.#database = database;
    this.#names = tableNames(prefix);
    // In SQLite, the clock of the database is that of the machine.
    this.#checkpoint = databaseCheckpoint(database, this.#names, name, () => Date.now());
    this.ms = ms;
  }

  claim(): Promise<boolean> {
    return this.#checkpoint.claim(this.#owner, this.ms);
  }

  release(): Promise<void> {
    return this.#checkpoint.release(this.#owner);
  }

  /** Whether a process holds the lease. */
  async isHeld(): Promise<boolean> {
    const rows = await this.#database.query(
      `SELECT 1 FROM ${this.#names.checkpoints} WHERE name = $1 AND owned_until > ${nowSql(this.#database.dialect)}`,
      [name],
    );
    return rows.length > 0;
  }

  /** Run a transaction as the process that holds the lease. @throws {LeaseLost} */
  write<Result>(run: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#transact(async (query) => {
      await this.#check(query);
      return run(query);
    });
  }

  /** Run a transaction that records an event, unless the event was recorded before. @throws {LeaseLost} */
  writeOnce(event: Event, recordedAt: string, run: (query: Query) => Promise<void>): Promise<void> {
    return this.#transact(async (query) => {
      // One statement checks the lease and records the event, because events wait for it.
      const recorded = await query(
        `INSERT INTO ${this.#names.events} (consumer, id, type, outcome, recorded_at)
         SELECT $1, $3, $4, 'applied', $5 WHERE EXISTS (${this.#held})
         ON CONFLICT (consumer, id) DO NOTHING RETURNING id`,
        [name, this.#owner, event.id, typeOf(event), recordedAt],
      );
      await (recorded.length > 0 ? run(query) : this.#check(query));
    });
  }

  #transact<Result>(run: (query: Query) => Promise<Result>): Promise<Result> {
    return transact(this.#database, (transaction) => run(storing(transaction.query)));
  }

  async #check(query: Query): Promise<void> {
    const held = await query(this.#held, [name, this.#owner]);
    if (held.length === 0) throw new LeaseLost('Another process writes to the mirror');
  }

  /** Selects the row of the lease `$1` and locks it, if the process `$2` holds it. */
  get #held(): string {
    const lock = this.#database.dialect === 'postgres' ? ' FOR UPDATE' : '';
    return `SELECT 1 FROM ${this.#names.checkpoints} WHERE ${this.#isOurs}${lock}`;
  }

  /** Matches the row of the lease `$1` if the process `$2` holds it. */
  get #isOurs(): string {
    return `name = $1 AND owner = $2 AND owned_until > ${nowSql(this.#database.dialect)}`;
  }

  /** The checkpoint of the stream. Only the process that holds the lease can save it. */
  readonly checkpoint = {
    load: () => this.#checkpoint.load(),
    // One statement, because events wait for it.
    save: async (next: string, previous: string | undefined): Promise<boolean> => {
      const rows = await storing(this.#database.query)(
        `UPDATE ${this.#names.checkpoints} SET value = $3 WHERE ${this.#isOurs} AND COALESCE(value, '') = $4 RETURNING name`,
        [name, this.#owner, next, previous ?? ''],
      );
      return rows.length > 0;
    },
  };

  /** Replace the checkpoint in a transaction; undefined removes it. */
  async replaceCheckpoint(query: Query, text: string | undefined): Promise<void> {
    await query(`UPDATE ${this.#names.checkpoints} SET value = $2 WHERE name = $1`, [name, text ?? null]);
  }
}
