import { abortReason } from '../async/on-abort.js';
import { fieldOf } from '../errors/problem.js';
import { isUnknownCursor } from '../streams/follow/polls.js';
import { groupsOf, isoOf, kinds, linkOf, type MirrorClient, type Rec, type TableKind } from './kinds.js';
import type { Seen } from './order.js';
import { Pace } from './pace.js';

/** A page of a list. */
export interface ListedPage {
  readonly records: readonly Seen[];
  /** The time of the service when it answered. */
  readonly seenAt: string;
  /** Cursor of the next page; undefined at the end. */
  readonly after: string | undefined;
}

/** What the reader needs. */
export interface ReaderOptions {
  readonly client: MirrorClient;
  /** Share of the published limits. */
  readonly share: number;
  /** The local clock, for responses without a time. */
  readonly now: () => number;
  /** Called with records that could not be read. */
  readonly onInvalid: (kind: TableKind, problem: string) => void;
  /** Finds the id before an id that the service does not know any more. */
  readonly idBefore: (kind: TableKind, by: string, id: string) => Promise<string | undefined>;
}

/** Whether the service does not have an object. */
export const isNotFound = (error: unknown): boolean => fieldOf(error, 'status') === 404;

/** Reads lists and records of the service, within a share of its limits. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #pace: Pace;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#pace = new Pace(options.share);
  }

  /** Read a page after an id. If that object has been deleted, read from the id before it on. The list of a deleted object is empty. */
  async page(kind: TableKind, by: string, after: string | undefined, signal: AbortSignal): Promise<ListedPage> {
    const { client, onInvalid, idBefore } = this.#options;
    const { list, path } = kinds[kind];
    for (let cursor = after; ; )
      try {
        await this.#turn(path, by || undefined, signal);
        const page = { limit: 100, order: 'asc' as const, after: cursor };
        const options = { signal, onInvalid: (_: unknown, problem: string) => onInvalid(kind, problem) };
        // Only links have no list.
        const { data, response } = await list!(client, page, by, options).withResponse();
        const seenAt = this.#timeOf(response.headers);
        const records = data.data.map((record) => ({ record: record as Rec, seenAt }));
        return { records, seenAt, after: data.listMetadata.after ?? undefined };
      } catch (error) {
        if (by !== '' && isNotFound(error)) return { records: [], seenAt: '', after: undefined };
        if (cursor === undefined || !isUnknownCursor(error)) throw error;
        cursor = await idBefore(kind, by, cursor);
      }
  }

  /** Read a record; undefined if it does not exist. A link is read with its directory user. */
  async record(
    kind: TableKind,
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly record: Rec | undefined; readonly seenAt: string }> {
    const [first = '', userId] = id.split(' ');
    const source = userId === undefined ? kind : 'directory_users';
    const { get, path } = kinds[source];
    try {
      await this.#turn(`${path}/:id`, undefined, signal);
      const { data, response } = await get!(this.#options.client, userId ?? first, { signal }).withResponse();
      const record = data as Rec;
      const isLinked = userId === undefined || groupsOf(record).includes(first);
      const found = userId === undefined ? record : linkOf(first, record);
      return { record: isLinked ? found : undefined, seenAt: this.#timeOf(response.headers) };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const headers = fieldOf(error, 'headers');
      return { record: undefined, seenAt: this.#timeOf(headers as Headers | undefined) };
    }
  }

  async #turn(path: string, subject: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#pace.turn(path, subject, signal);
    if (signal.aborted) throw abortReason(signal);
  }

  #timeOf(headers: Headers | undefined): string {
    return isoOf(headers?.get('date')) ?? new Date(this.#options.now()).toISOString();
  }
}
