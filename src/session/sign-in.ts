import { createPkce, randomText } from '../crypto/pkce.js';
import { checkOption } from '../errors/check-option.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { parsedUrl } from '../http/parsed-url.js';
import { returnPath } from '../redirect-uris/return-path.js';
import type { AuthorizationRequest } from '../service/authentication.js';
import { setCookies } from './cookies.js';
import type { SessionKit } from './kit.js';
import { flowSec, mostText, readFlows, writeFlows } from './pending-flows.js';
import { headerOf, type RequestLike } from './request.js';

/** What `startSignIn` takes. How the user signs in is said by one of provider, connection and organization, or by none. */
export interface StartSignInOptions
  extends Pick<
    AuthorizationRequest,
    | 'provider'
    | 'connectionId'
    | 'organizationId'
    | 'loginHint'
    | 'domainHint'
    | 'screenHint'
    | 'prompt'
    | 'maxAge'
    | 'invitationToken'
  > {
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

/** The parameters of the authorization URL that are handed on, by their names here. */
const handedOn = ['loginHint', 'domainHint', 'screenHint', 'prompt', 'maxAge', 'invitationToken'] as const;

/** A name as it stands on the wire: `login_hint` for `loginHint`. */
const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `Sessions.startSignIn`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function startSignIn(
  kit: SessionKit,
  request: RequestLike,
  options: StartSignInOptions = {},
): Promise<StartSignInResult> {
  const selector = selectorOf(kit, options);
  const { redirectUri = kit.redirectUri ?? '' } = options;
  checkOption(
    parsedUrl(redirectUri),
    'redirectUri',
    'is missing, or no absolute address',
    'Pass redirectUri to createSessions, as it is registered with the service',
  );
  const token = options.pendingAuthenticationToken;
  if (token && token.length >= mostText)
    throw new InvalidArgumentError({
      argument: 'pendingAuthenticationToken',
      what: `startSignIn cannot keep a pendingAuthenticationToken of ${token.length} characters in a cookie`,
      next: 'Pass the one that finishSignIn gave with sso_required',
    });
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (isAhead(request)) return { status: 'prefetch', headers };

  const state = randomText();
  const { codeVerifier, codeChallenge, codeChallengeMethod } = await createPkce();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: kit.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: codeChallengeMethod,
    ...selector,
  });
  for (const name of handedOn) if (options[name] !== undefined) query.set(wireName(name), `${options[name]}`);
  const cookies = headerOf(request, 'cookie');
  const flow = {
    state,
    codeVerifier,
    returnTo: returnPath(options.returnTo, kit.cookie.path),
    expiresAt: kit.now() + flowSec * 1000,
    ...(token ? { pendingAuthenticationToken: token } : {}),
  };
  setCookies(headers, await writeFlows(kit, [flow, ...(await readFlows(kit, cookies))], cookies));
  const location = `${kit.baseUrl}/user_management/authorize?${query}`;
  headers.set('location', location);
  return { status: 'redirect', location, headers };
}

function selectorOf(
  { names }: SessionKit,
  { provider, connectionId, organizationId }: StartSignInOptions,
): Record<string, string> {
  const given = Object.entries({
    provider,
    connection_id: connectionId,
    [names.authorizeOrganizationParam]: organizationId,
  });
  const [first, ...others] = given.filter((one): one is [string, string] => one[1] !== undefined);
  if (others.length > 0)
    throw new InvalidArgumentError({
      argument: 'provider',
      what: 'startSignIn was given several of provider, connectionId and organizationId',
      why: 'They exclude each other',
      next: 'Pass one of them, or none for the hosted sign-in page',
    });
  return first ? { [first[0]]: first[1] } : { provider: names.hostedProvider };
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
