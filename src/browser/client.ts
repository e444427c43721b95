import { oneAtATime } from '../http/one-at-a-time.js';
import { logoutUrl } from '../oauth/logout-url.js';
import type { User } from '../service/users.js';
import { BrowserError, type BrowserErrorCode, isError } from './browser-error.js';
import { SessionKeeper } from './keeper.js';
import { loadedLater } from './loading.js';
import {
  type BrowserClientOptions,
  type BrowserConfig,
  configure,
  redirectUriSeenFrom,
  type SignInOptions,
} from './options.js';
import { isAt, Page } from './page.js';
import { type Renewal, renewalOf } from './renewal.js';
import type { BrowserSignInResult, BrowserSwitchResult, RestoreResult } from './results.js';
import type { BrowserSession, LiveSession } from './session.js';
import type { SignIns } from './sign-ins.js';
import { SessionStorage } from './storage.js';

/**
 * Create the client of a single-page application: a public client with PKCE (RFC 7636), which has no key. Make one
 * and keep it.
 *
 * Until it is used it only listens to other tabs, and on a server not even that, so that a module may create it while
 * a server renders it. It leaves no timer behind.
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

/** Signs users in and keeps them signed in, in all tabs of a site. All tabs share one session, the newest. */
export class BrowserClient {
  readonly #config: BrowserConfig;
  readonly #page: Page;
  readonly #keeper: SessionKeeper;
  readonly #renewal: Renewal;
  readonly #signIns: () => Promise<SignIns>;
  readonly #finish = oneAtATime(() => this.#arrive());

  constructor(options: BrowserClientOptions) {
    const config = configure(options);
    const page = new Page(options.environment);
    // The form of what is stored and broadcast is part of the name: an older release in another tab keeps to itself.
    const name = `sallyport.1.${config.clientId}`;
    const keeper = new SessionKeeper(page, name, new SessionStorage(page, config.refreshTokenStorage, name));
    let signIns: SignIns | undefined;
    this.#config = config;
    this.#page = page;
    this.#keeper = keeper;
    this.#renewal = renewalOf(page, config, keeper, name);
    this.#signIns = async () => {
      const { signInsOf } = await loadedLater();
      signIns ??= signInsOf(page, config, keeper, name);
      return signIns;
    };
  }

  /** The user who is signed in, as far as this page knows; null before `finishSignIn` or `restore` has found out. */
  get user(): User | null {
    return this.session?.user ?? null;
  }

  /** The session, as far as this page knows. It is the same object until something changes. */
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
   * Start a sign-in: leave for the service. The user comes back to `redirectUri`, where `finishSignIn` continues. A
   * tab remembers up to five sign-ins, each for ten minutes.
   *
   * @throws {BrowserError} `storage_blocked`, `insecure_context` or `not_a_browser`; `retry_later` if the part of this package
   * that signs users in could not be loaded.
   * @throws {InvalidArgumentError} Several of `provider`, `organizationId` and `connectionId` are given.
   * @throws {ConfigurationError} `redirectUri` is on another origin than this page.
   */
  async signIn(options: SignInOptions = {}): Promise<void> {
    const { address } = this.#page;
    await (await this.#signIns()).start(address, options);
  }

  /**
   * Finish a sign-in on the page of `redirectUri`: redeem the code in its address, and remove the code from the
   * address bar. On any other page this does nothing, so call it at every start. Calls at the same time share one
   * result.
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
   * Get an access token for your server, renewed first if it is about to expire: once, however many callers and tabs
   * ask.
   *
   * Call this for every request instead of keeping the token, and send it as `Authorization: Bearer …`; your server lets it
   * pass by `requireSession(sessions, { bearer: true })` of `sallyport/express` and the like. If your server answers 401 to a token that should be
   * good, because the session was revoked for instance, call it once more with `forceRefresh`.
   *
   * @throws {BrowserError} `signed_out` if the user has to sign in; `retry_later` if the service could not be reached
   * and the token has expired, although the session goes on; `refused` if the service no longer knows this client.
   */
  async getAccessToken(options: { readonly forceRefresh?: boolean | undefined } = {}): Promise<string> {
    return (await this.#current(options.forceRefresh ?? false)).accessToken;
  }

  /**
   * Continue in another organization of the user, with the role and permissions there, in all tabs.
   */
  switchOrganization(organizationId: string): Promise<BrowserSwitchResult> {
    return this.#outcome<BrowserSwitchResult>(
      async () => ({ status: 'switched', session: (await this.#renewal.switchTo(organizationId)).session }),
      'refused',
    );
  }

  /**
   * Sign out: forget the session in all tabs, and leave for the service, which revokes it. Where no tab has a session
   * this does nothing.
   *
   * @param options `returnTo`: where the service sends the user afterwards, an address or a path of this site; must be
   * registered. Without it the user stays at the service.
   */
  async signOut(options: { readonly returnTo?: string | undefined } = {}): Promise<void> {
    const stored = await this.#keeper.find();
    if (!stored) return;
    const returnTo = options.returnTo && new URL(options.returnTo, this.#page.address).href;
    const url = logoutUrl(this.#config.baseUrl, stored.sessionId, returnTo);
    await this.#keeper.end(stored);
    this.#page.leaveFor(url);
  }

  /** Stop listening to other tabs, for a client that another one replaces. The session stays. */
  close(): void {
    this.#keeper.close();
  }

  async #current(force: boolean): Promise<LiveSession> {
    const { live } = this.#keeper;
    if (live && !force && this.#page.now() < live.renewAt) return live;
    try {
      return await this.#renewal.renew();
    } catch (error) {
      // Renewing early has failed, but the token is still good.
      const isGood = live && live === this.#keeper.live && this.#page.now() < live.expiresAt;
      if (isGood && !force && isError(error, 'retry_later')) return live;
      throw error;
    }
  }

  async #arrive(): Promise<BrowserSignInResult> {
    const { address } = this.#page;
    const isThere = isAt(address, redirectUriSeenFrom(address, this.#config));
    if (!isThere || !['code', 'error'].some((name) => address.searchParams.has(name)))
      return { status: 'nothing_to_do', session: this.session };
    return this.#outcome<BrowserSignInResult>(
      async () => ({ status: 'signed_in', ...(await (await this.#signIns()).finish(address)) }),
      'failed',
    );
  }

  /**
   * What a task gives, or the result that its failure means.
   *
   * @param refusal The status where the service said no. @throws What no result says.
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
      // Whoever expects failures to be results has these among them.
      return result as Result;
    }
  }
}
