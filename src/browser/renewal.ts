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

/**
 * Renews the access token: once, however many callers and tabs ask.
 *
 * Refresh tokens may be single use, so two tabs must not both spend one. Three things see to it, none of which is needed
 * while the others work: a lock among the tabs, what the other tabs have stored or broadcast meanwhile, and an idempotency
 * key made from the refresh token, for which the service repeats its first answer.
 */
export class Renewal {
  readonly #page: Page;
  readonly #config: BrowserConfig;
  readonly #keeper: SessionKeeper;
  readonly #lock: string;
  #turn: Promise<unknown> = Promise.resolve();
  #running: Promise<LiveSession> | undefined;

  constructor(page: Page, config: BrowserConfig, keeper: SessionKeeper, lock: string) {
    this.#page = page;
    this.#config = config;
    this.#keeper = keeper;
    this.#lock = lock;
  }

  /** A session whose access token is new. @throws {BrowserError} `signed_out`, `retry_later`, `refused`. */
  renew(): Promise<LiveSession> {
    this.#running ??= this.#inTurn().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The session with another organization. @throws {BrowserError} `signed_out`, `retry_later`, `refused`. */
  switchTo(organizationId: string): Promise<LiveSession> {
    return this.#inTurn(organizationId);
  }

  async #inTurn(organizationId?: string): Promise<LiveSession> {
    const { live } = this.#keeper;
    const known = await this.#keeper.newest();
    const turn = this.#turn.then(() =>
      exclusively(this.#page.locks, this.#lock, () => this.#once(live, known, organizationId)),
    );
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * @param ownSession What this tab had when it was asked.
   * @param known The newest it knew of then.
   */
  async #once(
    ownSession: LiveSession | undefined,
    known: StoredSession | undefined,
    organizationId?: string,
  ): Promise<LiveSession> {
    const newest = await this.#keeper.newest();
    // Another tab has renewed it while this one waited for the lock; its broadcast may come a moment later.
    if (newest && isNewer(newest, known) && this.#keeper.live === ownSession) await this.#keeper.ask();

    let before: LiveSession | undefined;
    for (let hop = 1; hop <= mostHops; hop++) {
      const { live } = this.#keeper;
      if (live && live !== ownSession && live.renewAt > this.#page.now() && organizationId === undefined) return live;
      const current = await this.#keeper.newest();
      if (!current) throw signedOut('no_session');

      const tokens = await this.#request(current, organizationId);
      if (!tokens) continue;
      const base = { ...current, renewals: current.renewals + 1 };
      const renewed = liveSession(tokens, base, this.#page.now(), before);
      if (!renewed) break;
      if (!(await this.#keeper.keep(renewed))) throw signedOut('signed_out');
      if (renewed.expiresAt > this.#page.now()) return this.#keeper.live ?? renewed;
      // Expired already: an answer repeated from long ago, whose refresh token leads on. Another tab may know a shorter way.
      if (!before) await this.#keeper.ask();
      before = renewed;
    }
    throw retryLater(this.#config.baseUrl, 'unexpected_answer');
  }

  /** Asks for tokens; nothing where they were refused and another tab has a newer refresh token. */
  async #request(current: StoredSession, organizationId = ''): Promise<AuthenticationResponse | undefined> {
    const { refreshToken, salt, renewals } = current;
    const grant = { grantType: 'refresh_token', refreshToken, organizationId: organizationId || undefined } as const;
    // The count makes it another request each time where the service lets refresh tokens be used again.
    const secret = `${salt}.${refreshToken}.${renewals}.${organizationId}`;
    const answer = await requestTokens(this.#page, this.#config, grant, secret);
    if (answer.kind === 'tokens') return answer.tokens;
    await this.#keeper.ask();
    const newest = await this.#keeper.newest();
    if (newest && isNewer(newest, current)) return undefined;
    const { code } = answer.error;
    // Another organization may be closed to the user; that says nothing about the session.
    if (organizationId || !isRefreshEnd(code)) throw (await loadedLater()).refused(answer.error, [refreshToken]);
    await this.#keeper.end(current);
    throw signedOut(code);
  }
}
