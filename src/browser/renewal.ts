import { oneAtATime } from '../async/one-at-a-time.js';
import { pause } from '../async/time-limit.js';
import type { TokenOutcome } from '../oauth/grant.js';
import { isRefreshEnd } from '../oauth/outcome.js';
import { defaultMaxRetries, isRetriedUnasked, noAttempts } from '../oauth/retries.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { isError } from './browser-error.js';
import { exclusively } from './exclusively.js';
import { retryLaterError, signedOut } from './failure.js';
import type { SessionKeeper } from './keeper.js';
import { loadedLater } from './loading.js';
import type { BrowserConfig } from './options.js';
import type { Page } from './page.js';
import { isNewer, type LiveSession, liveSession, type StoredSession } from './session.js';
import { type FinalOutcome, requestPublicTokens } from './token-request.js';

/** How many used refresh tokens to follow to their successors. */
const maxHops = 20;

/**
 * Renews the access token. Every call can throw `signed_out`, `retry_later` or `refused`.
 *
 * Refresh tokens may be single use, so two tabs must not both use one. Each of three mechanisms prevents that: a lock across
 * tabs, the sessions that other tabs store or broadcast, and an idempotency key made from the refresh token, for which the
 * service repeats its first response.
 */
export class Renewal {
  readonly #page: Page;
  readonly #config: BrowserConfig;
  readonly #keeper: SessionKeeper;
  readonly #lock: string;
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** The refresh token of the latest request, and the attempts at it. */
  #latest = { refreshToken: '', attempts: noAttempts<TokenOutcome>() };
  readonly #retryUnasked = oneAtATime(() => this.#retryLost());
  /** Return a session with a new access token. Concurrent callers and tabs share one renewal. */
  readonly renew = oneAtATime(() => this.#inTurn());

  constructor(page: Page, config: BrowserConfig, keeper: SessionKeeper, lock: string) {
    this.#page = page;
    this.#config = config;
    this.#keeper = keeper;
    this.#lock = lock;
  }

  /** Return the session in another organization. */
  async switchTo(organizationId: string): Promise<LiveSession> {
    try {
      return await this.#inTurn(organizationId);
    } catch (error) {
      // The service repeats the refusal for the refresh token. With a new one, the user can try again.
      if (isError(error, 'refused')) await this.renew();
      throw error;
    }
  }

  async #inTurn(organizationId?: string): Promise<LiveSession> {
    const { live } = this.#keeper;
    const known = await this.#keeper.newest();
    const turn = this.#lastTurn.then(() =>
      exclusively(this.#page.find('locks'), this.#lock, async () => {
        await this.#catchUp(live, known);
        return this.#renewAfter(live, organizationId);
      }),
    );
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** If another tab has renewed the session while this one waited for the lock, its broadcast may arrive later: ask for it. */
  async #catchUp(previous: LiveSession | undefined, known: StoredSession | undefined): Promise<void> {
    const newest = await this.#keeper.newest();
    if (newest && isNewer(newest, known) && this.#keeper.live === previous) await this.#keeper.ask();
  }

  /** @param previous The session of this tab at the time of the call. */
  async #renewAfter(previous: LiveSession | undefined, organizationId: string | undefined): Promise<LiveSession> {
    const keeper = this.#keeper;
    const page = this.#page;
    let before: LiveSession | undefined;
    for (let hop = 1; hop <= maxHops; hop++) {
      const { live } = keeper;
      if (live && live !== previous && live.renewAt > page.now() && organizationId === undefined) return live;
      const current = await this.#stored();
      const tokens = await this.#request(current, organizationId);
      if (!tokens) continue;
      const base = { ...current, renewals: current.renewals + 1 };
      const renewed = liveSession(tokens, base, page.now(), before);
      if (!renewed) break;
      if (!(await keeper.keep(renewed))) throw signedOut('signed_out');
      // The service may repeat a response of before the switch.
      const isThere = !organizationId || renewed.session.organizationId === organizationId;
      if (renewed.expiresAt <= page.now()) {
        // The service repeated an old response. Continue with its refresh token, unless another tab has a newer one.
        if (!before) await keeper.ask();
        before = renewed;
      } else if (isThere) return keeper.live ?? renewed;
    }
    throw retryLaterError(this.#config.baseUrl, 'unexpected_answer');
  }

  async #stored(): Promise<StoredSession> {
    const current = await this.#keeper.newest();
    if (!current) throw signedOut('no_session');
    return current;
  }

  /** Request tokens. Returns undefined if the service rejects the refresh token and another tab has a newer one. */
  async #request(
    current: StoredSession,
    organizationId: string | undefined,
  ): Promise<AuthenticationResponse | undefined> {
    const outcome = await this.#send(current, organizationId);
    if (outcome.status === 'ok') return outcome.tokens;
    await this.#keeper.ask();
    const newest = await this.#keeper.newest();
    if (newest && isNewer(newest, current)) return undefined;
    const { reason } = outcome;
    if (reason === 'invalid_grant' && this.#config.idempotencyKeys) {
      // The token may have been used by a switch whose response was lost, or before a switch. Its key repeats that response.
      const other = await this.#send(current, undefined, organizationId === undefined);
      if (other.status === 'ok') return other.tokens;
    }
    // A rejected switch to another organization does not end the session.
    if (organizationId !== undefined || !isRefreshEnd(reason))
      throw (await loadedLater()).refusedError(outcome, [current.refreshToken]);
    await this.#keeper.end(current);
    throw signedOut(reason);
  }

  async #send(
    { refreshToken, salt, renewals }: StoredSession,
    organizationId: string | undefined,
    isSwitch = organizationId !== undefined,
  ): Promise<FinalOutcome> {
    if (this.#latest.refreshToken !== refreshToken) this.#latest = { refreshToken, attempts: noAttempts() };
    const { attempts } = this.#latest;
    const grant = { grantType: 'refresh_token', refreshToken, organizationId: organizationId || undefined } as const;
    // The count makes each request unique, even if the service allows reusing refresh tokens. The organization is not named, so
    // that a tab that does not know it can repeat the request.
    const secret = `${salt}.${refreshToken}.${renewals}.${isSwitch ? '*' : ''}`;
    try {
      return await requestPublicTokens(this.#page, this.#config, grant, secret, attempts);
    } catch (error) {
      void this.#retryUnasked().catch(() => undefined);
      throw error;
    }
  }

  /** Renew the session without a call, while the service accepts the refresh token of a lost response. */
  async #retryLost(): Promise<void> {
    const { refreshToken, attempts } = this.#latest;
    // Calls may make attempts meanwhile, which do not count here.
    let { failures } = attempts;
    for (; isRetriedUnasked({ ...attempts, failures }, defaultMaxRetries); failures++) {
      await pause(attempts.waitMs, { unref: true });
      if ((await this.#keeper.newest())?.refreshToken !== refreshToken) return;
      await this.renew().catch(() => undefined);
    }
  }
}
