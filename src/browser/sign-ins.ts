import { randomText } from '../crypto/pkce.js';
import { checkArgumentNames, type OptionNames } from '../errors/known-options.js';
import { ConfigurationError } from '../errors/sallyport-error.js';
import { parsedUrl } from '../http/parsed-url.js';
import { authorizationNames } from '../oauth/authorization-names.js';
import { authorizationUrl, signInParameterNames } from '../oauth/authorization-url.js';
import { callbackIn, callbackParameters } from '../oauth/callback.js';
import { newProof } from '../oauth/proof.js';
import { returnPath } from '../redirect-uris/return-path.js';
import { BrowserError } from './browser-error.js';
import type { SessionKeeper } from './keeper.js';
import { absoluteRedirectUri, type BrowserConfig, type SignInOptions } from './options.js';
import { isAt, type Page } from './page.js';
import { pendingSignIns } from './pending-sign-ins.js';
import { refusedError } from './refusal.js';
import type { FailureReason } from './results.js';
import { type BrowserSession, liveSession } from './session.js';
import { requestPublicTokens } from './token-request.js';

const optionNames: OptionNames<SignInOptions> = { ...signInParameterNames, returnTo: 1 };

/** Starts and finishes sign-ins. */
export interface SignIns {
  /** Redirect to the service. @throws The errors of `signIn` of the client. */
  start(address: URL, options: SignInOptions): Promise<void>;
  /**
   * Redeem the code in a URL.
   *
   * @throws {BrowserError} `retry_later`, or `refused` for any other failure: the sign-in has ended.
   */
  finish(address: URL): Promise<{ readonly session: BrowserSession; readonly returnTo: string }>;
}

/** Create the sign-ins of this tab. */
export function signInsOf(page: Page, config: BrowserConfig, keeper: SessionKeeper, name: string): SignIns {
  const pending = pendingSignIns(page, `${name}.sign-ins`);
  /** Return path of the last sign-in, for a new sign-in from the page of `redirectUri` after a failure. */
  let lastReturnTo = '/';

  const removeCode = (address: URL): void => {
    const url = new URL(address);
    for (const name of callbackParameters) url.searchParams.delete(name);
    const history = page.need('history');
    history.replaceState(history.state, '', url.href);
  };

  return {
    async start(address, options) {
      checkArgumentNames('signIn', options, optionNames);
      const redirectUri = absoluteRedirectUri(address, config);
      if (redirectUri.origin !== address.origin) throw foreignRedirectUri(address);
      if (!globalThis.crypto?.subtle) throw insecureContext();
      const { state, codeVerifier, ...challenge } = await newProof();
      const { dialect } = config;
      const names = typeof dialect === 'string' ? authorizationNames[dialect] : dialect;
      const proof = { redirectUri: redirectUri.href, state, ...challenge };
      const url = authorizationUrl({ ...config, names }, 'signIn', options, proof);
      const here = isAt(address, redirectUri) ? lastReturnTo : address.href;
      const returnTo = onSite(options.returnTo ?? here, address);
      pending.add({ state, codeVerifier, returnTo, startedAt: page.now() });
      page.leaveFor(url);
    },

    async finish(address) {
      const { state, code, error, errorDescription } = callbackIn(address.searchParams);
      const signIn = pending.find(state);
      if (!signIn) {
        removeCode(address);
        throw failed(
          'unknown_state',
          'This sign-in was not started in this tab within the last ten minutes. It may be finished already, come from another browser or an email, or be forged',
          'Call signIn()',
        );
      }
      const { codeVerifier, returnTo } = signIn;
      // If this throws, the URL keeps the code for the next try.
      const answer =
        code === null
          ? ({ status: 'ended', reason: error ?? '', message: errorDescription } as const)
          : await requestPublicTokens(
              page,
              config,
              { grantType: 'authorization_code', code, codeVerifier },
              `${codeVerifier}.${code}`,
            );
      // Reloading or going back must not redeem the code again.
      pending.remove(signIn.state);
      lastReturnTo = returnTo;
      removeCode(address);
      if (answer.status !== 'ok') throw refusedError(answer, [codeVerifier, code ?? '']);
      const now = page.now();
      const { signedInAt = 0 } = (await keeper.newest()) ?? {};
      // Must be later than any known sign-in.
      const base = { signedInAt: Math.max(now, signedInAt + 1), renewals: 0, salt: randomText(), clockOffsetMs: 0 };
      const live = liveSession(answer.tokens, base, now, 'just now');
      if (!live)
        throw failed(
          'unexpected_answer',
          'The access token has no readable claims',
          'Check that the service issues signed tokens with exp',
        );
      await keeper.keep(live, true);
      return { session: live.session, returnTo };
    },
  };
}

/** Return a destination as a path of this site, or `/` if it leads elsewhere. */
const onSite = (destination: string, address: URL): string => {
  const url = parsedUrl(destination, address);
  return url?.origin === address.origin ? returnPath(url.pathname + url.search + url.hash) : '/';
};

const foreignRedirectUri = ({ origin }: URL): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: `This page is on ${origin}, but the redirectUri of createBrowserClient is on another origin`,
    why: 'That origin cannot read the data that this page stores for the sign-in',
    next: 'Pass a path of this site as redirectUri, or open this page on that origin',
  });

const insecureContext = (): BrowserError =>
  new BrowserError('insecure_context', {
    what: 'This page cannot sign users in',
    why: 'It was loaded over plain http:, where browsers disable cryptography',
    next: 'Serve it over https:, or from localhost during development',
    reason: 'insecure_context',
  });

/** Create the error for a sign-in that this client rejects. */
const failed = (reason: FailureReason, what: string, next: string): BrowserError =>
  new BrowserError('refused', { what, next, reason });
