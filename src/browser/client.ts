import { oneAtATime } from '../async/one-at-a-time.js';
import { logoutUrl } from '../oauth/logout-url.js';
import type { User } from '../service/users.js';
import { BrowserError, type BrowserErrorCode, isError } from './browser-error.js';
import type { BrowserEnvironment } from './environment.js';
import { SessionKeeper } from './keeper.js';
import { loadedLater } from './loading.js';
import {
  absoluteRedirectUri,
  type BrowserClientOptions,
  type BrowserConfig,
  configure,
  type SignInOptions,
} from './options.js';
import { isCallback, Page } from './page.js';
import { Renewal } from './renewal.js';
import type { BrowserSignInResult, BrowserSwitchResult, RestoreResult } from './results.js';
import type { BrowserSession, LiveSession } from './session.js';
import type { SignIns } from './sign-ins.js';
import { SessionStorage } from './storage.js';

/**
 * Create the client of a single-page application: a public client with PKCE (RFC 7636), without an API key. Create it once and
 * reuse it.
 *
 * Until you use it, it only listens to other tabs. On a server it does nothing, so a module that is also loaded on a server can
 * create it. It leaves no timers running, except for the retries of a renewal without an answer, which last 20 seconds.
 *
 * @throws {ConfigurationError} An option is missing, wrong, or an API key.
 * @example
 * const auth = createBrowserClient({ clientId, baseUrl, redirectUri: '/callback' });
 * const arrival = await auth.finishSignIn();
 * if (arrival.status === 'signed_in') history.replaceState(null, '', arrival.returnTo);
 * const { status } = await auth.restore();
 * if (status === 'signed_out') button.onclick = () => auth.signIn();
 * if (status === 'signed_in')
 *   await fetch('/api/orders', { headers: { authorization: `Bearer ${await auth.getAccessToken()}` } });
 */
export const createBrowserClient = (options: BrowserClientOptions): BrowserClient => new BrowserClient(options);

/** Signs users in and keeps them signed in. All tabs of a site share the newest session. */
export class BrowserClient {
  readonly #config: BrowserConfig;
  readonly #page: Page;
  readonly #keeper: SessionKeeper;
  readonly #renewal: Renewal;
  readonly #signIns: () => Promise<SignIns>;
  readonly #finish = oneAtATime(() => this.#finishSignIn());

