import { oneAtATime } from '../async/one-at-a-time.js';
import { isRefreshEnd } from '../oauth/outcome.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { exclusively } from './exclusively.js';
import { retryLater, signedOut } from './failure.js';
import type { SessionKeeper } from './keeper.js';
import { loadedLater } from './loading.js';
import type { BrowserConfig } from './options.js';
import type { Page } from './page.js';
import { isNewer, type LiveSession, liveSession, type StoredSession } from './session.js';
import { requestPublicTokens } from './token-request.js';

/** How many used refresh tokens to follow to their successors. */
const maxHops = 20;

/** Renews the access token. Every call can throw `signed_out`, `retry_later` or `refused`. */
export interface Renewal {
  /** Return a session with a new access token. Concurrent callers and tabs share one renewal. */
  renew(): Promise<LiveSession>;
  /** Return the session in another organization. */
  switchTo(organizationId: string): Promise<LiveSession>;
}

/**
 * Create the renewal of the access token.
 *
 * Refresh tokens may be single use, so two tabs must not both use one. Each of three mechanisms prevents that: a lock across
 * tabs, the sessions that other tabs store or broadcast, and an idempotency key made from the refresh token, for which the
 * service repeats its first response.
 */
export function renewalOf(page: Page, config: BrowserConfig, keeper: SessionKeeper, lock: string): Renewal {
  let lastTurn: Promise<unknown> = Promise.resolve();

  const inTurn = async (organizationId?: string): Promise<LiveSession> => {
    const { live } = keeper;
    const known = await keeper.newest();
    const turn = lastTurn.then(() =>
      exclusively(page.find('locks'), lock, () => renewOnce(live, known, organizationId)),
    );
    lastTurn = turn.catch(() => undefined);
    return turn;
  };

  /**
   * @param previous The session of this tab at the time of the call.
   * @param known The newest session known at that time.
   */
  const renewOnce = async (
    previous: LiveSession | undefined,
    known: StoredSession | undefined,
    organizationId: string | undefined,
  ): Promise<LiveSession> => {
    const newest = await keeper.newest();
    // Another tab has renewed the session while this one waited for the lock, but its broadcast may arrive later.
    if (newest && isNewer(newest, known) && keeper.live === previous) await keeper.ask();

    let before: LiveSession | undefined;
    for (let hop = 1; hop <= maxHops; hop++) {
      const { live } = keeper;
      if (live && live !== previous && live.renewAt > page.now() && organizationId === undefined) return live;
      const current = await keeper.newest();
      if (!current) throw signedOut('no_session');

      const tokens = await request(current, organizationId);
      if (!tokens) continue;
      const base = { ...current, renewals: current.renewals + 1 };
      const renewed = liveSession(tokens, base, page.now(), before);
      if (!renewed) break;
      if (!(await keeper.keep(renewed))) throw signedOut('signed_out');
      if (renewed.expiresAt > page.now()) return keeper.live ?? renewed;
      // Already expired: the service repeated an old response. Continue with its refresh token, unless another tab has a newer one.
      if (!before) await keeper.ask();
      before = renewed;
    }
    throw retryLater(config.baseUrl, 'unexpected_answer');
  };

  /** Request tokens. Returns undefined if the service rejects the refresh token and another tab has a newer one. */
  const request = async (
    current: StoredSession,
    organizationId: string | undefined,
  ): Promise<AuthenticationResponse | undefined> => {
    const { refreshToken, salt, renewals } = current;
    const grant = { grantType: 'refresh_token', refreshToken, organizationId: organizationId || undefined } as const;
    // The count makes each request unique, even if the service allows reusing refresh tokens.
    const secret = `${salt}.${refreshToken}.${renewals}.${organizationId ?? ''}`;
    const outcome = await requestPublicTokens(page, config, grant, secret);
    if (outcome.status === 'ok') return outcome.tokens;
    await keeper.ask();
    const newest = await keeper.newest();
    if (newest && isNewer(newest, current)) return undefined;
    // A rejected switch to another organization does not end the session.
    if (organizationId !== undefined || !isRefreshEnd(outcome.reason))
      throw (await loadedLater()).refusedError(outcome, [refreshToken]);
    await keeper.end(current);
    throw signedOut(outcome.reason);
  };

  return { renew: oneAtATime(() => inTurn()), switchTo: inTurn };
}
