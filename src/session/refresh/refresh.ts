import { subscribed } from '../../async/diagnostics.js';
import { uncheckedClaims } from '../../crypto/access-token.js';
import type { PasswordEntry } from '../../crypto/seal.js';
import {
  type Ended,
  isRefreshEnd,
  type Outcome,
  type RefreshEnd,
  type RetryLater,
  retryLater,
} from '../../oauth/outcome.js';
import { type SealedSession, sealedFrom } from '../cookie/sealed-session.js';
import type { CookieContent, SessionOpener } from '../read/reader.js';
import type { Report } from '../read/reporter.js';
import type { Revocations } from '../read/revocations.js';
import { type CurrentSession, startIn } from '../read/session.js';
import { type Authenticate, agreesWithUs, clockOffsetMs, type GrantOutcome, serviceHealth } from './authenticator.js';
import type { RefreshStore } from './refresh-store.js';
import type { RetryReason, SessionRefreshRecord } from './results.js';
import { type Run, refreshKey, type SharingContext, shareOutcome, type WaitOptions } from './shared-refreshes.js';
import { rejectedClientError, type TokenProblem, unusableTokensError } from './token-errors.js';

/** Outcome of a refresh. */
export type RefreshOutcome = Outcome<
  { readonly sealed: SealedSession; readonly session: CurrentSession },
  KeepReason,
  RefreshEnd
>;
type KeepReason = Exclude<RetryReason, 'service_refused'>;

/** What a refresh needs. */
export interface RefreshContext extends SharingContext {
  readonly authenticate: Authenticate;
  readonly check: SessionOpener['check'];
  /** All passwords of the cookie. */
  readonly entries: readonly PasswordEntry[];
  readonly store: RefreshStore | undefined;
  readonly report?: Report | undefined;
  readonly revocations?: Revocations | undefined;
  /** Called with each session that this process has refreshed. */
  readonly noteRefresh?: ((sealed: SealedSession) => Promise<void>) | undefined;
}

/** The session to refresh. */
interface Target {
  readonly userId: string;
  readonly sessionId: string | undefined;
  /** The organization to switch to; undefined to stay. */
  readonly organizationId: string | undefined;
}

/** New tokens that are outdated already. */
interface Outdated {
  readonly status: 'outdated';
  readonly expiresAtMs: number;
}

/**
 * Maximum number of refreshes per request without newer tokens. A late request may get tokens that have since been refreshed
 * again. The request follows this chain while it has time, as long as each set of tokens expires well after the previous one.
 * Otherwise one of the clocks is wrong, unless the service has just said that they agree.
 */
const maxHops = { unknownClock: 2, rightClock: 8 };

/** Refresh a session in its current organization, or switch to the given one. Never rejects, unless `authenticate` does. */
export async function refresh(
  context: RefreshContext,
  content: CookieContent,
  organizationId?: string,
  waiting?: WaitOptions,
): Promise<RefreshOutcome> {
  const channel = subscribed<SessionRefreshRecord>('session:refresh');
  if (!channel) return refreshTokens(context, content, organizationId, waiting);
  let shared = true;
  const authenticate: Authenticate = (...grant) => {
    shared = false;
    return context.authenticate(...grant);
  };
  const startedAt = Date.now();
  const outcome = await refreshTokens({ ...context, authenticate }, content, organizationId, waiting);
  channel.publish({
    durationMs: Date.now() - startedAt,
    outcome: outcome.status,
    // The code of a rejected client is text of the service.
    reason: outcome.status === 'misconfigured' ? 'service_refused' : 'reason' in outcome ? outcome.reason : undefined,
    shared,
  });
  return outcome;
}

async function refreshTokens(
  context: RefreshContext,
  { sealed: previous, entry }: CookieContent,
  organizationId: string | undefined,
  waiting: WaitOptions | undefined,
): Promise<RefreshOutcome> {
  const claims = uncheckedClaims(previous.accessToken);
  const { sid, exp = 0, iat = -Infinity } = claims;
  const target = { userId: previous.user.id, sessionId: sid, organizationId };
  // If our clock is this far ahead, new tokens would look expired too, and the refresh token would be spent.
  if (iat < exp && -offsetMs(context) >= (exp - iat) * 1_000) return unusableTokens(context, 'stale');
  const { deadlineMs } = context.retryPolicy;
  const end = Date.now() + deadlineMs;
  let sealed: SealedSession = { ...previous, startedAt: previous.startedAt ?? startIn(claims) };
  let latest = Infinity;
  for (let hop = 0; hop < hopsAllowed(context); ) {
    // Progress is not lost: the next request follows the same tokens.
    if (Date.now() > end) return unusableTokens(context, 'timeout', 'timeout');
    const outcome = await exchangeRefreshToken(context, entry, sealed, organizationId, waiting);
    if (outcome.status !== 'ok') return outcome.status === 'ended' ? endOf(outcome) : outcome;
    sealed = sealedFrom(outcome.tokens, sealed);
    const next = await checkTokens(context, target, sealed, hop > 0);
    if (next.status !== 'outdated') return next;
    if (next.expiresAtMs - latest < deadlineMs) hop++;
    latest = next.expiresAtMs;
  }
  return unusableTokens(context, 'expired');
}

