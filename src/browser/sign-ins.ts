import { newProof, randomText } from '../crypto/pkce.js';
import { checkArgumentNames, type OptionNames } from '../errors/known-options.js';
import { ConfigurationError } from '../errors/sallyport-error.js';
import { parsedUrl } from '../http/parsed-url.js';
import { authorizationNames } from '../oauth/authorization-names.js';
import {
  authorizationUrl,
  type Callback,
  callbackIn,
  callbackParameters,
  signInParameterNames,
} from '../oauth/authorization-url.js';
import type { Ended } from '../oauth/outcome.js';
import { returnPath } from '../redirect-uris/return-path.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { BrowserError } from './browser-error.js';
import type { SessionKeeper } from './keeper.js';
import { absoluteRedirectUri, type BrowserConfig, type SignInOptions } from './options.js';
import { isAt, isCallback, type Page } from './page.js';
import { type PendingSignIns, pendingSignIns } from './pending-sign-ins.js';
import { refusedError } from './refusal.js';
import type { FailureReason } from './results.js';
import { type BrowserSession, liveSession } from './session.js';
import { type FinalOutcome, requestPublicTokens } from './token-request.js';

const optionNames: OptionNames<SignInOptions> = { ...signInParameterNames, returnTo: 1 };

/** Starts and finishes the sign-ins of this tab. */
export class SignIns {
  readonly #page: Page;
  readonly #config: BrowserConfig;
  readonly #keeper: SessionKeeper;
  readonly #pending: PendingSignIns;
  /** Return path of a failed sign-in, for a new sign-in from the page of `redirectUri`. */
  #failedReturnTo: string | undefined;
  /** Whether the link of an invitation has started a sign-in on this page. */
  #isLeaving = false;

  constructor(page: Page, config: BrowserConfig, keeper: SessionKeeper, name: string) {
    this.#page = page;
    this.#config = config;
    this.#keeper = keeper;
    this.#pending = pendingSignIns(page, `${name}.sign-ins`);
  }

  /** Redirect to the service. @throws The errors of `signIn` of the client. */
  async start(address: URL, options: SignInOptions, invitation?: string): Promise<void> {
    checkArgumentNames('signIn', options, optionNames);
    const redirectUri = absoluteRedirectUri(address, this.#config);
    if (redirectUri.origin !== address.origin) throw foreignRedirectUri(address);
    if (!globalThis.crypto?.subtle) throw insecureContext();
    const { state, codeVerifier, ...challenge } = await newProof();
    const { dialect } = this.#config;
    const names = typeof dialect === 'string' ? authorizationNames[dialect] : dialect;
    const proof = { redirectUri: redirectUri.href, state, ...challenge };
    const url = authorizationUrl({ ...this.#config, names }, 'signIn', options, proof);
    const here = isCallback(address, redirectUri) ? '/' : address.href;
    const failed = isAt(address, redirectUri) && this.#failedReturnTo;
    const returnTo = onSite(options.returnTo ?? (failed || here), address);
    this.#pending.add({ state, codeVerifier, returnTo, startedAt: this.#page.now(), invitation });
    this.#page.leaveFor(url);
  }

  /**
   * Redeem the code in a URL, or start a sign-in for the link of an invitation.
   *
   * @throws {BrowserError} `retry_later`, or `refused` for any other failure: the sign-in has ended.
   */
  async finish(
    address: URL,
  ): Promise<
    | { readonly status: 'redirect' }
    | { readonly status: 'signed_in'; readonly session: BrowserSession; readonly returnTo: string }
  > {
    const callback = callbackIn(address.searchParams);
    const { code, state } = callback;
    const signIn = this.#pending.find(state);
    const invitation = code && !state ? code : undefined;
    // If the sign-in of an invitation returns without a state too, another one would not help.
    if (invitation && (this.#pending.invitation() ?? invitation) === invitation) {
      // The browser leaves the page a moment later.
      if (!this.#isLeaving) await this.start(address, {}, invitation);
      this.#isLeaving = true;
      return { status: 'redirect' };
    }
    if (!state || !signIn) {
      this.#pending.remove(state);
      this.#removeCode(address);
      throw failed(
        'unknown_state',
        'This sign-in was not started in this tab in the last ten minutes. It may be finished, forged, or from another browser, an email or an invitation',
        'Call signIn()',
      );
    }
    const { codeVerifier, returnTo } = signIn;
    // If this throws, the URL keeps the code for the next try.
    const outcome = await this.#redeem(callback, codeVerifier);
    // Reloading or going back must not redeem the code again.
    this.#pending.remove(state);
    this.#failedReturnTo = outcome.status === 'ok' ? undefined : returnTo;
    this.#removeCode(address);
    if (outcome.status !== 'ok') throw refusedError(outcome, [codeVerifier, code ?? '']);
    return { status: 'signed_in', session: await this.#keep(outcome.tokens), returnTo };
  }

  async #redeem(
    { code, error, errorDescription }: Callback,
    codeVerifier: string,
  ): Promise<FinalOutcome | Pick<Ended, 'status' | 'reason' | 'message'>> {
    if (code === null) return { status: 'ended', reason: error ?? '', message: errorDescription };
    const grant = { grantType: 'authorization_code', code, codeVerifier } as const;
    return requestPublicTokens(this.#page, this.#config, grant, `${codeVerifier}.${code}`);
  }

  /** Keep the session of new tokens. */
  async #keep(tokens: AuthenticationResponse): Promise<BrowserSession> {
    const now = this.#page.now();
    const { signedInAt = 0 } = (await this.#keeper.newest()) ?? {};
    // Must be later than any known sign-in.
    const base = { signedInAt: Math.max(now, signedInAt + 1), renewals: 0, salt: randomText(), clockOffsetMs: 0 };
    const live = liveSession(tokens, base, now, 'just now');
    if (!live)
      throw failed(
        'unexpected_answer',
        'The access token has no readable claims',
        'Check that the service issues tokens with exp',
      );
    await this.#keeper.keep(live, true);
    return live.session;
  }

  #removeCode(address: URL): void {
    const url = new URL(address);
    for (const name of callbackParameters) url.searchParams.delete(name);
    const history = this.#page.need('history');
    history.replaceState(history.state, '', url.href);
  }
}

/** Return a destination as a path of this site, or `/` if it leads elsewhere. */
const onSite = (destination: string, address: URL): string => {
  const url = parsedUrl(destination, address);
  return url?.origin === address.origin ? returnPath(url.pathname + url.search + url.hash) : '/';
};

const foreignRedirectUri = ({ origin }: URL): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: `This page is on ${origin}, but the redirectUri of createBrowserClient is on another origin`,
    why: 'That origin cannot read what this page stores',
    next: 'Pass a path of this site as redirectUri, or open it on that origin',
  });

const insecureContext = (): BrowserError =>
  new BrowserError('insecure_context', {
    what: 'This page cannot sign users in',
    why: 'It was loaded over http:, where browsers disable cryptography',
    next: 'Serve it over https:, or from localhost during development',
    reason: 'insecure_context',
  });

/** Create the error for a sign-in that this client rejects. */
const failed = (reason: FailureReason, what: string, next: string): BrowserError =>
  new BrowserError('refused', { what, next, reason });
