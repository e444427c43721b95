import type { PasswordEntry } from '../crypto/passwords.js';
import { uncheckedClaims } from '../crypto/unchecked-claims.js';
import { isRefreshEnd, type RefreshEnd } from '../oauth/flow-errors.js';
import type { GrantRefusal } from '../oauth/token-answer.js';
import type { TokenProblem } from './failures.js';
import { aheadOfUs, healthOf } from './health.js';
import { refreshKey } from './idempotency-key.js';
import type { Report } from './problems.js';
import type { CookieContent, SessionOpener } from './reader.js';
import type { RefreshStore } from './refresh-store.js';
import type { RetryReason } from './results.js';
import type { Revocations } from './revocations.js';
import { type SealedSession, sealedFrom } from './sealed-session.js';
import { type Authenticate, type GrantOutcome, refused, type Transient, transient } from './service.js';
import type { CurrentSession } from './session.js';
import { type Sharing, shared, type Waiting } from './shared-refreshes.js';

/** Outcome of a refresh. */
export type Refreshed =
  | { readonly kind: 'renewed'; readonly sealed: SealedSession; readonly session: CurrentSession }
  | { readonly kind: 'ended'; readonly reason: RefreshEnd; readonly error: GrantRefusal }
  | Transient<RetryReason>;

/** What a refresh needs. */
export interface RefreshKit extends Sharing {
  readonly authenticate: Authenticate;
  readonly check: SessionOpener['check'];
  /** All passwords of the cookie. */
  readonly entries: readonly PasswordEntry[];
  readonly store: RefreshStore | undefined;
  readonly report?: Report | undefined;
  readonly revocations?: Revocations | undefined;
}

/**
 * Maximum number of refreshes per request without newer tokens. A late request may get tokens that were handed out earlier and
 * refreshed since; each set expires well after the one before, so the request follows them while it has time. If new tokens have
 * expired but do not expire later than the ones before, one of the clocks is wrong.
 */
const mostHops = 2;

/** Refresh a session in its current organization, or switch to the given one. Never rejects. */
export async function refresh(
  kit: RefreshKit,
  { sealed: old, entry }: CookieContent,
  organizationId?: string,
  waiting?: Waiting,
): Promise<Refreshed> {
  const { sid, exp = 0, iat = -Infinity } = uncheckedClaims(old.accessToken);
  const health = healthOf(kit);
  const aheadMs = () => aheadOfUs(health, kit.now());
  const unusable = async (problem: TokenProblem, reason: RetryReason = 'unexpected_answer') =>
    transient(reason, (await import('./failures.js')).unusableTokens(problem, aheadMs()));
  // If our clock is this far ahead, new tokens would look expired too, and the refresh token would be spent.
  if (iat < exp && -aheadMs() >= (exp - iat) * 1_000) return unusable('stale');
  let sealed = old;
  const end = Date.now() + kit.limits.deadlineMs;
  let latest = Infinity;
  for (let hop = 0; hop < mostHops; ) {
    // Progress is not lost: the next request follows the same tokens.
    if (Date.now() > end) return unusable('timeout', 'timeout');
    const outcome = await exchange(kit, entry, sealed, organizationId, waiting);
    if (outcome.kind === 'rejected') return ended(outcome.error);
    if (outcome.kind === 'transient') return outcome;
    sealed = sealedFrom(outcome.tokens, sealed);
    const checked = await kit.check(sealed);
    if (checked.status === 'retry_later') return transient(checked.reason, checked.cause, checked.retryAfterMs);
    // The service may sign with a key before it publishes it.
    if (checked.status === 'signed_out')
      return checked.reason === 'unknown_key'
        ? unusable('keys_unavailable', 'keys_unavailable')
        : unusable(checked.reason);
    const { session } = checked;
    if (session.user.id !== old.user.id || (sid !== undefined && session.sessionId !== sid)) return unusable('foreign');
    const isInOrganization = organizationId === undefined || session.organizationId === organizationId;
    // These tokens may predate the revocation: refresh once more. The next ones are the newest.
    if (checked.status === 'active' && isInOrganization && (hop || !kit.revocations?.find(session)))
      return { kind: 'renewed', sealed, session };
    // The token is valid by the clock of the service. A later one would look expired to us too.
    if (checked.status === 'expired' && session.expiresAt > kit.now() + aheadMs()) break;
    if (session.expiresAt - latest < kit.limits.deadlineMs) hop++;
    latest = session.expiresAt;
  }
  return unusable('expired');
}

/** Exchange a refresh token, even if it was already spent under a key that we can derive. */
async function exchange(
  kit: RefreshKit,
  own: PasswordEntry,
  spent: SealedSession,
  organizationId: string | undefined,
  waiting: Waiting | undefined,
): Promise<GrantOutcome> {
  const organization = organizationId === undefined ? '' : '*';
  const first = await ask(kit, own, spent, organization, organizationId, waiting);
  if (first.kind !== 'rejected' || first.error.code !== 'invalid_grant') return first;
  // A copy of this cookie may have been resealed with another password, or have switched the organization. Under the key that
  // spent the token, the service repeats its answer.
  for (const entry of kit.entries)
    for (const other of ['', '*'] as const) {
      if (entry.id === own.id && other === organization) continue;
      const outcome = await ask(kit, entry, spent, other);
      if (outcome.kind === 'tokens' || (outcome.kind === 'transient' && outcome.reason !== 'service_refused'))
        return outcome;
    }
  return first.transient ?? first;
}

/** Get the outcome for one idempotency key, from this process, the store or the service. */
async function ask(
  kit: RefreshKit,
  entry: PasswordEntry,
  { refreshToken, accessToken }: SealedSession,
  organization: '' | '*',
  organizationId?: string,
  waiting?: Waiting,
): Promise<GrantOutcome> {
  const { store } = kit;
  const key = await refreshKey(entry.secret, refreshToken, organization, accessToken);
  const send = (flight: { readonly hasFailed: boolean }) =>
    kit.authenticate({ grantType: 'refresh_token', refreshToken, organizationId }, key, flight);
  const sendOrFind = async (flight: { readonly keepMs: () => number; readonly hasFailed: boolean }) => {
    // Most applications have no store, so it is loaded on first use.
    if (!store) return send(flight);
    const { throughStore } = await import('./refresh-store.js');
    const lockKey = await refreshKey(entry.secret, refreshToken, '');
    return throughStore({ ...kit, ...flight, store, key, lockKey, entry }, () => send(flight));
  };
  return shared(kit, key, sendOrFind, waiting);
}

const ended = async (error: GrantRefusal): Promise<Refreshed> =>
  isRefreshEnd(error.code) ? { kind: 'ended', reason: error.code, error } : refused(error);
