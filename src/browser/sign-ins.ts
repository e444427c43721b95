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
import { type BrowserConfig, redirectUriSeenFrom, type SignInOptions } from './options.js';
import { isAt, type Page } from './page.js';
import { pendingSignIns } from './pending-sign-ins.js';
import { refused } from './refusal.js';
import type { FailureReason } from './results.js';
import { type BrowserSession, liveSession } from './session.js';
import { requestTokens } from './token-request.js';

const optionNames: OptionNames<SignInOptions> = { ...signInParameterNames, returnTo: 1 };

/** The way to the service and back. */
export interface SignIns {
  /** Leaves for the service. @throws What `signIn` of the client does. */
  start(address: URL, options: SignInOptions): Promise<void>;
  /**
   * Redeems the code in an address.
   *
   * @throws {BrowserError} `retry_later`; `refused` for whatever else went wrong: the sign-in is over.
   */
  finish(address: URL): Promise<{ readonly session: BrowserSession; readonly returnTo: string }>;
}

/** The sign-ins of this tab. */
export function signInsOf(page: Page, config: BrowserConfig, keeper: SessionKeeper, name: string): SignIns {
  const pending = pendingSignIns(page, `${name}.sign-ins`);
  /** Where the next sign-in from the page of `redirectUri` leads: where the one that has failed there would have led. */
  let next = '/';

  const clean = (address: URL): void => {
    const url = new URL(address);
    for (const name of callbackParameters) url.searchParams.delete(name);
    const history = page.need('history');
    history.replaceState(history.state, '', url.href);
  };

  return {
    async start(address, options) {
      checkArgumentNames('signIn', options, optionNames);
      const redirectUri = redirectUriSeenFrom(address, config);
      if (redirectUri.origin !== address.origin) throw comesBackElsewhere(address);
      if (!globalThis.crypto?.subtle) throw insecureContext();
      const { state, codeVerifier, ...challenge } = await newProof();
      const { dialect } = config;
      const names = typeof dialect === 'string' ? authorizationNames[dialect] : dialect;
      const proof = { redirectUri: redirectUri.href, state, ...challenge };
      const url = authorizationUrl({ ...config, names }, 'signIn', options, proof);
      const here = isAt(address, redirectUri) ? next : address.href;
      const returnTo = onSite(options.returnTo ?? here, address);
      pending.add({ state, codeVerifier, returnTo, startedAt: page.now() });
      page.leaveFor(url);
    },

    async finish(address) {
      const { state, code, error, errorDescription } = callbackIn(address.searchParams);
      const signIn = pending.find(state);
      if (!signIn) {
        clean(address);
        throw failed(
          'unknown_state',
          'This sign-in was not started in this tab within the last ten minutes. It may have been finished already, come from another browser or an email, or be forged',
          'Call signIn()',
        );
      }
      const { codeVerifier, returnTo } = signIn;
      // Where the service cannot be asked, the address keeps the code, for the next try.
      const answer =
        code === null
          ? ({ kind: 'refused', error: { code: error ?? '', message: errorDescription } } as const)
          : await requestTokens(
              page,
              config,
              { grantType: 'authorization_code', code, codeVerifier },
              `${codeVerifier}.${code}`,
            );
      // Neither reloading nor going back starts it again.
      pending.remove(signIn.state);
      next = returnTo;
      clean(address);
      if (answer.kind !== 'tokens') throw refused(answer.error, [codeVerifier, code ?? '']);
      const now = page.now();
      const { signedInAt = 0 } = (await keeper.newest()) ?? {};
      // Later than any sign-in that is known.
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

const insecureContext = (): BrowserError =>
  new BrowserError('insecure_context', {
    what: 'This page cannot sign users in',
    why: 'It came by plain http:, where browsers offer no cryptography',
    next: 'Serve it by https:, or from localhost while developing',
    reason: 'insecure_context',
  });

/** A sign-in that fails for a reason of this client. */
const failed = (reason: FailureReason, what: string, next: string): BrowserError =>
  new BrowserError('refused', { what, next, reason });
