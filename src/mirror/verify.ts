import { onAbort } from '../async/on-abort.js';
import { nowSql } from './clock.js';
import { columnsOf, kinds, type Rec, rowOf, type TableKind } from './kinds.js';
import { Lease } from './lease.js';
import { markRecord } from './marks.js';
import type { MirrorSettings } from './options.js';
import { linksOf, type Seen, type Target } from './order.js';
import type { Reader } from './reader.js';
import { waitUntil } from './reads.js';
import { idsAfter, mirrorsTable } from './tables.js';

/** A record that the tables do not have as the service has it. */
export interface Difference {
  readonly kind: TableKind;
  readonly id: string;
  /**
   * `missing`: the row is missing. `surplus`: the service does not have the record. `role` and `state`: the row has another role or
   * state, although the record did not change. `stale`: the row is older than the record, or another column differs.
   */
  readonly difference: 'missing' | 'surplus' | 'stale' | 'role' | 'state';
}

/** How far `verify` is. */
export interface VerifyProgress {
  readonly kind: TableKind;
  /** Number of pages and records that have been compared. */
  readonly pages: number;
  readonly records: number;
  /** Estimated milliseconds until all records have been compared. */
  readonly leftMs: number;
}

/** Options of `verify`. */
export interface VerifyOptions {
  /** Whether to repair the differences; default false. The process that writes repairs them, so one has to run. */
  readonly repair?: boolean | undefined;
  /** Ends it when the signal aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/** Result of `verify`. */
export interface Verified {
  /** Number of records that were compared. */
  readonly records: number;
  /** The differences. */
  readonly found: readonly Difference[];
  /** The differences that are left; without `repair`, all of them. */
  readonly remaining: readonly Difference[];
}

type Row = Readonly<Record<string, unknown>>;
/** A record to look at. */
type Candidate = Pick<Difference, 'kind' | 'id'>;

/** How long to wait for the stream or for repairs, in milliseconds. */
const waitMs = 60_000;
/** Number of records that are read at the same time. */
const concurrency = 4;
/** How often differences are repaired and compared. */
const rounds = 3;

/** Compares the tables with the lists of the service. */
export class Verification {
  readonly #settings: MirrorSettings;
  readonly #reader: Reader;
  readonly #target: Target;
  readonly #ending = new AbortController();
  readonly #options: VerifyOptions;
  readonly #candidates = new Map<string, Candidate>();
  readonly #beganAt = performance.now();
  #pages = 0;
  #records = 0;
  #total = 0;

  constructor(settings: MirrorSettings, reader: Reader, target: Target, options: VerifyOptions, ending: AbortSignal) {
    this.#settings = settings;
    this.#reader = reader;
    this.#target = target;
    this.#options = options;
    for (const signal of [options.signal, ending]) {
      onAbort(signal, () => this.#ending.abort());
      if (signal?.aborted) this.#ending.abort();
    }
  }

  async run(): Promise<Verified> {
    const { query, names } = this.#target;
    const listed = this.#target.kinds.filter((kind) => kinds[kind].list);
    for (const kind of listed)
      this.#total += Number((await query(`SELECT count(*) AS total FROM ${names.of(kind)}`))[0]!.total);
    for (const kind of listed) for await (const by of this.#listsOf(kind)) await this.#compareList(kind, by);
    const found = await this.#lookAgain([...this.#candidates.values()]);
    let remaining = found;
    for (let round = 0; this.#options.repair && remaining.length > 0 && round < rounds; round++)
      remaining = await this.#repair(remaining);
    return { records: this.#records, found, remaining };
  }

  /** Yield the objects whose lists contain a kind: first the missing ones, and then the rows of their table. */
  async *#listsOf(kind: TableKind): AsyncGenerator<string> {
    const { listedBy, parents } = kinds[kind];
    if (listedBy === undefined) return yield '';
    const { query, names } = this.#target;
    // Each kind is listed by one of its parents.
    const parent = parents[listedBy]!;
    for (const one of this.#candidates.values()) if (one.kind === parent) yield one.id;
    const isOrphan = `NOT EXISTS (SELECT 1 FROM ${names.of(parent)} p WHERE p.id = r.${listedBy})`;
    for (const { id } of await query(`SELECT r.id FROM ${names.of(kind)} r WHERE ${isOrphan}`)) this.#suspect(kind, id);
    yield* idsAfter(query, names.of(parent), '');
  }

  #suspect(kind: TableKind, id: unknown): void {
    this.#candidates.set(`${kind} ${id}`, { kind, id: String(id) });
  }

  async #compareList(kind: TableKind, by: string): Promise<void> {
    const { query, names } = this.#target;
    const { listedBy } = kinds[kind];
    let last = '';
    for (let after: string | undefined; ; ) {
      const page = await this.#reader.page(kind, by, after, this.#ending.signal);
      after = page.after;
      const end = after === undefined ? undefined : page.records.at(-1)?.record.id;
      const conditions = ['id > $1', ...(end === undefined ? [] : ['id <= $2'])];
      const values = [last, ...(end === undefined ? [] : [end])];
      if (listedBy !== undefined) conditions.push(`${listedBy} = $${values.push(by)}`);
      const rows = await query(`SELECT * FROM ${names.of(kind)} WHERE ${conditions.join(' AND ')}`, values);
      this.#compare(kind, rows, page.records);
      if (kind === 'directory_users') await this.#compareLinks(page.records);
      this.#pages += 1;
      this.#records += page.records.length;
      this.#report(kind);
      if (after === undefined) return;
      last = end ?? last;
    }
  }

  /** Compare rows with the records of the same range. */
  #compare(kind: TableKind, rows: readonly Row[], records: readonly Seen[]): void {
    const byId = new Map(rows.map((row) => [String(row.id), row]));
    for (const { record, seenAt } of records) {
      if (differenceOf(kind, byId.get(record.id), rowOf(kind, record, seenAt))) this.#suspect(kind, record.id);
      byId.delete(record.id);
    }
    for (const id of byId.keys()) this.#suspect(kind, id);
  }

  async #compareLinks(records: readonly Seen[]): Promise<void> {
    const { query, names, kinds: tables } = this.#target;
    if (!tables.includes('directory_group_users') || records.length === 0) return;
    const rows = await query(
      `SELECT * FROM ${names.of('directory_group_users')} WHERE user_id IN (${records.map((_, at) => `$${at + 1}`)})`,
      records.map(({ record }) => record.id),
    );
    this.#compare('directory_group_users', rows, linksOf(records));
  }

