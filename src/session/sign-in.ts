import { checkOption } from '../errors/check-option.js';
import { checkArgumentNames, type OptionNames } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { parsedUrl } from '../http/parsed-url.js';
import { authorizationNames } from '../oauth/authorization-names.js';
import { authorizationUrl, type SignInParameters, signInParameterNames } from '../oauth/authorization-url.js';
import { newProof } from '../oauth/proof.js';
import { returnPath } from '../redirect-uris/return-path.js';
import { askerOf } from './asker.js';
import { setCookies } from './carried-cookies.js';
import type { SessionKit } from './kit.js';
import { flowSec, mostText, readFlows, writeFlows } from './pending-flows.js';
import { headerOf, type RequestLike } from './request.js';

/** What `startSignIn` takes. How the user signs in is said by one of provider, connection and organization, or by none. */
export interface StartSignInOptions extends SignInParameters {
  /**
   * Path of your site to lead the user to afterwards; default: the path of the cookie, `/`. May come from a stranger, as in `/login?return_to=…`:
   * what would lead elsewhere, or has more than 1,024 characters, becomes the default.
   */
  readonly returnTo?: unknown;
  /** Where the user comes back to, registered with the service; default: the one that `createSessions` was given. */
  readonly redirectUri?: string | undefined;
  /** Begin a sign-in for a script too, which then leads the user to `location` itself; default false. */
  readonly fromScript?: boolean | undefined;
  /** From a sign-in that ended with `sso_required`, if it carried one. */
  readonly pendingAuthenticationToken?: string | null | undefined;
}

const optionNames: OptionNames<StartSignInOptions> = {
  ...signInParameterNames,
  returnTo: 1,
  redirectUri: 1,
  fromScript: 1,
  pendingAuthenticationToken: 1,
};

/** What `startSignIn` gives. */
export type StartSignInResult =
  | {
      /** Send the user to the service: `new Response(null, { status: 302, headers })`. */
      readonly status: 'redirect';
      /** The authorization URL. */
      readonly location: string;
      /** `Location`, and the `Set-Cookie` that remembers this sign-in for ten minutes. */
      readonly headers: Headers;
    }
  | {
      /**
       * Nothing was begun. `prefetch`: nobody is there yet, a browser fetches ahead, or not a page at all; answer with status 204.
       * `script`: a script asks, which cannot be sent to another site; answer with status 401.
       */
      readonly status: 'prefetch' | 'script';
      readonly headers: Headers;
    };

/** `Sessions.startSignIn`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function startSignIn(
  kit: SessionKit,
  request: RequestLike,
  options: StartSignInOptions = {},
): Promise<StartSignInResult> {
  checkArgumentNames('startSignIn', options, optionNames);
  const { redirectUri = kit.redirectUri ?? '' } = options;
  checkOption(
    parsedUrl(redirectUri),
    'redirectUri',
    'is missing, or no absolute address',
    'Pass redirectUri to createSessions, or set SALLYPORT_REDIRECT_URI',
  );
  const token = options.pendingAuthenticationToken;
  if (token && token.length >= mostText)
    throw new InvalidArgumentError({
      argument: 'pendingAuthenticationToken',
      what: `pendingAuthenticationToken must have fewer than ${mostText} characters`,
      next: 'Pass the one that finishSignIn returned with sso_required',
    });
  const proof = { redirectUri, ...(await newProof()) };
  const { dialect } = kit;
  const names = typeof dialect === 'string' ? authorizationNames[dialect] : dialect;
  const location = authorizationUrl({ ...kit, names }, 'startSignIn', options, proof);
  const headers = new Headers({ 'cache-control': 'no-store' });
  // Whoever only hovers over a link would else push sign-ins out of the cookie that are really under way.
  const asker = askerOf(request);
  if (asker === 'prefetch' || (asker === 'script' && !options.fromScript)) return { status: asker, headers };

  const cookies = headerOf(request, 'cookie');
  const flow = {
    state: proof.state,
    codeVerifier: proof.codeVerifier,
    returnTo: returnPath(options.returnTo, kit.cookie.path),
    expiresAt: kit.now() + flowSec * 1000,
    pendingAuthenticationToken: token || undefined,
  };
  setCookies(headers, await writeFlows(kit, [flow, ...(await readFlows(kit, cookies))], cookies));
  headers.set('location', location);
  return { status: 'redirect', location, headers };
}
