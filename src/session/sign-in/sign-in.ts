import { newProof } from '../../crypto/pkce.js';
import { checkArgumentNames, checkOption, type OptionNames } from '../../errors/known-options.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { authorizationNames } from '../../oauth/authorization-names.js';
import { authorizationUrl, type SignInParameters, signInParameterNames } from '../../oauth/authorization-url.js';
import { returnPath } from '../../redirect-uris/return-path.js';
import { isStrict, setCookies } from '../cookie/cookies.js';
import type { SessionContext } from '../handle/session-context.js';
import { limitPolicy } from '../read/limit-policy.js';
import { isLimitReason } from '../read/session-limits.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import { sessionsIn } from './end-sessions.js';
import {
  type EarlierSession,
  type Flow,
  flowData,
  flowMs,
  flowPath,
  maxTokenLength,
  rememberFlow,
  stateOf,
} from './pending-flows.js';
import { homePath, redirectUriFor } from './redirect-address.js';

/** Options of `startSignIn`. Pass at most one of `provider`, `connectionId` and `organizationId`. */
export interface StartSignInOptions extends SignInParameters {
  /**
   * Path on your site to return to; default: `basePath` of the request, or the path of the cookie, `/`. Safe to take from a query string such as
   * `/login?return_to=…`: an off-site value, or one longer than 1,024 characters, is replaced by the default.
   */
  readonly returnTo?: unknown;
  /** Redirect URI, as registered with the service; default: `redirectUri` of `createSessions`, or one of its `redirectUris`. */
  readonly redirectUri?: string | undefined;
  /** Also start a sign-in for a script, which then redirects the user to `location`; default false. */
  readonly fromScript?: boolean | undefined;
  /**
   * Your data for `onSignedIn` and the result of `finishSignIn`, as JSON of at most 1,024 bytes and 16 levels. It travels sealed in the
   * `state` of the sign-in, for at most ten minutes.
   */
  readonly data?: unknown;
  /** Token from a sign-in that ended with `sso_required`, if it returned one. */
  readonly pendingAuthenticationToken?: string | null | undefined;
}

const optionNames: OptionNames<StartSignInOptions> = {
  ...signInParameterNames,
  returnTo: 1,
  redirectUri: 1,
  fromScript: 1,
  pendingAuthenticationToken: 1,
  data: 1,
};

/** Result of `startSignIn`. */
export type StartSignInResult =
  | {
      /** Redirect the user to the service: `new Response(null, { status: 302, headers })`. */
      readonly status: 'redirect';
      /** The authorization URL. */
      readonly location: string;
      /** `Location`, and the `Set-Cookie` that remembers this sign-in for ten minutes. */
      readonly headers: Headers;
    }
  | {
      /**
       * No sign-in was started.
       * `prefetch`: the browser loads a page before the user asks for it; respond with status 204.
       * `script`: a script, or another part of a page, cannot be redirected to another site; respond with status 401.
       */
      readonly status: 'prefetch' | 'script';
      readonly headers: Headers;
    };

