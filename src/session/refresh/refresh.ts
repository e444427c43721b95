import type { PasswordEntry } from '../../crypto/passwords.js';
import { uncheckedClaims } from '../../crypto/unchecked-claims.js';
import { isRefreshEnd, type RefreshEnd } from '../../oauth/flow-errors.js';
import type { GrantRefusal } from '../../oauth/token-answer.js';
import { type SealedSession, sealedFrom } from '../cookie/sealed-session.js';
import type { CookieContent, SessionOpener } from '../read/reader.js';
import type { Report } from '../read/reporter.js';
import type { Revocations } from '../read/revocations.js';
import type { CurrentSession } from '../read/session.js';
import type { TokenProblem } from '../read/token-errors.js';
import { clockOffsetMs, healthOf } from './health.js';
import { refreshKey } from './idempotency-key.js';
import type { RefreshStore } from './refresh-store.js';
import type { RetryReason } from './results.js';
import { type Authenticate, type GrantOutcome, serviceRefused, type Transient, transient } from './service.js';
import { type SharingContext, shareOutcome, type WaitOptions } from './shared-refreshes.js';

/** Outcome of a refresh. */
export type RefreshOutcome =
  | { readonly kind: 'renewed'; readonly sealed: SealedSession; readonly session: CurrentSession }
  | { readonly kind: 'ended'; readonly reason: RefreshEnd; readonly error: GrantRefusal }
  | Transient<RetryReason>;

/** What a refresh needs. */
export interface RefreshContext extends SharingContext {
  readonly authenticate: Authenticate;
  readonly check: SessionOpener['check'];
  /** All passwords of the cookie. */
  readonly entries: readonly PasswordEntry[];
  readonly store: RefreshStore | undefined;
  readonly report?: Report | undefined;
  readonly revocations?: Revocations | undefined;
}

/**
 * Maximum number of refreshes per request without newer tokens. A late request may get tokens that have since been refreshed
 * again. The request follows this chain while it has time, as long as each set of tokens expires well after the previous one.
 * Otherwise one of the clocks is wrong.
 */
const maxHops = 2;

/** Refresh a session in its current organization, or switch to the given one. Never rejects. */
export async function refresh(
  context: RefreshContext,
  { sealed: previous, entry }: CookieContent,
  organizationId?: string,
  waiting?: WaitOptions,
): Promise<RefreshOutcome> {
  const { sid, exp = 0, iat = -Infinity } = uncheckedClaims(previous.accessToken);
  const health = healthOf(context);
  const offsetMs = () => clockOffsetMs(health, context.now());
  const unusable = async (problem: TokenProblem, reason: RetryReason = 'unexpected_answer') =>
    transient(reason, (await import('../read/token-errors.js')).unusableTokensError(problem, offsetMs()));
  // If our clock is this far ahead, new tokens would look expired too, and the refresh token would be spent.
  if (iat < exp && -offsetMs() >= (exp - iat) * 1_000) return unusable('stale');
  let sealed = previous;
  const end = Date.now() + context.limits.deadlineMs;
  let latest = Infinity;
  for (let hop = 0; hop < maxHops; ) {
    // Progress is not lost: the next request follows the same tokens.
    if (Date.now() > end) return unusable('timeout', 'timeout');
    const outcome = await exchangeRefreshToken(context, entry, sealed, organizationId, waiting);
    if (outcome.kind === 'rejected') return rejectedRefresh(outcome.error);
    if (outcome.kind === 'transient') return outcome;
    sealed = sealedFrom(outcome.tokens, sealed);
    const checked = await context.check(sealed);
    if (checked.status === 'retry_later') return transient(checked.reason, checked.cause, checked.retryAfterMs);
    // The service may sign with a key before it publishes it.
    if (checked.status === 'signed_out')
      return checked.reason === 'unknown_key'
        ? unusable('keys_unavailable', 'keys_unavailable')
        : unusable(checked.reason);
    const { session } = checked;
    if (session.user.id !== previous.user.id || (sid !== undefined && session.sessionId !== sid))
      return unusable('foreign');
    const isInOrganization = organizationId === undefined || session.organizationId === organizationId;
    // These tokens may predate the revocation: refresh once more. The next ones are the newest.
    if (checked.status === 'active' && isInOrganization && (hop || !context.revocations?.find(session)))
      return { kind: 'renewed', sealed, session };
    // The token is valid by the clock of the service. A later one would look expired to us too.
    if (checked.status === 'expired' && session.expiresAtMs > context.now() + offsetMs()) break;
    if (session.expiresAtMs - latest < context.limits.deadlineMs) hop++;
    latest = session.expiresAtMs;
  }
  return unusable('expired');
}

/** Exchange a refresh token, even if it was already spent under a key that we can derive. */
async function exchangeRefreshToken(
  context: RefreshContext,
  currentEntry: PasswordEntry,
  sealed: SealedSession,
  organizationId: string | undefined,
  waiting: WaitOptions | undefined,
): Promise<GrantOutcome> {
  const organization = organizationId === undefined ? '' : '*';
  const first = await requestTokensWithKey(context, currentEntry, sealed, organization, organizationId, waiting);
  if (first.kind !== 'rejected' || first.error.code !== 'invalid_grant') return first;
  // A copy of this cookie may have been resealed with another password, or have switched the organization. Under the key that
  // spent the token, the service repeats its response.
  for (const entry of context.entries)
    for (const otherOrganization of ['', '*'] as const) {
      if (entry.id === currentEntry.id && otherOrganization === organization) continue;
      const outcome = await requestTokensWithKey(context, entry, sealed, otherOrganization);
      if (outcome.kind === 'tokens' || (outcome.kind === 'transient' && outcome.reason !== 'service_refused'))
        return outcome;
    }
  return first.transient ?? first;
}

/** Get the outcome for one idempotency key, from this process, the store or the service. */
async function requestTokensWithKey(
  context: RefreshContext,
  entry: PasswordEntry,
  { refreshToken, accessToken }: SealedSession,
  organization: '' | '*',
  organizationId?: string,
  waiting?: WaitOptions,
): Promise<GrantOutcome> {
  const { store } = context;
  const key = await refreshKey(entry.secret, refreshToken, organization, accessToken);
  const send = (flight: { readonly hasFailed: boolean }) =>
    context.authenticate({ grantType: 'refresh_token', refreshToken, organizationId }, key, flight);
  const sendOrFind = async (flight: { readonly keepMs: () => number; readonly hasFailed: boolean }) => {
    // Most applications have no store, so it is loaded on first use.
    if (!store) return send(flight);
    const { refreshThroughStore } = await import('./refresh-store.js');
    const lockKey = await refreshKey(entry.secret, refreshToken, '');
    return refreshThroughStore({ ...context, ...flight, store, key, lockKey, entry }, () => send(flight));
  };
  return shareOutcome(context, key, sendOrFind, waiting);
}

const rejectedRefresh = async (error: GrantRefusal): Promise<RefreshOutcome> =>
  isRefreshEnd(error.code) ? { kind: 'ended', reason: error.code, error } : serviceRefused(error);
