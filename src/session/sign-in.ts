import { createPkce, randomText } from '../crypto/pkce.js';
import { ConfigurationError, InvalidArgumentError } from '../errors/sallyport-error.js';
import { returnPath } from '../redirect-uris/return-path.js';
import type { AuthorizationRequest } from '../service/authentication.js';
import { flowCookie, flowSec, mostText, readFlows, writeFlows } from './pending-flows.js';
import { headerOf, type RequestLike } from './request.js';
import type { SignInKit } from './sign-in-kit.js';

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
   * Path of your site to lead the user to afterwards; default `/`. May come from a stranger, as in `/login?return_to=…`:
   * what would lead elsewhere, or has more than 1,024 characters, becomes `/`.
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
const handedOn = {
  loginHint: 'login_hint',
  domainHint: 'domain_hint',
  screenHint: 'screen_hint',
  prompt: 'prompt',
  maxAge: 'max_age',
  invitationToken: 'invitation_token',
} as const;

/** `Sessions.startSignIn`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function startSignIn(
  kit: SignInKit,
  request: RequestLike,
  options: StartSignInOptions = {},
): Promise<StartSignInResult> {
  const selector = selectorOf(kit, options);
  const redirectUri = options.redirectUri ?? kit.redirectUri;
  if (redirectUri === undefined || !URL.canParse(redirectUri))
    throw new ConfigurationError('invalid_option', {
      what: `startSignIn does not know where the user comes back to: redirectUri is ${redirectUri === undefined ? 'missing' : 'no absolute address'}`,
      next: 'Pass redirectUri to createSessions, as it is registered with the service',
    });
  const token = options.pendingAuthenticationToken;
  if (token && token.length >= mostText)
    throw new InvalidArgumentError({
      argument: 'pendingAuthenticationToken',
      what: `startSignIn cannot keep a pendingAuthenticationToken of ${token.length} characters in a cookie`,
      next: 'Pass the one that finishSignIn gave with sso_required',
    });
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (isAhead(request)) return { status: 'prefetch', headers };

  const now = kit.now();
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
  for (const [name, wire] of Object.entries(handedOn)) {
    // The names are those of the table above.
    const value = options[name as keyof typeof handedOn];
    if (value !== undefined) query.set(wire, `${value}`);
  }
  const cookies = headerOf(request, 'cookie');
  const cookie = flowCookie(kit.cookie);
  const flow = {
    state,
    codeVerifier,
    returnTo: returnPath(options.returnTo),
    expiresAt: now + flowSec * 1000,
    ...(token ? { pendingAuthenticationToken: token } : {}),
  };
  const others = await readFlows(cookies, cookie, kit.ring, now);
  for (const line of await writeFlows([flow, ...others], cookies, cookie, kit.ring, now))
    headers.append('set-cookie', line);
  const location = `${kit.baseUrl}/user_management/authorize?${query}`;
  headers.set('location', location);
  return { status: 'redirect', location, headers };
}

function selectorOf(
  { hostedProvider, organizationParam }: SignInKit,
  { provider, connectionId, organizationId }: StartSignInOptions,
): Record<string, string> {
  const given = Object.entries({ provider, connection_id: connectionId, [organizationParam]: organizationId });
  const [first, ...others] = given.filter((one): one is [string, string] => one[1] !== undefined);
  if (others.length > 0)
    throw new InvalidArgumentError({
      argument: 'provider',
      what: 'startSignIn was given several of provider, connectionId and organizationId',
      why: 'they exclude each other',
      next: 'Pass one of them, or none for the hosted sign-in page',
    });
  return first ? { [first[0]]: first[1] } : { provider: hostedProvider };
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