  #report(kind: TableKind): void {
    const left = Math.max(0, this.#total - this.#records);
    const leftMs = Math.round(((performance.now() - this.#beganAt) / Math.max(1, this.#records)) * left);
    this.#options.onProgress?.({ kind, pages: this.#pages, records: this.#records, leftMs });
  }

  /** Read the candidates again, and compare them when the stream has passed that time. */
  async #lookAgain(candidates: readonly Candidate[]): Promise<readonly Difference[]> {
    await this.#passed();
    const seen = new Map<Candidate, { readonly record: Rec | undefined; readonly seenAt: string }>();
    const queue = candidates.values();
    const work = async (): Promise<void> => {
      for (const one of queue) seen.set(one, await this.#reader.record(one.kind, one.id, this.#ending.signal));
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    await this.#passed();
    const differences: Difference[] = [];
    for (const [{ kind, id }, { record, seenAt }] of seen) {
      const difference = await this.#differenceNow(kind, id, record, seenAt);
      if (difference) differences.push({ kind, id, difference });
    }
    return differences;
  }

  async #differenceNow(kind: TableKind, id: string, record: Rec | undefined, seenAt: string) {
    const { query, names } = this.#target;
    const [row] = await query(`SELECT * FROM ${names.of(kind)} WHERE id = $1`, [id]);
    const difference = differenceOf(kind, row, record && rowOf(kind, record, seenAt));
    // A record may have been deleted or changed after it was read.
    if (difference === 'surplus') return String(row?.seen_at) < seenAt ? difference : undefined;
    if (difference !== 'missing') return difference;
    const deleted = await query(`SELECT id FROM ${names.tombstones} WHERE id = $1 AND deleted_at > $2`, [id, seenAt]);
    return deleted.length === 0 ? difference : undefined;
  }

  async #repair(differences: readonly Difference[]): Promise<readonly Difference[]> {
    const { query, names } = this.#target;
    for (const { kind, id } of differences) await markRecord(this.#target, kind, id);
    // The process that writes reads 20 a second or more.
    const timeoutMs = waitMs + differences.length * 100;
    await waitUntil('The differences were not repaired', timeoutMs, this.#ending.signal, async () => {
      const [row] = await query(`SELECT count(*) AS total FROM ${names.marks}`);
      return Number(row!.total) === 0;
    });
    return this.#lookAgain(differences);
  }

  /** Wait until the tables have what happened before now. Without a process that writes, they do not change. */
  async #passed(): Promise<void> {
    const { query, dialect, names } = this.#target;
    const { database, leaseMs } = this.#settings;
    const [clock] = await query(`SELECT ${nowSql(dialect)} AS now`);
    const lease = new Lease(database, names, leaseMs);
    await waitUntil('The mirror did not catch up', waitMs, this.#ending.signal, async () => {
      const [row] = await query(`SELECT fresh_at FROM ${mirrorsTable} WHERE prefix = $1`, [names.prefix]);
      return String(row?.fresh_at ?? '') >= String(clock!.now) || !(await lease.isHeld());
    });
  }
}

/** Columns that are not compared: a change of the record without a new `updated_at` is not reported by events. */
const uncompared = new Set(['data', 'created_at', 'updated_at', 'seen_at']);

/** How a row differs from the values of the record of the service. */
function differenceOf(
  kind: TableKind,
  row: Row | undefined,
  values: readonly (string | null)[] | undefined,
): Difference['difference'] | undefined {
  if (!row) return values && 'missing';
  if (!values) return 'surplus';
  if (kind === 'directory_group_users') return undefined;
  const columns = columnsOf(kind);
  const updatedAt = String(values[columns.indexOf('updated_at')]);
  if (String(row.updated_at) !== updatedAt) return String(row.updated_at) < updatedAt ? 'stale' : undefined;
  const different = columns.filter((column, at) => !uncompared.has(column) && row[column] !== values[at]);
  if (different.length === 0) return undefined;
  if (different.includes('role')) return 'role';
  return different.some((column) => column === 'state' || column === 'status') ? 'state' : 'stale';
}
