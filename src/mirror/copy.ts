import { onAbort } from '../async/on-abort.js';
import { isInfrastructureFailure } from '../streams/infrastructure.js';
import type { Query } from '../streams/once/database.js';
import { type Kind, kinds, type MirrorKind, type TableKind } from './kinds.js';
import { type Lease, LeaseLost } from './lease.js';
import { writeFailed } from './mirror-error.js';
import { endUnseen, type Target, writePage } from './order.js';
import type { ListedPage, Reader } from './reader.js';
import { idsAfter, mirrorsTable } from './tables.js';

/** How far a copy is. It is saved with each page. */
export interface Progress {
  /** The kinds that are copied. */
  readonly of: readonly MirrorKind[];
  /** The service's time of the first page, and the local time in milliseconds. */
  readonly since?: string | undefined;
  readonly beganAt?: number | undefined;
  /** The kind that is being copied; undefined before the first page and after the last. */
  readonly kind?: TableKind | undefined;
  /** The last object whose list was begun, if the kind is listed by another one. */
  readonly by?: string | undefined;
  /** The lists that are not finished, with their cursors. */
  readonly open?: Readonly<Record<string, string | null>> | undefined;
  /** Number of pages and records so far. */
  readonly pages?: number | undefined;
  readonly records?: number | undefined;
  readonly isDone?: boolean;
}

/** Number of lists that are read at the same time. */
const concurrency = 4;

/** Copies the lists of the service into the tables. */
export class Copy {
  readonly #lease: Lease;
  readonly #reader: Reader;
  readonly #target: Target;
  readonly #now: () => number;
  /** Aborts when the process stops copying, or when one of the lists fails. */
  readonly #ending = new AbortController();
  #progress: Progress;

  constructor(context: {
    readonly lease: Lease;
    readonly reader: Reader;
    readonly target: Target;
    readonly now: () => number;
    readonly signal: AbortSignal;
    readonly progress: Progress;
  }) {
    this.#lease = context.lease;
    this.#reader = context.reader;
    this.#target = context.target;
    this.#now = context.now;
    onAbort(context.signal, () => this.#ending.abort());
    this.#progress = context.progress;
  }

  /** Copy the rest. Calls `finish` in the transaction that ends the copy, with the service's time and the local time of its start. */
  async run(finish: (query: Query, since: string, beganAt: number) => Promise<void>): Promise<void> {
    const listed = this.#target.kinds.filter((kind) => kinds[kind].list);
    const first = Math.max(0, listed.indexOf(this.#progress.kind ?? listed[0]!));
    for (const kind of listed.slice(first)) await this.#copyKind(kind);
    await this.#lease.write(async (query) => {
      const { of, since, beganAt, pages, records } = this.#progress;
      // The first page has set both.
      await endUnseen({ ...this.#target, query }, since!);
      await finish(query, since!, beganAt!);
      await saveProgress(query, this.#target, { of, pages, records, isDone: true });
    });
  }

  async #copyKind(kind: TableKind): Promise<void> {
    if (this.#progress.kind !== kind)
      this.#progress = { ...this.#progress, kind, by: '', open: kinds[kind].listedBy ? {} : { '': null } };
    const lists = this.#listsOf(kinds[kind]);
    const work = async (): Promise<void> => {
      // Workers share the iterator, which runs one call at a time.
      for (let one = await lists.next(); !one.done; one = await lists.next()) await this.#copyList(kind, ...one.value);
    };
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown): void => {
      // Later errors are effects of the first one.
      failure ??= { error };
      this.#ending.abort();
    };
    await Promise.all(Array.from({ length: concurrency }, () => work().catch(fail)));
    if (failure) throw (failure as { readonly error: unknown }).error;
  }

  /** Yield the unfinished lists of a kind with their cursors, and then the lists that were not begun. */
  async *#listsOf({ listedBy, parents }: Kind): AsyncGenerator<readonly [by: string, after: string | null]> {
    yield* Object.entries(this.#progress.open ?? {});
    if (listedBy === undefined) return;
    const { query, names } = this.#target;
    // Each kind is listed by one of its parents.
    for await (const by of idsAfter(query, names.of(parents[listedBy]!), this.#progress.by ?? '')) {
      this.#progress = { ...this.#progress, by, open: { ...this.#progress.open, [by]: null } };
      yield [by, null];
    }
  }

  async #copyList(kind: TableKind, by: string, cursor: string | null): Promise<void> {
    const read = (after: string | undefined): Promise<ListedPage> => {
      const page = this.#reader.page(kind, by, after, this.#ending.signal);
      // The next page is read while this one is written, which may fail first.
      page.catch(() => {});
      return page;
    };
    for (let pending: Promise<ListedPage> | undefined = read(cursor ?? undefined); pending; ) {
      const page: ListedPage = await pending;
      pending = page.after === undefined ? undefined : read(page.after);
      await this.#writePage(kind, by, page);
    }
  }

  async #writePage(kind: TableKind, by: string, { records, seenAt, after }: ListedPage): Promise<void> {
    const next = (): Progress => {
      const {
        since = seenAt,
        beganAt = this.#now(),
        pages = 0,
        records: count = 0,
        open = {},
        ...rest
      } = this.#progress;
      const { [by]: _, ...others } = open;
      const left = after === undefined ? others : { ...open, [by]: after };
      return { ...rest, since, beganAt, pages: pages + 1, records: count + records.length, open: left };
    };
    await this.#write(kind, async (query) => {
      // Another server of the service may be some seconds behind. Rows with an earlier time would end with the copy.
      const { since = seenAt } = this.#progress;
      const seen = seenAt < since ? records.map(({ record }) => ({ record, seenAt: since })) : records;
      await writePage({ ...this.#target, query }, kind, seen);
      await saveProgress(query, this.#target, next());
    });
    // Only now, so that no other list saves a position whose records are not committed.
    this.#progress = next();
  }

  /** Write a page. @throws {MirrorError} `write_failed`: the database refuses a record. */
  async #write(kind: TableKind, run: (query: Query) => Promise<void>): Promise<void> {
    try {
      await this.#lease.write(run);
    } catch (error) {
      if (error instanceof LeaseLost || isInfrastructureFailure(error)) throw error;
      throw writeFailed(`A page of ${kind}`, error);
    }
  }
}

/** Save how far the copy is; undefined to begin again. */
export async function saveProgress(
  query: Query,
  { names }: Pick<Target, 'names'>,
  progress: Progress | undefined,
): Promise<void> {
  await query(`UPDATE ${mirrorsTable} SET progress = $2 WHERE prefix = $1`, [
    names.prefix,
    progress ? JSON.stringify(progress) : null,
  ]);
}
