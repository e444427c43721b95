import { checkOption } from '../errors/check-option.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { parsedUrl } from '../http/parsed-url.js';
import { authorizationUrl, type SignInParameters } from '../oauth/authorization-url.js';
import { newProof } from '../oauth/proof.js';
import { returnPath } from '../redirect-uris/return-path.js';
import { setCookies } from './cookies.js';
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
  /** From a sign-in that ended with `sso_required`, if it carried one. */
  readonly pendingAuthenticationToken?: string | null | undefined;
}

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
      /** Nobody is there yet: a browser fetches ahead, or not a page at all. Nothing was begun; answer with status 204. */
      readonly status: 'prefetch';
      readonly headers: Headers;
    };

/** `Sessions.startSignIn`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function startSignIn(
  kit: SessionKit,
  request: RequestLike,
  options: StartSignInOptions = {},
): Promise<StartSignInResult> {
  const { redirectUri = kit.redirectUri ?? '' } = options;
  checkOption(
    parsedUrl(redirectUri),
    'redirectUri',
    'is missing, or no absolute address',
    'Pass redirectUri to createSessions',
  );
  const token = options.pendingAuthenticationToken;
  if (token && token.length >= mostText)
    throw new InvalidArgumentError({
      argument: 'pendingAuthenticationToken',
      what: `pendingAuthenticationToken must have fewer than ${mostText} characters`,
      next: 'Pass the one that finishSignIn returned with sso_required',
    });
  const proof = { redirectUri, ...(await newProof()) };
  const location = authorizationUrl(kit, 'startSignIn', options, proof);
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (isAhead(request)) return { status: 'prefetch', headers };

  const cookies = headerOf(request, 'cookie');
  const flow = {
    state: proof.state,
    codeVerifier: proof.codeVerifier,
    returnTo: returnPath(options.returnTo, kit.cookie.path),
    expiresAt: kit.now() + flowSec * 1000,
    ...(token ? { pendingAuthenticationToken: token } : {}),
  };
  setCookies(headers, await writeFlows(kit, [flow, ...(await readFlows(kit, cookies))], cookies));
  headers.set('location', location);
  return { status: 'redirect', location, headers };
}

/**
 * Whether a browser fetches ahead of its user, or something that is no page. Whoever only hovers over a link would else push
 * sign-ins out of the cookie that are really under way.
 */
function isAhead(request: RequestLike): boolean {
  const header = (name: string): string => headerOf(request, name)?.toLowerCase() ?? '';
  return (
    request.method === 'HEAD' ||
    ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/.test(header(name))) ||
    ['next-router-prefetch', 'x-middleware-prefetch'].some((name) => header(name) !== '') ||
    // A page, a frame, or a script that wants to know where to send the user; not an image that somebody links to.
    !['', 'document', 'iframe', 'frame', 'fencedframe', 'empty'].includes(header('sec-fetch-dest'))
  );
}
