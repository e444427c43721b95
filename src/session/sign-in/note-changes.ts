import { waitAtMost } from '../../async/sleep.js';
import type { IssuedClaims } from '../../crypto/token-order.js';
import type { SessionContext } from '../handle/session-context.js';
import type { SessionChange } from '../read/revocations.js';

/** The claims of a token of the session that changes. */
export interface ChangeClaims extends IssuedClaims {
  readonly exp: number;
}

type ChangeContext = Pick<SessionContext, 'changes' | 'revocations' | 'now'>;

/** Maximum number of remembered sessions of each kind. The oldest are dropped first. */
const maxKept = 10_000;
/** Lifetime of a token without `iat`, in seconds: the default of `maxTokenLifetimeMs`. */
const maxLifeS = 86_400;
/** Time after which even a replica whose clock is behind refuses a token. */
const toleranceMs = 300_000;
/** Milliseconds to wait until the other replicas can know a change. */
const maxTellMs = 1_000;

/** Note that a session has ended, and tell the other replicas. Never rejects. */
export async function noteEnd(context: ChangeContext, claims: ChangeClaims): Promise<void> {
  const changes = context.changes();
  keep(changes.ended, claims.sid, endOf(context, claims), context, (until) => until);
  changes.version += 1;
  await tell(context, { kind: 'ended', sessionId: claims.sid });
}

/** Note that a switch of the organization has issued a token, and tell the other replicas. Never rejects. */
export async function noteSwitch(context: ChangeContext, claims: ChangeClaims): Promise<void> {
  noteNewest(context, claims, claims);
  await tell(context, { kind: 'switched', claims });
}

/**
 * Note that a new session replaces another one in a browser, and tell the other replicas. The tokens of the old one are older than that of
 * the new one. Never rejects.
 */
export const noteReplacement = (
  context: ChangeContext,
  oldSessionId: string,
  { exp = 0, iat = 0 }: Partial<ChangeClaims>,
): Promise<void> => noteSwitch(context, { sid: oldSessionId, exp, iat: iat + 1 });

function noteNewest(context: ChangeContext, claims: ChangeClaims, { iat, jti, org_id }: Partial<ChangeClaims>): void {
  const newest = { iat, jti, org_id, until: endOf(context, claims) };
  keep(context.changes().newest, claims.sid, newest, context, ({ until }) => until);
}

/** When all tokens of a session that exist now have expired: the newest may be as old as this moment. */
const endOf = ({ now }: ChangeContext, { exp, iat = exp - maxLifeS }: ChangeClaims): number =>
  Math.max(exp * 1_000, now() + (exp - iat) * 1_000) + toleranceMs;

/** Remember a value. Values that are over are dropped, and so is the oldest if there are too many. */
function keep<Value>(
  all: Map<string, Value>,
  sessionId: string,
  value: Value,
  { now }: ChangeContext,
  untilOf: (value: Value) => number,
): void {
  all.delete(sessionId);
  all.set(sessionId, value);
  // The oldest entries come first, and they also end first.
  for (const [oldest, kept] of all) {
    if (untilOf(kept) > now() && all.size <= maxKept) return;
    all.delete(oldest);
  }
}

const tell = ({ revocations }: ChangeContext, change: SessionChange): Promise<void> =>
  // The list of revocations reports its own failures.
  waitAtMost(
    maxTellMs,
    Promise.resolve(revocations.note?.(change)).catch(() => undefined),
  );
