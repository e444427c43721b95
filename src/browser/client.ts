import { randomText } from '../crypto/pkce.js';
import { quotable } from '../errors/redact.js';
import { ConfigurationError } from '../errors/sallyport-error.js';
import { parsedUrl } from '../http/parsed-url.js';
import { authorizationUrl, logoutUrl } from '../oauth/authorization-url.js';
import { callbackIn, callbackParameters } from '../oauth/callback.js';
import { newProof, type Proof } from '../oauth/proof.js';
import { returnPath } from '../redirect-uris/return-path.js';
import type { User } from '../service/users.js';
import { BrowserError, isError } from './browser-error.js';
import { refused, retryLater } from './failure.js';
import { SessionKeeper } from './keeper.js';
import {
  type BrowserClientOptions,
  type BrowserConfig,
  configure,
  type SignInOptions,
  wrongRedirectUri,
} from './options.js';
import { Page } from './page.js';
import { Renewal } from './renewal.js';
import type {
  BrowserSignInResult,
  BrowserSwitchResult,
  Failure,
  NoSessionReason,
  RestoreResult,
  RetryLater,
  RetryLaterReason,
  SignedOut,
} from './results.js';
import { type BrowserSession, type LiveSession, liveSession } from './session.js';
import { type PendingSignIn, PendingSignIns } from './sign-ins.js';
import { SessionStorage } from './storage.js';
import { requestTokens } from './token-request.js';

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
  readonly #signIns: PendingSignIns;
  readonly #keeper: SessionKeeper;
  readonly #renewal: Renewal;
  #finishing: Promise<BrowserSignInResult> | undefined;
  /** Where the next sign-in from the page of `redirectUri` leads: where the one that has failed there would have led. */
  #next = '/';

  constructor(options: BrowserClientOptions) {
    this.#config = configure(options);
    this.#page = new Page(options.environment);
    // The form of what is stored and broadcast is part of the name: an older release in another tab keeps to itself.
    const name = `sallyport.1.${this.#config.clientId}`;
    this.#signIns = new PendingSignIns(this.#page, `${name}.sign-ins`);
    const storage = new SessionStorage(this.#page, this.#config.refreshTokenStorage, name);
    this.#keeper = new SessionKeeper(this.#page, name, storage);
    this.#renewal = new Renewal(this.#page, this.#config, this.#keeper, name);
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
   * @throws {BrowserError} `storage_blocked`, `insecure_context` or `not_a_browser`.
   * @throws {InvalidArgumentError} Several of `provider`, `organizationId` and `connectionId` are given.
   * @throws {ConfigurationError} `redirectUri` is on another origin than this page.
   */
  async signIn(options: SignInOptions = {}): Promise<void> {
    const { address } = this.#page;
    const redirectUri = this.#redirectUri(address);
    if (redirectUri.origin !== address.origin) throw comesBackElsewhere(address);
    const { state, codeVerifier, ...challenge } = await proof();
    const url = authorizationUrl(this.#config, 'signIn', options, {
      redirectUri: redirectUri.href,
      state,
      ...challenge,
    });
    const here = isAt(address, redirectUri) ? this.#next : address.href;
    const returnTo = onSite(options.returnTo ?? here, address);
    this.#signIns.add({ state, codeVerifier, returnTo, startedAt: this.#page.now() });
    this.#page.leaveFor(url);
  }

  /**
   * Finish a sign-in on the page of `redirectUri`: redeem the code in its address, and remove the code from the
   * address bar. On any other page this does nothing, so call it at every start. Calls at the same time share one
   * result.
   *
   * @throws {BrowserError} `storage_blocked`, `insecure_context` or `not_a_browser`.
   */
  finishSignIn(): Promise<BrowserSignInResult> {
    this.#finishing ??= this.#finish().finally(() => {
      this.#finishing = undefined;
    });
    return this.#finishing;
  }

  /**
   * Restore the session of an earlier page load, from storage or from another open tab, and renew its access token if
   * needed.
   *
   * @throws {BrowserError} `refused` if the service no longer knows this client.
   */
  async restore(): Promise<RestoreResult> {
    try {
      await this.#keeper.find();
      return { status: 'signed_in', session: (await this.#current(false)).session };
    } catch (error) {
      return this.#outcomeOf(error);
    }
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
  async switchOrganization(organizationId: string): Promise<BrowserSwitchResult> {
    try {
      return { status: 'switched', session: (await this.#renewal.switchTo(organizationId)).session };
    } catch (error) {
      if (isError(error, 'refused')) return this.#result('refused', error);
      return this.#outcomeOf(error);
    }
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

  async #finish(): Promise<BrowserSignInResult> {
    const { address } = this.#page;
    const { state, code, error, errorDescription } = callbackIn(address.searchParams);
    if (!isAt(address, this.#redirectUri(address)) || (code === null && error === null))
      return { status: 'nothing_to_do', session: this.session };

    const signIn = state === null ? undefined : this.#signIns.find(state);
    if (!signIn) {
      this.#clean(address);
      return this.#result('failed', unknownState);
    }
    if (code === null) {
      this.#conclude(address, signIn);
      const description = quotable(errorDescription ?? '');
      return this.#result('failed', refused({ reason: quotable(error ?? ''), description }));
    }
    const { codeVerifier } = signIn;
    const grant = { grantType: 'authorization_code', code, codeVerifier } as const;
    const outcome = await requestTokens(this.#page, this.#config, grant, `${codeVerifier}.${code}`);
    // The address keeps the code, for the next try.
    if (outcome.kind === 'later') return this.#retryLater(retryLater(this.#config, outcome));
    this.#conclude(address, signIn);
    if (outcome.kind === 'refused') return this.#result('failed', refused(outcome));

    const signedInAt = await this.#keeper.newSignIn();
    const base = { signedInAt, renewals: 0, salt: randomText(), clockOffsetMs: 0 };
    const live = liveSession(outcome.tokens, base, this.#page.now(), 'just now');
    if (!live) return this.#result('failed', unreadableToken);
    await this.#keeper.keep(live, true);
    return { status: 'signed_in', session: live.session, returnTo: signIn.returnTo };
  }

  /** A result without success: what happened, and the session as it is. */
  #result<Status extends string, Reason extends string>(status: Status, { reason, message }: Failure<Reason>) {
    return { status, session: this.session, reason, message };
  }

  #retryLater(error: BrowserError): RetryLater {
    // Errors with this code are made by `retryLater` alone.
    const failure = error as BrowserError & Failure<RetryLaterReason> & { readonly retryAfterMs: number };
    return { ...this.#result('retry_later', failure), retryAfterMs: failure.retryAfterMs };
  }

  /** What an error means for whoever expected it. @throws What nobody expects. */
  #outcomeOf(error: unknown): RetryLater | SignedOut {
    if (isError(error, 'retry_later')) return this.#retryLater(error);
    if (isError(error, 'signed_out'))
      // Errors with this code are made by `signedOut` alone.
      return { status: 'signed_out', session: null, reason: error.reason as NoSessionReason };
    throw error;
  }

  /** The sign-in is over: neither reloading nor going back starts it again. */
  #conclude(address: URL, { state, returnTo }: PendingSignIn): void {
    this.#signIns.remove(state);
    this.#next = returnTo;
    this.#clean(address);
  }

  #clean(address: URL): void {
    const clean = new URL(address);
    for (const name of callbackParameters) clean.searchParams.delete(name);
    this.#page.rename(clean.href);
  }

  #redirectUri(address: URL): URL {
    const { redirectUri } = this.#config;
    const url = parsedUrl(redirectUri, address);
    if (url) return url;
    throw wrongRedirectUri();
  }
}

const isAt = (address: URL, page: URL): boolean => address.origin === page.origin && address.pathname === page.pathname;

/** A path of this site, or `/` for what leads elsewhere. */
const onSite = (destination: string, address: URL): string => {
  const url = parsedUrl(destination, address);
  return url?.origin === address.origin ? returnPath(url.pathname + url.search + url.hash) : '/';
};

const comesBackElsewhere = ({ origin }: URL): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: `This page is on ${origin}, and the redirectUri of createBrowserClient on another origin`,
    why: 'What this page keeps for the return of the user cannot be seen from there',
    next: 'Pass a path of this site as redirectUri, or open this page on that origin',
  });

const proof = (): Promise<Proof> => {
  if (globalThis.crypto?.subtle) return newProof();
  throw new BrowserError('insecure_context', {
    what: 'This page cannot sign users in',
    why: 'It came by plain http:, where browsers offer no cryptography',
    next: 'Serve it by https:, or from localhost while developing',
    reason: 'insecure_context',
  });
};

const unknownState: Failure = {
  reason: 'unknown_state',
  message:
    'This sign-in was not started in this tab within the last ten minutes. It may have been finished already, come from another browser or an email, or be forged. Call signIn().',
};
const unreadableToken: Failure = {
  reason: 'unexpected_answer',
  message: 'The access token has no readable claims. Check that the service issues signed tokens with exp.',
};