const hopsAllowed = (context: RefreshContext): number =>
  agreesWithUs(serviceHealth(context), context.now()) ? maxHops.rightClock : maxHops.unknownClock;

/** Check new tokens. If they are outdated, others can be had for them. */
async function checkTokens(
  context: RefreshContext,
  { userId, sessionId, organizationId }: Target,
  sealed: SealedSession,
  isFurther: boolean,
): Promise<RefreshOutcome | Outdated> {
  const checked = await context.check(sealed);
  if (checked.status === 'retry_later') return retryLater(checked.reason, checked.cause, checked.retryAfterMs);
  if (checked.status === 'signed_out')
    // The service may sign with a key before it publishes it.
    return checked.reason === 'unknown_key'
      ? unusableTokens(context, 'keys_unavailable', 'keys_unavailable')
      : unusableTokens(context, checked.reason);
  const { session } = checked;
  const { expiresAtMs } = session;
  if (session.user.id !== userId || (sessionId !== undefined && session.sessionId !== sessionId))
    return unusableTokens(context, 'foreign');
  const isInOrganization = organizationId === undefined || session.organizationId === organizationId;
  // These tokens may predate the revocation: refresh once more. The next ones are the newest.
  if (checked.status === 'active' && isInOrganization && (isFurther || !context.revocations?.find(session)))
    return { status: 'ok', sealed, session };
  // The token is valid by the clock of the service. A later one would look expired to us too.
  if (checked.status === 'expired' && expiresAtMs > context.now() + offsetMs(context))
    return unusableTokens(context, 'expired');
  return { status: 'outdated', expiresAtMs };
}

const offsetMs = (context: RefreshContext): number => clockOffsetMs(serviceHealth(context), context.now());

const unusableTokens = (
  context: RefreshContext,
  problem: TokenProblem,
  reason: KeepReason = 'unexpected_answer',
): RetryLater<KeepReason> => retryLater(reason, unusableTokensError(problem, offsetMs(context)));

/** Return the outcome of a rejected refresh: only some codes end the session. */
const endOf = (ended: Ended): RefreshOutcome => {
  const { reason, message, cause } = ended;
  return isRefreshEnd(reason)
    ? { ...ended, reason }
    : { status: 'misconfigured', reason, message, cause: rejectedClientError(cause, reason) };
};

/** An idempotency key names the password of the cookie, and `*` for a switch of the organization. */
type KeyParts = readonly [entry: PasswordEntry, organization: '' | '*'];

/** Exchange a refresh token, even if it was already spent under a key that we can derive. */
async function exchangeRefreshToken(
  context: RefreshContext,
  entry: PasswordEntry,
  sealed: SealedSession,
  organizationId: string | undefined,
  waiting: WaitOptions | undefined,
): Promise<GrantOutcome> {
  const organization = organizationId === undefined ? '' : '*';
  const first = await requestTokensWithKey(context, [entry, organization], sealed, organizationId, waiting);
  if (first.status !== 'ended' || first.reason !== 'invalid_grant') return first;
  // A copy of this cookie may have been resealed with another password, or have switched the organization. Under the key that
  // spent the token, the service repeats its response.
  for (const parts of otherKeys(context, entry, organization)) {
    const outcome = await requestTokensWithKey(context, parts, sealed);
    if (outcome.status === 'ok' || outcome.status === 'retry_later') return outcome;
  }
  return first.uncertain ?? first;
}

const otherKeys = ({ entries }: RefreshContext, current: PasswordEntry, organization: '' | '*'): KeyParts[] =>
  entries
    .flatMap((entry): KeyParts[] => [
      [entry, ''],
      [entry, '*'],
    ])
    .filter(([entry, other]) => entry.id !== current.id || other !== organization);

/** Get the outcome for one idempotency key, from this process, the store or the service. */
async function requestTokensWithKey(
  context: RefreshContext,
  [entry, organization]: KeyParts,
  sealed: SealedSession,
  organizationId?: string,
  waiting?: WaitOptions,
): Promise<GrantOutcome> {
  const { store } = context;
  const { refreshToken, accessToken } = sealed;
  const key = await refreshKey(entry.secret, refreshToken, organization, accessToken);
  const send: Run = async (flight) => {
    const request = () => context.authenticate({ grantType: 'refresh_token', refreshToken, organizationId }, key);
    // The code for stores is loaded on demand: most applications have none.
    if (!store) return request();
    const { refreshThroughStore } = await import('./refresh-store.js');
    const lockKey = await refreshKey(entry.secret, refreshToken, '');
    return refreshThroughStore({ ...context, ...flight, store, key, lockKey, entry }, request);
  };
  let noted: Promise<void> | undefined;
  const run: Run = async (flight) => {
    const outcome = await send(flight);
    // Neither the lock nor the response waits for this.
    if (outcome.status === 'ok') noted = context.noteRefresh?.(sealedFrom(outcome.tokens, sealed));
    return outcome;
  };
  // A runtime accepts promises only during the request.
  const waitUntil = (end: Promise<unknown>) => waiting?.waitUntil?.(end.then(() => noted));
  return shareOutcome(context, key, run, { ...waiting, waitUntil });
}
