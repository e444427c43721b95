import { oneAtATime } from '../http/one-at-a-time.js';
import { isRefreshEnd } from '../oauth/flow-errors.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { exclusively } from './exclusively.js';
import { retryLater, signedOut } from './failure.js';
import type { SessionKeeper } from './keeper.js';
import { loadedLater } from './loading.js';
import type { BrowserConfig } from './options.js';
import type { Page } from './page.js';
import { isNewer, type LiveSession, liveSession, type StoredSession } from './session.js';
import { requestTokens } from './token-request.js';

/** How many used-up refresh tokens are followed to their successors at a time. */
const mostHops = 20;

/** What renews the access token. Every call throws `signed_out`, `retry_later` or `refused`. */
export interface Renewal {
  /** A session whose access token is new: once, however many callers and tabs ask. */
  renew(): Promise<LiveSession>;
  /** The session with another organization. */
  switchTo(organizationId: string): Promise<LiveSession>;
}

/**
 * Renews the access token.
 *
 * Refresh tokens may be single use, so two tabs must not both spend one. Three things see to it, none of which is needed
 * while the others work: a lock among the tabs, what the other tabs have stored or broadcast meanwhile, and an idempotency
 * key made from the refresh token, for which the service repeats its first answer.
 */
export function renewalOf(page: Page, config: BrowserConfig, keeper: SessionKeeper, lock: string): Renewal {
  let lastTurn: Promise<unknown> = Promise.resolve();

  const inTurn = async (organizationId?: string): Promise<LiveSession> => {
    const { live } = keeper;
    const known = await keeper.newest();
    const turn = lastTurn.then(() => exclusively(page.find('locks'), lock, () => once(live, known, organizationId)));
    lastTurn = turn.catch(() => undefined);
    return turn;
  };

  /**
   * @param ownSession What this tab had when it was asked.
   * @param known The newest it knew of then.
   */
  const once = async (
    ownSession: LiveSession | undefined,
    known: StoredSession | undefined,
    organizationId: string | undefined,
  ): Promise<LiveSession> => {
    const newest = await keeper.newest();
    // Another tab has renewed it while this one waited for the lock; its broadcast may come a moment later.
    if (newest && isNewer(newest, known) && keeper.live === ownSession) await keeper.ask();

    let before: LiveSession | undefined;
    for (let hop = 1; hop <= mostHops; hop++) {
      const { live } = keeper;
      if (live && live !== ownSession && live.renewAt > page.now() && organizationId === undefined) return live;
      const current = await keeper.newest();
      if (!current) throw signedOut('no_session');

      const tokens = await request(current, organizationId);
      if (!tokens) continue;
      const base = { ...current, renewals: current.renewals + 1 };
      const renewed = liveSession(tokens, base, page.now(), before);
      if (!renewed) break;
      if (!(await keeper.keep(renewed))) throw signedOut('signed_out');
      if (renewed.expiresAt > page.now()) return keeper.live ?? renewed;
      // Expired already: an answer repeated from long ago, whose refresh token leads on. Another tab may know a shorter way.
      if (!before) await keeper.ask();
      before = renewed;
    }
    throw retryLater(config.baseUrl, 'unexpected_answer');
  };

  /** Asks for tokens; nothing where they were refused and another tab has a newer refresh token. */
  const request = async (
    current: StoredSession,
    organizationId: string | undefined,
  ): Promise<AuthenticationResponse | undefined> => {
    const { refreshToken, salt, renewals } = current;
    const grant = { grantType: 'refresh_token', refreshToken, organizationId: organizationId || undefined } as const;
    // The count makes it another request each time where the service lets refresh tokens be used again.
    const secret = `${salt}.${refreshToken}.${renewals}.${organizationId ?? ''}`;
    const answer = await requestTokens(page, config, grant, secret);
    if (answer.kind === 'tokens') return answer.tokens;
    await keeper.ask();
    const newest = await keeper.newest();
    if (newest && isNewer(newest, current)) return undefined;
    const { code } = answer.error;
    // Another organization may be closed to the user; that says nothing about the session.
    if (organizationId !== undefined || !isRefreshEnd(code))
      throw (await loadedLater()).refused(answer.error, [refreshToken]);
    await keeper.end(current);
    throw signedOut(code);
  };

  return { renew: oneAtATime(() => inTurn()), switchTo: inTurn };
}
