import { type IssuedClaims, isOlder } from '../../crypto/token-order.js';
import { getOrCreate, processCache } from '../../http/process-cache.js';
import type { Revocations } from './revocations.js';
import { signedOut } from './session.js';

/**
 * What this process has done to sessions of a service lately. Responses that are still under way have cookies from before: they must not
 * bring back a session that has ended, or the organization that the user has left.
 */
export interface RecentChanges {
  /** For each session that has ended, when its tokens end, in milliseconds since 1970. */
  readonly ended: Map<string, number>;
  /** For each session that was switched or replaced, the token before which all others are outdated. */
  readonly newest: Map<string, Omit<IssuedClaims, 'sid'> & { readonly until: number }>;
  /** Number of sessions that were ended. */
  version: number;
}

type ChangesBy = ReturnType<typeof processCache<RecentChanges>>;

/** The changes of all services. Next bundles this module several times in one process, so the place is a global one. */
const place = Symbol.for('sallyport.session-changes.1');
const changesBy = (fetcher: object): ReturnType<ChangesBy> => {
  const holder = globalThis as { [place]?: ChangesBy };
  holder[place] ??= processCache<RecentChanges>();
  return holder[place](fetcher);
};

/**
 * Create the function that returns the changes of a service and client. They are shared in the process.
 *
 * @param fetcher The option `fetch`. Frameworks replace the global one while the process runs, so it counts as one.
 */
export const recentChanges =
  (scope: string, fetcher: object = globalThis): (() => RecentChanges) =>
  () =>
    getOrCreate(changesBy(fetcher), scope, () => ({ ended: new Map(), newest: new Map(), version: 0 }));

/** Whether this process has ended a session. */
export const hasEnded = ({ ended }: RecentChanges, sessionId: string, now: number): boolean =>
  (ended.get(sessionId) ?? 0) > now;

/** Whether no response may set the cookie of a token any more, because its session has ended or moved on. Asks no store. */
export function isSuperseded(
  {
    changes,
    revocations,
    now,
  }: { readonly changes: () => RecentChanges; readonly revocations: Revocations; readonly now: () => number },
  claims: IssuedClaims,
): boolean {
  const newest = changes().newest.get(claims.sid);
  return (
    hasEnded(changes(), claims.sid, now()) ||
    (newest !== undefined && newest.until > now() && isOlder(claims, newest)) ||
    revocations.isReplaced?.(claims) === true
  );
}

/** Add the sessions that this process has ended to the revocations of the application. */
export const withEnded = (
  revocations: Revocations | undefined,
  changes: () => RecentChanges,
  now: () => number,
): Revocations => ({
  find: (session) =>
    session && hasEnded(changes(), session.claims.sid, now())
      ? signedOut('session_revoked')
      : revocations?.find(session),
  // Both numbers only grow. If the revocations of the application have no version, every session is looked up again.
  version: () => (revocations ? (revocations.version?.() ?? NaN) : 0) + changes().version,
  note: async (change) => revocations?.note?.(change),
  isReplaced: (claims) => revocations?.isReplaced?.(claims) ?? false,
  onStale: (listener) => revocations?.onStale(listener),
});
