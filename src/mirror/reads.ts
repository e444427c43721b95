import { sleep } from '../async/sleep.js';
import type { OrganizationMembership } from '../service/memberships.js';
import type { Organization } from '../service/organizations.js';
import type { User } from '../service/users.js';
import { nowSql } from './clock.js';
import { kinds, type MirrorClient, type MirrorKind, membershipStatuses, type TableKind } from './kinds.js';
import { MirrorError, stale, timedOut } from './mirror-error.js';
import type { MirrorSettings } from './options.js';
import type { Target } from './order.js';
import { isNotFound } from './reader.js';
import { mirrorsTable } from './tables.js';

/** A record and its age. */
export interface Mirrored<T> {
  /** The record; null if the service has none. */
  readonly record: T | null;
  /** The record is at least as new as this time; ISO 8601 UTC with milliseconds. */
  readonly asOf: string;
}

/** A record to wait for. */
export interface SettledRecord {
  readonly kind: MirrorKind;
  readonly id: string;
  /** `updatedAt` of the record; for a deletion, the time of its event or response. */
  readonly updatedAt: string;
}

/** How long a missing record is not asked for again, in milliseconds, and for how many records. */
const missing = { ttlMs: 60_000, max: 10_000 };
/** Interval between two looks while waiting, in milliseconds. */
const lookMs = 50;

/** Reads the tables. */
export class Reads {
  readonly #client: MirrorClient;
  readonly #settings: MirrorSettings;
  readonly #target: Target;
  /** When records were missing in the service. */
  readonly #missing = new Map<string, number>();

  constructor(client: MirrorClient, settings: MirrorSettings, target: Target) {
    this.#client = client;
    this.#settings = settings;
    this.#target = target;
  }

  user(id: string): Promise<Mirrored<User>> {
    return this.#read('users', 'r.id = $2', [id], () => this.#client.userManagement.getUser(id));
  }

  organization(id: string): Promise<Mirrored<Organization>> {
    return this.#read('organizations', 'r.id = $2', [id], () => this.#client.organizations.getOrganization(id));
  }

  membership(userId: string, organizationId: string): Promise<Mirrored<OrganizationMembership>> {
    return this.#read(
      'memberships',
      'r.user_id = $2 AND r.organization_id = $3',
      [userId, organizationId],
      async () => {
        const { data } = await this.#client.userManagement.listOrganizationMemberships({
          userId,
          organizationId,
          statuses: membershipStatuses,
        });
        return data.find(({ status }) => status === 'active') ?? data[0] ?? null;
      },
    );
  }

  /** Get the lag of the tables in milliseconds; undefined if they are not complete. */
  async lagMs(): Promise<number | undefined> {
    const [row] = await this.#target.query(
      `SELECT fresh_at, ${nowSql(this.#target.dialect)} AS now FROM ${mirrorsTable} WHERE prefix = $1`,
      [this.#settings.names.prefix],
    );
    return lagOf(row);
  }

  async #read<T>(
    kind: TableKind,
    condition: string,
    ids: readonly string[],
    fetch: () => PromiseLike<T | null>,
  ): Promise<Mirrored<T>> {
    const { maxLagMs, names } = this.#settings;
    // A user may have left an organization and joined it again.
    const order = kinds[kind].fields.includes('status') ? "(r.status = 'active') DESC, r.updated_at DESC" : 'r.id';
    const [row] = await this.#target.query(
      `SELECT m.fresh_at, ${nowSql(this.#target.dialect)} AS now, r.data,
         (SELECT max(t.id) FROM ${names.tombstones} t WHERE t.id IN (${ids.map((_, at) => `$${at + 2}`)})) AS ended
       FROM ${mirrorsTable} m LEFT JOIN ${names.of(kind)} r ON ${condition} WHERE m.prefix = $1 ORDER BY ${order} LIMIT 1`,
      [names.prefix, ...ids],
    );
    const lagMs = lagOf(row);
    if (lagMs === undefined || lagMs > maxLagMs) throw stale(lagMs, maxLagMs);
    const asOf = String(row!.fresh_at);
    const { data } = row!;
    // SQLite has JSON as text.
    if (data !== null) return { record: (typeof data === 'string' ? JSON.parse(data) : data) as T, asOf };
    return row!.ended === null ? this.#fetch(`${kind} ${ids.join(' ')}`, fetch) : { record: null, asOf };
  }

  /** Ask the service for a record without a row, because it may be newer than the last poll. */
  async #fetch<T>(key: string, fetch: () => PromiseLike<T | null>): Promise<Mirrored<T>> {
    const now = this.#settings.now();
    const answer = (record: T | null, at: number): Mirrored<T> => ({ record, asOf: new Date(at).toISOString() });
    const missingAt = this.#missing.get(key);
    if (missingAt !== undefined && now - missingAt < missing.ttlMs) return answer(null, missingAt);
    const record = await found(fetch);
    this.#missing.delete(key);
    if (record !== null) return answer(record, now);
    // The oldest key comes first.
    if (this.#missing.size >= missing.max) this.#missing.delete(this.#missing.keys().next().value!);
    this.#missing.set(key, now);
    return answer(null, now);
  }

  /** Wait until the tables have a record, a newer one, or its tombstone. @throws {MirrorError} `mirror_timeout`. */
  async settled({ kind, id, updatedAt }: SettledRecord, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { names, query } = this.#target;
    await waitUntil(`The mirror did not get ${id} of ${updatedAt}`, timeoutMs, signal, async () => {
      const rows = await query(
        `SELECT id FROM ${names.of(kind)} WHERE id = $1 AND updated_at >= $2
         UNION ALL SELECT id FROM ${names.tombstones} WHERE id = $1 AND deleted_at >= $2`,
        [id, new Date(updatedAt).toISOString()],
      );
      return rows.length > 0;
    });
  }

  /** Wait until reads do not throw. @throws {MirrorError} `mirror_timeout`. */
  async ready(timeoutMs: number, signal: AbortSignal): Promise<void> {
    // After a copy, the tables are as old as its start until the first poll ends.
    await waitUntil('The mirror was not ready', timeoutMs, signal, async () => {
      const lagMs = await this.lagMs();
      return lagMs !== undefined && lagMs <= this.#settings.maxLagMs;
    });
  }
}

function lagOf(row: Readonly<Record<string, unknown>> | undefined): number | undefined {
  if (typeof row?.fresh_at !== 'string') return undefined;
  return Math.max(0, Date.parse(String(row.now)) - Date.parse(row.fresh_at));
}

async function found<T>(fetch: () => PromiseLike<T | null>): Promise<T | null> {
  try {
    return await fetch();
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Look until something holds. @throws {MirrorError} `mirror_timeout`. */
export async function waitUntil(
  what: string,
  timeoutMs: number,
  signal: AbortSignal,
  holds: () => Promise<boolean>,
): Promise<void> {
  for (const endsAt = performance.now() + timeoutMs; !(await holds()); await sleep(lookMs, signal)) {
    if (signal.aborted) throw new MirrorError('mirror_timeout', { what, why: 'The mirror was closed' });
    if (performance.now() >= endsAt) throw timedOut(what, timeoutMs);
  }
}
