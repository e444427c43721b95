import { checkNames, checkOption, type OptionNames } from '../errors/known-options.js';
import { type Problem, quietly } from '../errors/problem.js';
import type { StreamProblem } from '../streams/follow/options.js';
import type { Database } from '../streams/once/database.js';
import { databaseOf, type OnceDatabase } from '../streams/once/drivers.js';
import { kinds, type MirrorKind } from './kinds.js';
import { defaultKinds, type MirrorNames, mirrorNames } from './tables.js';

/**
 * A problem that does not end the mirror. `copy`: the service or the database failed, and the mirror goes on when it is back.
 * `record_unreadable`: a record of a list was left out. The others are those of a stream.
 */
export type MirrorProblem = StreamProblem | Problem<'copy' | 'record_unreadable'>;

/** Options of `mirror`. */
export interface MirrorOptions {
  /** The database: a pool of `pg`, the `sql` of `postgres`, or a SQLite database. */
  readonly into: OnceDatabase;
  /**
   * What to copy; default `users`, `organizations` and `memberships`. Memberships need both others, and users and groups of
   * directories need `directories`.
   */
  readonly of?: readonly MirrorKind[] | undefined;
  /** How old the answer of a read may be, in milliseconds, at least 3,000. If the mirror is further behind, reads throw. */
  readonly maxLagMs: number;
  /** Prefix of the table names; default `sallyport_`. In PostgreSQL it may include a schema: `identity.sallyport_`. */
  readonly prefix?: string | undefined;
  /** Share of the published rate limits that copies and `verify` may use, more than 0 and at most 1; default 0.5. */
  readonly share?: number | undefined;
  /** How late events may appear in the feed after they happened, in milliseconds; default 60,000. */
  readonly overlapMs?: number | undefined;
  /** Interval between polls of the feed, in milliseconds; default 1,000. */
  readonly pollMs?: number | undefined;
  /** Called with problems that do not end the mirror: once for each outage, and once for each record that is left out. */
  readonly onProblem?: ((problem: MirrorProblem) => void) | undefined;
  /** The local clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionNames: OptionNames<MirrorOptions> = {
  into: 1,
  of: 1,
  maxLagMs: 1,
  prefix: 1,
  share: 1,
  overlapMs: 1,
  pollMs: 1,
  onProblem: 1,
  now: 1,
};

/** The options with defaults applied. */
export interface MirrorSettings {
  readonly database: Database<unknown>;
  readonly names: MirrorNames;
  readonly of: readonly MirrorKind[];
  readonly maxLagMs: number;
  readonly share: number;
  readonly overlapMs: number;
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly onProblem: (problem: MirrorProblem) => void;
  readonly now: () => number;
}

/**
 * How long a process may write without renewing its lease. Its transactions end sooner if it stops: otherwise no other process could take
 * over.
 */
const defaultLeaseMs = 10_000;

/** @throws {ConfigurationError} `invalid_option`. @throws {InvalidArgumentError} The database or the prefix is invalid. */
export function mirrorSettings(options: MirrorOptions, leaseMs = defaultLeaseMs): MirrorSettings {
  checkNames('mirror', options, optionNames);
  const { into, of = defaultKinds, maxLagMs, prefix, share = 0.5, overlapMs = 60_000, pollMs = 1_000 } = options;
  const { onProblem, now = () => Date.now() } = options;
  checkKinds(of);
  checkOption(maxLagMs >= 3_000 && maxLagMs < Infinity, 'maxLagMs', 'must be 3,000 or more milliseconds');
  checkOption(share > 0 && share <= 1, 'share', 'must be more than 0 and at most 1');
  checkOption(overlapMs >= 0 && overlapMs < Infinity, 'overlapMs', 'must be 0 or more milliseconds');
  checkOption(pollMs > 0 && pollMs < Infinity, 'pollMs', 'must be more than 0 milliseconds');
  const timeouts = { lockTimeoutMs: leaseMs / 2, idleInTransactionTimeoutMs: leaseMs / 2 };
  return {
    database: databaseOf(into, timeouts) as Database<unknown>,
    names: mirrorNames(prefix),
    of,
    maxLagMs,
    share,
    overlapMs,
    pollMs,
    leaseMs,
    onProblem: (problem) => quietly(() => onProblem?.(problem)),
    now,
  };
}

/** @throws {ConfigurationError} `invalid_option`: a kind is unknown, or one that it needs is missing. */
export function checkKinds(of: readonly MirrorKind[]): void {
  const names = Object.keys(kinds).filter((kind) => kind !== 'directory_group_users');
  checkOption(Array.isArray(of) && of.length > 0, 'of', 'must be a list of kinds');
  for (const kind of of) {
    checkOption(names.includes(kind), 'of', `must be some of ${names.join(', ')}`);
    const needed = kind === 'memberships' ? ['users', 'organizations'] : [];
    if (/^directory_/.test(kind)) needed.push('directories');
    const missing = needed.filter((one) => !of.some((other) => other === one));
    checkOption(missing.length === 0, 'of', `must have ${missing.join(' and ')}, because ${kind} refer to them`);
  }
}
