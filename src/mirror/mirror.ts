import { onAbort } from '../async/on-abort.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { problemOf } from '../errors/problem.js';
import type { OrganizationMembership } from '../service/memberships.js';
import type { Organization } from '../service/organizations.js';
import type { User } from '../service/users.js';
import { storing } from '../streams/once/database.js';
import { databaseOf } from '../streams/once/drivers.js';
import type { Progress } from './copy.js';
import { kinds, type MirrorClient, type TableKind, tableKinds } from './kinds.js';
import { inUse } from './mirror-error.js';
import { type MirrorOptions, mirrorSettings } from './options.js';
import type { Target } from './order.js';
import { Reader } from './reader.js';
import { type Mirrored, Reads, type SettledRecord } from './reads.js';
import type { MirrorState, MirrorStatus } from './status.js';
import { mirrorsTable, setUpTables } from './tables.js';
import type { Verified, VerifyOptions } from './verify.js';
import type { Writer } from './writer.js';

/** A copy of the service's users, organizations and memberships in your database. */
export interface Mirror {
  /** Create the tables that do not exist. */
  setUp(): Promise<void>;
  /**
   * Copy, then follow the events, in one of the processes that call this; the others stand by. Resolves when the mirror is closed or its
   * signal aborts.
   *
   * @throws {MirrorError} `write_failed`: a constraint refuses a record. `mirror_in_use`: it is already running, or closed.
   */
  run(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Stop, and let another process take over now. */
  close(): Promise<void>;
  /** Poll for events now, for example from a webhook handler. Can be passed as a callback. */
  poke(): void;
  /**
   * Get a user from the table. A user who is not in it is read from the service, at most once in a minute.
   *
   * @throws {MirrorError} `mirror_stale`: the tables are not complete, or further behind than `maxLagMs`.
   */
  user(id: string): Promise<Mirrored<User>>;
  /** Get an organization, like `user`. @throws {MirrorError} `mirror_stale`. */
  organization(id: string): Promise<Mirrored<Organization>>;
  /** Get the membership of a user in an organization, like `user`; of several, the active one. @throws {MirrorError} `mirror_stale`. */
  membership(userId: string, organizationId: string): Promise<Mirrored<OrganizationMembership>>;
  /**
   * Wait until reads answer: the first copy has ended, in any process, and the tables are at most `maxLagMs` behind.
   *
   * @throws {MirrorError} `mirror_timeout`.
   */
  ready(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /**
   * Wait until the tables have a record, a newer one, or know that it was deleted; at most `timeoutMs`, default 10,000.
   *
   * @throws {MirrorError} `mirror_timeout`.
   */
  settled(record: SettledRecord, options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** Get the status. It counts the records, so do not call it often. */
  status(): Promise<MirrorStatus>;
  /**
   * Compare the tables with the lists of the service, within the share of its limits, and repair what differs. It may take as long as the
   * first copy.
   *
   * @throws {MirrorError} `mirror_timeout`: no process writes, so differences cannot be repaired.
   */
  verify(options?: VerifyOptions): Promise<Verified>;
  /** Check the health: the tables are complete and at most `maxLagMs` behind, and this process has not failed. */
  health(): Promise<{ readonly ok: boolean; readonly line: string }>;
}

/**
 * Keep a copy of users, organizations and memberships in your database: plain tables, which you can join. The first run copies the lists of
 * the service and then follows its events.
 *
 * @throws {ConfigurationError} An option is invalid.
 * @throws {InvalidArgumentError} The database is not supported, or the prefix is invalid.
 * @example
 * const copy = mirror(sallyport, { into: pool, maxLagMs: 10_000 });
 * await copy.setUp();
 * void copy.run({ signal });
 * const { record } = await copy.membership(userId, organizationId);
 */
export const mirror = (client: MirrorClient, options: MirrorOptions): Mirror => createMirror(client, options);

/** Create a mirror. @param leaseMs Duration of the lease, for tests. */
export function createMirror(client: MirrorClient, options: MirrorOptions, leaseMs?: number): Mirror {
  const settings = mirrorSettings(options, leaseMs);
  const { database, names, of, maxLagMs } = settings;
  const target: Target = {
    dialect: database.dialect,
    names,
    query: storing(database.query),
    kinds: tableKinds(of),
  };
  const ending = new AbortController();
  const reader = new Reader({
    client,
    share: settings.share,
    now: settings.now,
    onInvalid: (kind, problem) =>
      settings.onProblem(problemOf('record_unreadable', `A record of ${kind} was left out`, problem)),
    idBefore: (kind, by, id) => idBefore(target, kind, by, id),
  });
  const reads = new Reads(client, settings, target);
  let writer: Writer | undefined;
  let work: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    // The stream is two thirds of the code, and processes that only read do not need it.
    const { Writer } = await import('./writer.js');
    writer = new Writer({ client, settings, reader, target, ending: ending.signal });
    await writer.run();
  };
  const close = async (): Promise<void> => {
    ending.abort();
    // `run` throws its error.
    await work?.catch(() => {});
  };
  const stateNow = (): MirrorState => {
    const state = writer?.state ?? (ending.signal.aborted ? 'closed' : 'new');
    return state === 'following' && writer?.stream?.status().state === 'outage' ? 'outage' : state;
  };
  return {
    // Processes set up at the same time and without the lease, so its short timeouts do not apply.
    setUp: () => setUpTables(databaseOf(options.into), names, of),
    async run(runOptions = {}) {
      checkArgumentNames('run', runOptions, { signal: 1 });
      const { signal } = runOptions;
      if (work || ending.signal.aborted) throw inUse();
      const removeListener = onAbort(signal, () => ending.abort());
      if (signal?.aborted) ending.abort();
      work = write();
      await work.finally(removeListener);
    },
    close,
    poke: () => writer?.stream?.poke(),
    user: (id) => reads.user(id),
    organization: (id) => reads.organization(id),
    membership: (userId, organizationId) => reads.membership(userId, organizationId),
    ready: ({ timeoutMs = Infinity } = {}) => reads.ready(timeoutMs, ending.signal),
    settled: (record, { timeoutMs = 10_000 } = {}) => reads.settled(record, timeoutMs, ending.signal),
    async status() {
      const counts = await Promise.all(
        target.kinds.map(async (kind) => {
          const [row] = await target.query(`SELECT count(*) AS total FROM ${names.of(kind)}`);
          return [kind, Number(row!.total)] as const;
        }),
      );
      const [row] = await target.query(`SELECT progress FROM ${mirrorsTable} WHERE prefix = $1`, [names.prefix]);
      const { kind, pages = 0, records = 0 } = JSON.parse(String(row?.progress ?? '{}')) as Partial<Progress>;
      return {
        state: stateNow(),
        lagMs: await reads.lagMs(),
        counts: Object.fromEntries(counts),
        copy: { kind, pages, records },
        lastEvent: writer?.stream?.status().lastEvent,
      };
    },
    async verify(verifyOptions = {}) {
      checkArgumentNames('verify', verifyOptions, { repair: 1, signal: 1, onProgress: 1 });
      // Applications call it rarely, if at all.
      const { Verification } = await import('./verify.js');
      return new Verification(settings, reader, target, verifyOptions, ending.signal).run();
    },
    async health() {
      const lagMs = await reads.lagMs();
      const state = stateNow();
      const ok = lagMs !== undefined && lagMs <= maxLagMs && state !== 'failed';
      return { ok, line: `${state}: ${lagMs === undefined ? 'not ready' : `lag ${(lagMs / 1_000).toFixed(1)} s`}` };
    },
  };
}

/** The last id before an id, of the rows that the same list has; undefined if there is none. */
async function idBefore(
  { names, query }: Target,
  kind: TableKind,
  by: string,
  id: string,
): Promise<string | undefined> {
  const { listedBy } = kinds[kind];
  const [row] = await query(
    `SELECT max(id) AS id FROM ${names.of(kind)} WHERE id < $1${listedBy === undefined ? '' : ` AND ${listedBy} = $2`}`,
    listedBy === undefined ? [id] : [id, by],
  );
  return row?.id === null || row?.id === undefined ? undefined : String(row.id);
}