  /** @param environment Replaces browser APIs, in tests. */
  constructor(options: BrowserClientOptions, environment?: Partial<BrowserEnvironment>) {
    const config = configure(options);
    const page = new Page(environment);
    // The name contains the version of the stored and broadcast format, so that tabs with an older release stay separate.
    const name = `sallyport.1.${config.clientId}`;
    const keeper = new SessionKeeper(page, name, new SessionStorage(page, config.refreshTokenStorage, name));
    let signIns: SignIns | undefined;
    this.#config = config;
    this.#page = page;
    this.#keeper = keeper;
    this.#renewal = new Renewal(page, config, keeper, name);
    this.#signIns = async () => {
      const { SignIns } = await loadedLater();
      signIns ??= new SignIns(page, config, keeper, name);
      return signIns;
    };
  }

  /** The signed-in user, as far as this page knows; null before `finishSignIn` or `restore` has completed. */
  get user(): User | null {
    return this.session?.user ?? null;
  }

  /** The session, as far as this page knows. Returns the same object until something changes. */
  get session(): BrowserSession | null {
    return this.#keeper.live?.session ?? null;
  }

  /**
   * Call a listener whenever the session changes: signed in, renewed, switched or signed out, in this tab or in
   * another.
   *
   * @returns A function that removes the listener.
   */
  onChange(listener: (session: BrowserSession | null) => void): () => void {
    return this.#keeper.onChange(listener);
  }

  /**
   * Start a sign-in by redirecting to the service. The user returns to `redirectUri`, where `finishSignIn` continues. A tab
   * remembers up to five sign-ins, each for ten minutes.
   *
   * @throws {BrowserError} `storage_blocked`, `insecure_context` or `not_a_browser`; `retry_later` if the sign-in part of this
   * package could not be loaded.
   * @throws {InvalidArgumentError} Several of `provider`, `organizationId` and `connectionId` are given.
   * @throws {ConfigurationError} `redirectUri` is on another origin than this page.
   */
  async signIn(options: SignInOptions = {}): Promise<void> {
    const { address } = this.#page;
    await (await this.#signIns()).start(address, options);
  }

  /**
   * Finish a sign-in on the page of `redirectUri`: redeem the code in the URL, and remove it from the address bar. Does nothing
   * on other pages, so call it on every page load. Concurrent calls share one result. A slash at the end of the path does not
   * matter.
   *
   * The link of an invitation returns with a code but without a `state`. It starts a sign-in, unless `redirectUri` is `/`. There,
   * `code` and `error` without a `state` belong to your application and stay in the URL.
   *
   * @throws {BrowserError} `storage_blocked`, `insecure_context` or `not_a_browser`.
   */
  finishSignIn(): Promise<BrowserSignInResult> {
    return this.#finish();
  }

  /**
   * Restore the session of an earlier page load, from storage or from another open tab, and renew its access token if
   * needed.
   *
   * @throws {BrowserError} `refused` if the service no longer knows this client.
   */
  restore(): Promise<RestoreResult> {
    return this.#outcome(async () => {
      await this.#keeper.find();
      return { status: 'signed_in', session: (await this.#current(false)).session };
    });
  }

  /**
   * Get an access token for your server. Renews it first if it is about to expire; all callers and tabs share one renewal.
   *
   * Call this for every request instead of storing the token, and send it as `Authorization: Bearer …`. Your server accepts it
   * with `requireSession(sessions, { bearer: true })` of `sallyport/express` and the other adapters. If your server answers 401,
   * for example because the session was revoked, call this once more with `forceRefresh`.
   *
   * @throws {BrowserError} `signed_out` if the user has to sign in; `retry_later` if the token has expired and the service could
   * not be reached, although the session continues; `refused` if the service no longer knows this client.
   */
  async getAccessToken(options: { readonly forceRefresh?: boolean | undefined } = {}): Promise<string> {
    return (await this.#current(options.forceRefresh ?? false)).accessToken;
  }

  /**
   * Switch all tabs to another organization of the user, with the user's role and permissions there.
   */
  switchOrganization(organizationId: string): Promise<BrowserSwitchResult> {
    return this.#outcome<BrowserSwitchResult>(
      async () => ({ status: 'switched', session: (await this.#renewal.switchTo(organizationId)).session }),
      'refused',
    );
  }

  /**
   * Sign out: forget the session in all tabs, and redirect to the service, which revokes it. Does nothing if no tab has a
   * session.
   *
   * @param options `returnTo`: where the service sends the user afterwards, a URL or a path of this site. It must be registered.
   * Without it, the user stays at the service.
   */
  async signOut(options: { readonly returnTo?: string | undefined } = {}): Promise<void> {
    const stored = await this.#keeper.find();
    if (!stored) return;
    const returnTo = options.returnTo && new URL(options.returnTo, this.#page.address).href;
    const url = logoutUrl(this.#config.baseUrl, stored.sessionId, returnTo);
    await this.#keeper.end(stored);
    this.#page.leaveFor(url);
  }

  /** Stop listening to other tabs, before you replace this client with another. The session stays. */
  close(): void {
    this.#keeper.close();
  }

  async #current(force: boolean): Promise<LiveSession> {
    const { live } = this.#keeper;
    if (live && !force && this.#page.now() < live.renewAt) return live;
    try {
      return await this.#renewal.renew();
    } catch (error) {
      // The early renewal failed, but the token has not expired.
      const isValid = live && live === this.#keeper.live && this.#page.now() < live.expiresAt;
      if (isValid && !force && isError(error, 'retry_later')) return live;
      throw error;
    }
  }

  async #finishSignIn(): Promise<BrowserSignInResult> {
    const { address } = this.#page;
    const isArrival = isCallback(address, absoluteRedirectUri(address, this.#config));
    if (!isArrival || !['code', 'error'].some((name) => address.searchParams.has(name)))
      return { status: 'nothing_to_do', session: this.session };
    return this.#outcome<BrowserSignInResult>(
      async () => ({ session: this.session, ...(await (await this.#signIns()).finish(address)) }),
      'failed',
    );
  }

  /**
   * Return the result of a task, or turn a `BrowserError` into a result.
   *
   * @param refusal The status of the result if the service rejects the request. @throws Errors without a result.
   */
  async #outcome<Result extends { readonly status: string }>(
    task: () => Promise<Result>,
    refusal?: Result['status'],
  ): Promise<Result> {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof BrowserError)) throw error;
      const { code, reason, message, retryAfterMs } = error;
      const failure = { session: this.session, reason, message };
      const results: { readonly [Code in BrowserErrorCode]?: object | undefined } = {
        signed_out: { status: code, session: null, reason },
        retry_later: { status: code, ...failure, retryAfterMs },
        refused: refusal && { status: refusal, ...failure },
      };
      const result = results[code];
      if (!result) throw error;
      // All result types of callers include these failures.
      return result as Result;
    }
  }
}
