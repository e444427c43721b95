import type { PasswordEntry } from '../crypto/passwords.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { shared } from './grace.js';
import { refreshKey } from './idempotency-key.js';
import type { SessionOpener } from './reader.js';
import { type RefreshStore, throughStore } from './refresh-store.js';
import { type RefreshEnd, type RetryReason, refreshEnds } from './results.js';
import type { SealedSession } from './sealed-session.js';
import type { Authenticate, GrantLimits, GrantOutcome, GrantRefusal } from './service.js';
import type { Session } from './session.js';

/** What refreshing comes to. */
export type Refreshed =
  | { readonly kind: 'renewed'; readonly sealed: SealedSession; readonly session: Session }
  | { readonly kind: 'ended'; readonly reason: RefreshEnd; readonly error: GrantRefusal }
  | {
      readonly kind: 'later';
      readonly reason: RetryReason;
      readonly retryAfterMs: number | undefined;
      readonly cause: unknown;
    };

/** A cookie that was opened and is to be refreshed. */
export interface Refreshable {
  readonly sealed: SealedSession;
  /** The password that opened it. */
  readonly entry: PasswordEntry;
  /** Id of the session; undefined when the access token could not be checked. */
  readonly sessionId: string | undefined;
}

/** What refreshing needs. */
export interface RefreshKit {
  readonly authenticate: Authenticate;
  readonly check: SessionOpener['check'];
  /** Every password of the cookie. */
  readonly entries: readonly PasswordEntry[];
  /** Tells services and clients apart in what the process shares. */
  readonly scope: string;
  /** The function that fetches. */
  readonly fetcher: () => object;
  readonly now: () => number;
  readonly graceMs: number;
  readonly limits: GrantLimits;
  readonly store: RefreshStore | undefined;
}

/** Refreshes a session, in the organization that is given or the present one. Never rejects. */
export type Refresh = (from: Refreshable, organizationId?: string) => Promise<Refreshed>;

/**
 * How many refreshes one request may follow. A request that comes late is given tokens that were handed out before, and
 * these may have been refreshed since.
 */
const mostHops = 5;

/** Makes the function that refreshes. */
export function refresher(kit: RefreshKit): Refresh {
  const { authenticate, check, entries, scope, now, graceMs, limits, store } = kit;

  /** What the service, this process or the store answers under one idempotency key. */
  const ask = async (
    entry: PasswordEntry,
    refreshToken: string,
    organization: '' | '*',
    organizationId?: string,
  ): Promise<GrantOutcome> => {
    const key = await refreshKey(entry.secret, refreshToken, organization);
    const send = () =>
      authenticate(
        { grant_type: 'refresh_token', refresh_token: refreshToken, organization_id: organizationId },
        key,
        limits,
      );
    const lockKey = store && `sallyport:lock:${await refreshKey(entry.secret, refreshToken, '')}`;
    return shared(
      `${scope} ${key}`,
      {
        fetcher: kit.fetcher(),
        now,
        waitMs: 2 * limits.deadlineMs + limits.timeoutMs,
        keepMs: (outcome: GrantOutcome) =>
          outcome.kind === 'tokens'
            ? graceMs
            : // Who was told to wait need not ask before; a refusal is worth no memory.
              Math.min(outcome.kind === 'transient' ? (outcome.retryAfterMs ?? 0) : 0, graceMs),
      },
      store && lockKey !== undefined
        ? () =>
            throughStore(
              { ...limits, store, key: `sallyport:refresh:${key}`, lockKey, entry, now, keptMs: graceMs },
              send,
            )
        : send,
    );
  };

  /** New tokens for a refresh token, also when it was spent already by somebody whose key we can derive. */
  const exchange = async (
    own: PasswordEntry,
    refreshToken: string,
    organizationId: string | undefined,
  ): Promise<GrantOutcome> => {
    const organization = organizationId === undefined ? '' : '*';
    const first = await ask(own, refreshToken, organization, organizationId);
    if (first.kind !== 'rejected' || first.error.code !== 'invalid_grant') return first;
    // A twin of this cookie may have been sealed anew with another password, or have switched the organization. Under the
    // key of whoever spent the token the service says again what it said then.
    for (const entry of entries)
      for (const other of ['', '*'] as const) {
        if (entry.id === own.id && other === organization) continue;
        const outcome = await ask(entry, refreshToken, other);
        if (outcome.kind === 'tokens' || (outcome.kind === 'transient' && outcome.reason !== 'service_refused'))
          return outcome;
      }
    return first;
  };

  return async ({ sealed: old, entry, sessionId }, organizationId) => {
    let sealed = old;
    const end = Date.now() + limits.deadlineMs;
    for (let hop = 0; hop < mostHops; hop++) {
      // What was found so far is not lost: the next request follows the same way.
      if (Date.now() > end) return later('timeout', 'had expired, and following the refreshes since took too long');
      const outcome = await exchange(entry, sealed.refreshToken, organizationId);
      if (outcome.kind === 'rejected') return ended(outcome.error);
      if (outcome.kind === 'transient') return { ...outcome, kind: 'later' };
      sealed = renewed(sealed, outcome.tokens);
      const checked = await check(sealed);
      if (checked.status === 'retry_later') return later(checked.reason, 'could not be checked without its key');
      // The service signs with a key that it has yet to publish.
      if (checked.status === 'signed_out')
        return checked.reason === 'unknown_key'
          ? later('keys_unavailable', 'is signed with a key that the service does not publish')
          : later('unexpected_answer', `is of no use: ${checked.reason}`);
      const { session } = checked;
      if (session.user.id !== old.user.id || (sessionId !== undefined && session.sessionId !== sessionId))
        return later('unexpected_answer', 'belongs to another session');
      const there = organizationId === undefined || session.organizationId === organizationId;
      if (checked.status === 'active' && there) return { kind: 'renewed', sealed, session };
    }
    return later(
      'unexpected_answer',
      'had expired again and again, or is for another organization; compare the clocks',
    );
  };
}

/** Only what is known to end a session ends it; whatever else the service refuses may be gone tomorrow. */
const ended = (error: GrantRefusal): Refreshed => {
  const reason = refreshEnds.find((one) => one === error.code);
  if (reason) return { kind: 'ended', reason, error };
  const said = /^\w{1,80}$/.test(error.code) ? `, ${error.code}` : '';
  const cause = new Error(`The service refused the refresh with status ${error.status}${said}`);
  return { kind: 'later', reason: 'service_refused', retryAfterMs: undefined, cause };
};

const later = (reason: RetryReason, problem: string): Refreshed => ({
  kind: 'later',
  reason,
  retryAfterMs: undefined,
  cause: new Error(`The refreshed access token ${problem}`),
});

/** What is sealed for tokens of the service. What a refresh does not say again is as it was at sign-in. */
export const renewed = (before: Partial<SealedSession>, tokens: AuthenticationResponse): SealedSession => {
  const impersonator = tokens.impersonator ?? before.impersonator;
  const authenticationMethod = tokens.authenticationMethod ?? before.authenticationMethod;
  return {
    organizationId: tokens.organizationId ?? null,
    user: tokens.user,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    ...(authenticationMethod === undefined ? {} : { authenticationMethod }),
    ...(impersonator === undefined ? {} : { impersonator }),
  };
};