/** Implement `Sessions.startSignIn`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function startSignIn(
  context: SessionContext,
  request: RequestLike,
  options: StartSignInOptions = {},
): Promise<StartSignInResult> {
  checkArgumentNames('startSignIn', options, optionNames);
  const redirectUri = checkedRedirectUri(context, request, options);
  const { pendingAuthenticationToken: token } = options;
  const { dialect } = context;
  const names = typeof dialect === 'string' ? authorizationNames[dialect] : dialect;
  const cookies = headerOf(request, 'cookie');
  const organizationId = await organizationToKeep(context, options, cookies);
  const path = flowPath(redirectUri);
  const flow: Flow = {
    returnTo: returnPath(options.returnTo, homePath(context, request)),
    expiresAt: context.now() + flowMs,
    cookiePath: options.redirectUri ? path : undefined,
    pendingAuthenticationToken: token || undefined,
    organizationId,
    redirectUri: options.redirectUri || context.redirectUris.length === 0 ? undefined : redirectUri,
    data: flowData(options.data),
    mustAsk: options.prompt === 'login' || options.maxAge !== undefined || undefined,
    earlier: isStrict(context.cookie) ? await earlierSession(context, cookies) : undefined,
  };
  checkToken(flow);
  const proof = { redirectUri, ...(await newProof(await stateOf(flow, context, homePath(context, request)))) };
  const { hostedProvider: provider } = names;
  const isHosted = (options.provider || provider) === provider;
  const place = organizationId && isHosted && names.hostedTakesOrganization && { provider, organizationId };
  const prompt = context.limits && (await hasEndedByLimit(context, request)) ? 'login' : options.prompt;
  const location = authorizationUrl({ ...context, names }, 'startSignIn', { ...options, ...place, prompt }, proof);
  const headers = new Headers({ 'cache-control': 'no-store' });
  // Hovering over a link would otherwise push pending sign-ins out of the browser.
  const kind = requestKind(request);
  if (kind === 'prefetch') return { status: 'prefetch', headers };
  if (kind === 'part' || (kind === 'script' && !options.fromScript)) return { status: 'script', headers };

  setCookies(headers, await rememberFlow(context, proof, path, cookies));
  headers.set('location', location);
  return { status: 'redirect', location, headers };
}

/** The session that the browser has now. */
async function earlierSession(
  context: SessionContext,
  cookies: string | undefined,
): Promise<EarlierSession | undefined> {
  const [newest] = await sessionsIn(context, cookies);
  return newest && { userId: newest.userId, sessionId: newest.sessionId, exp: newest.claims.exp };
}

/** @throws {InvalidArgumentError} The token does not fit into the flow. */
function checkToken(flow: Flow): void {
  const { pendingAuthenticationToken: token } = flow;
  const maxLength = maxTokenLength(flow);
  if (token && token.length > maxLength)
    throw new InvalidArgumentError({
      argument: 'pendingAuthenticationToken',
      what: `pendingAuthenticationToken must have at most ${maxLength} characters`,
      next: 'Pass the token that finishSignIn returned with sso_required',
    });
}

/** Return the address where the user returns. @throws {ConfigurationError} It is missing or wrong. */
function checkedRedirectUri(
  context: SessionContext,
  request: RequestLike,
  { redirectUri = redirectUriFor(context, request) ?? '' }: StartSignInOptions,
): string {
  checkOption(
    parsedUrl(redirectUri),
    'redirectUri',
    'is missing or is not an absolute URL',
    'Pass redirectUri to createSessions, or set SALLYPORT_REDIRECT_URI',
  );
  return redirectUri;
}

/** Whether a limit has ended the session. Without a prompt, the service would sign the same user in again at once. */
async function hasEndedByLimit(context: SessionContext, request: RequestLike): Promise<boolean> {
  const cookies = headerOf(request, 'cookie');
  // The browser does not send a strict cookie with a link of another site, so the session may have ended.
  if (isStrict(context.cookie) && headerOf(request, 'sec-fetch-site') === 'cross-site') return true;
  const { isMarkedEnded } = await limitPolicy(context);
  if (isMarkedEnded(context.cookie, cookies)) return true;
  const result = await context.opener.reader.read(cookies);
  return result.status === 'signed_out' && isLimitReason(result.reason);
}

/**
 * Get the organization of the session, if `maxAge` makes its user authenticate again and the options do not choose another one.
 */
async function organizationToKeep(
  context: SessionContext,
  { maxAge, connectionId, organizationId }: StartSignInOptions,
  cookies: string | undefined,
): Promise<string | undefined> {
  if (typeof maxAge !== 'number' || connectionId || organizationId) return undefined;
  const { session } = await context.opener.reader.read(cookies);
  return session?.organizationId ?? undefined;
}
