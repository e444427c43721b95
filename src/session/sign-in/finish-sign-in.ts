import { quotable } from '../../errors/redact.js';
import { isText } from '../../http/json.js';
import { type Callback, callbackIn } from '../../oauth/authorization-url.js';
import type { GrantErrorCode } from '../../oauth/outcome.js';
import { type SignInStep, signInStepIn } from '../../oauth/step.js';
import type { AuthorizationUrlErrorCode } from '../../service/addresses.js';
import type { AuthenticationResponse } from '../../service/authentication.js';
import { isStrict, setCookies, withAllNames } from '../cookie/cookies.js';
import { sealedFrom } from '../cookie/sealed-session.js';
import { type RetryCause, retryLaterResult } from '../handle/handle.js';
import type { SessionContext } from '../handle/session-context.js';
import { limitPolicy } from '../read/limit-policy.js';
import type { SignedOutReason } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';
import type { GrantOutcome } from '../refresh/authenticator.js';
import type { TransientReason } from '../refresh/results.js';
import { codeKey, refreshKey, shareOutcome } from '../refresh/shared-refreshes.js';
import { headerOf, queryOf, type RequestLike } from '../request/request.js';
import { wantsPage } from '../request/request-kind.js';
import { newSessionCookies, replaceEarlier, reportLargeCookies } from './new-session.js';
import { type Flow, type FoundFlow, findFlow, flowPath } from './pending-flows.js';
import { homePath, redirectUriFor } from './redirect-address.js';

/** Error code from the service or the identity provider if a sign-in fails. The service may send other codes too. */
export type SignInErrorCode = AuthorizationUrlErrorCode | GrantErrorCode;

/** Why a sign-in ended without a session. */
export type SignInFailureReason = SignInFailure['reason'];

/** A sign-in that ended without a session. */
export type SignInFailure =
  | {
      /**
       * `no_pending_flow`: this browser started no sign-in in the last ten minutes, or does not accept cookies.
       * `state_mismatch`: this browser started other sign-ins. The link belongs to another user, or five newer sign-ins replaced
       * this one, or the user has returned to another host of `redirectUris`.
       * `expired`: the user took more than ten minutes. The built-in callback starts a new sign-in.
       * `no_code`: the URL contains no code, so it does not come from the service.
       *
       * Start again with `startSignIn`. If the user is already signed in at the service, it redirects back immediately.
       */
      readonly reason: 'no_pending_flow' | 'state_mismatch' | 'expired' | 'no_code';
    }
  | {
      /** `denied`: the user or the identity provider refused. `rejected`: the service refused; see `error`. */
      readonly reason: 'denied' | 'rejected';
      /** Error code of the service, such as `access_denied` or `invalid_grant`. */
      readonly error: SignInErrorCode;
      /** Description from the service in one line, without secrets. For logs, not for users. */
      readonly errorDescription: string | null;
    }
  | {
      /**
       * `service_refused`: the service rejects this application: check `clientId`, `apiKey` and `baseUrl` of `createSessions`.
       * `session_too_large`: the cookies of the session would have more than 10,000 bytes. `cause` names its largest fields.
       * `hook_failed`: `onSignedIn` has thrown an error, took more than ten seconds, or returned something it may not return. The new
       * session has ended.
       */
      readonly reason: 'service_refused' | 'session_too_large' | 'hook_failed';
      /** Contains no tokens or keys. */
      readonly cause: unknown;
    }
  | {
      /**
       * `onSignedIn` has denied the user. The new session has ended, and so has an earlier session of this user in the browser. The
       * service may remember the user: pass `prompt: 'login'` to the next `startSignIn`, so that the user can choose another account.
       */
      readonly reason: 'not_allowed';
      /** The code that `onSignedIn` returned in `deny`. */
      readonly code: string;
    }
  | {
      /** The service returned invalid tokens for the code. */
      readonly reason: 'invalid_tokens';
      readonly problem: SignedOutReason | 'expired';
    }
  | SignInStep;

/** Result of `finishSignIn`. Always send `headers` with the response. */
export type FinishSignInResult =
  | {
      /**
       * The user is signed in: `new Response(null, { status: 302, headers })`. With `cookie.sameSite: 'strict'`, use `respond`, or
       * status 200: browsers do not send a strict cookie after a redirect that began at another site.
       */
      readonly status: 'signed_in';
      readonly session: CurrentSession;
      /**
       * The response of the service with the tokens. They are already in the cookie; you do not need to store them. `oauthTokens` of a
       * provider are passed only to `onSignedIn`.
       */
      readonly tokens: AuthenticationResponse;
      /** The `data` of `startSignIn`; undefined if there was none. */
      readonly data: unknown;
      /** Where the user goes: what `onSignedIn` returned, or the `returnTo` of `startSignIn`. */
      readonly returnTo: string;
      /**
       * `Location`, and `Set-Cookie` for the session. With `cookie.sameSite: 'strict'`, browsers get `Refresh` instead of `Location`, and
       * `Referrer-Policy`.
       */
      readonly headers: Headers;
    }
  | {
      /** The page was loaded again, for example with the back button, and the user is still signed in. Nothing was changed. */
      readonly status: 'already_signed_in';
      readonly session: CurrentSession;
      /** The `returnTo` of `startSignIn`. If it is unknown, the home page. */
      readonly returnTo: string;
      /** `Location`, or `Refresh` with `cookie.sameSite: 'strict'`. */
      readonly headers: Headers;
    }
  | ({
      readonly status: 'failed';
      /** No session was created. An earlier session is kept, except that of a user who is `not_allowed`. */
      readonly session: null;
      /**
       * The `returnTo` of `startSignIn`, for the next attempt. If it is unknown, the home page. From `route` after `not_allowed`: the
       * sign-in route with `prompt=login`, which leads there.
       */
      readonly returnTo: string;
      /** Whether the browser is opening a page, so that a user will see the response. */
      readonly forPerson: boolean;
      /** Removes this sign-in from the cookies, and the session of a user who is `not_allowed`. Everything else is kept. */
      readonly headers: Headers;
    } & SignInFailure)
  | {
      /** The outcome is not known yet: respond with status 503. The user can reload the page; the code is not lost. */
      readonly status: 'retry_later';
      readonly session: null;
      readonly reason: Exclude<TransientReason, 'service_refused'> | 'keys_unavailable';
      readonly retryAfterMs: number;
      /** The error, for your logs. Contains no tokens or keys. */
      readonly cause: unknown;
      /** Whether the browser is opening a page, so that a user will see the response. */
      readonly forPerson: boolean;
      readonly headers: Headers;
    };

/** Message of the diagnostics channel `sallyport:session:callback`: a user has returned from the service. */
export interface SessionCallbackRecord {
  readonly status: FinishSignInResult['status'];
  /** Why the user is not signed in. */
  readonly reason: Extract<FinishSignInResult, { readonly reason: string }>['reason'] | undefined;
  /** Code of `onSignedIn` if it denied the user; otherwise undefined. */
  readonly code: string | undefined;
}

/** A request to the redirect URI. */
interface Arrival {
  readonly context: SessionContext;
  readonly request: RequestLike;
  readonly cookies: string | undefined;
  readonly forPerson: boolean;
  readonly headers: Headers;
  readonly found: FoundFlow;
}

/** A flow that this browser has started. */
type PendingFlow = Flow & { readonly codeVerifier: string };

/** Implement `Sessions.finishSignIn`. Never throws for an invalid request. */
export async function finishSignIn(context: SessionContext, request: RequestLike): Promise<FinishSignInResult> {
  const callback = callbackIn(queryOf(request));
  const cookies = headerOf(request, 'cookie');
  const redirectUri = redirectUriFor(context, request);
  const path = redirectUri === undefined ? '/' : flowPath(redirectUri);
  const found = await findFlow(context, callback.state, path, cookies);
  const headers = new Headers({ 'cache-control': 'no-store' });
  setCookies(headers, found.surplus);
  const arrival = { context, request, cookies, forPerson: wantsPage(request), headers, found };
  const flow = pendingFlow(found, redirectUri);
  if (!flow || flow.expiresAt <= context.now()) return withoutFlow(arrival);

  const why = refusalIn(callback, [context.apiKey, flow.codeVerifier, flow.pendingAuthenticationToken]);
  if (why) return failAndForget(arrival, flow, why);
  // A callback without a code is a refusal.
  const outcome = await redeem(context, callback.code!, flow);
  switch (outcome.status) {
    case 'ok':
      return signInWith(arrival, flow, outcome.tokens);
    case 'ended': {
      const { reason: error, message: errorDescription, body, serviceCode } = outcome;
      const step = signInStepIn(error, body, serviceCode);
      return failAndForget(arrival, flow, step ?? { reason: 'rejected', error, errorDescription });
    }
    case 'misconfigured': {
      const failure = { reason: 'service_refused', cause: outcome.cause } as const;
      context.report(failure);
      return failAndForget(arrival, flow, failure);
    }
    case 'retry_later':
      context.report(outcome);
      return unfinished(arrival, outcome);
  }
}

/** Return the flow if this browser has started it, and it may finish at this redirect URI. */
const pendingFlow = ({ flow, codeVerifier }: FoundFlow, redirectUri: string | undefined): PendingFlow | undefined =>
  flow && codeVerifier !== undefined && (flow.redirectUri ?? redirectUri) === redirectUri
    ? { ...flow, codeVerifier }
    : undefined;

/** Without a valid flow, the sign-in has failed, unless the user is signed in already. */
async function withoutFlow(arrival: Arrival): Promise<FinishSignInResult> {
  const { context, request, cookies, headers, found } = arrival;
  const { flow, hasFlows } = found;
  const returnTo = flow?.returnTo ?? homePath(context, request);
  const { session } = await context.opener.reader.read(cookies);
  const isLate = flow !== undefined && flow.expiresAt <= context.now();
  // Another user may have signed in at the service.
  if (!session || (isLate && flow.mustAsk))
    return failure(arrival, returnTo, { reason: isLate ? 'expired' : hasFlows ? 'state_mismatch' : 'no_pending_flow' });
  leadTo(arrival, returnTo);
  return { status: 'already_signed_in', session, returnTo, headers };
}

/** Return why a callback URL has no code, or undefined if it has one. */
function refusalIn(
  { code, error, errorDescription }: Callback,
  secretsOfFlow: readonly (string | undefined)[],
): SignInFailure | undefined {
  if (error === null) return code ? undefined : { reason: 'no_code' };
  const secrets = secretsOfFlow.filter(isText);
  return {
    reason: error === 'access_denied' ? 'denied' : 'rejected',
    error: quotable(error, secrets),
    errorDescription: errorDescription && quotable(errorDescription, secrets),
  };
}

/** Check the tokens and create the session. */
async function signInWith(
  arrival: Arrival,
  flow: PendingFlow,
  tokens: AuthenticationResponse,
): Promise<FinishSignInResult> {
  const { context, request, cookies, headers } = arrival;
  const sealed = sealedFrom(tokens, { startedAt: context.now() });
  const checked = await context.check(sealed);
  context.report(checked);
  // The code is spent, but the service repeats its response for the same idempotency key.
  if (checked.status === 'retry_later') return unfinished(arrival, checked);
  if (checked.status !== 'active') {
    const problem = checked.status === 'expired' ? 'expired' : checked.reason;
    return failAndForget(arrival, flow, { reason: 'invalid_tokens', problem });
  }
  let lines: string[];
  try {
    lines = await newSessionCookies(context, sealed, withAllNames(cookies, context.cookie));
  } catch (cause) {
    return failAndForget(arrival, flow, { reason: 'session_too_large', cause });
  }
  const { session } = checked;
  const { data } = flow;
  const { onSignedIn } = context.hooks;
  const event = { session, data, returnTo: flow.returnTo, request };
  // Loaded on demand: only applications with this hook need it.
  const hooked = onSignedIn
    ? await (await import('./signed-in-hook.js')).callSignedIn(context, onSignedIn, tokens, event, flow.earlier)
    : flow.returnTo;
  if (typeof hooked !== 'string') {
    setCookies(headers, hooked.lines);
    return failAndForget(arrival, flow, hooked.failure);
  }
  setCookies(headers, lines);
  await replaceEarlier(context, cookies, session.claims, flow.earlier);
  setCookies(headers, (await limitPolicy(context)).clearLimitCookies(context.cookie, cookies));
  forgetFlow(arrival);
  reportLargeCookies(context, headers.getSetCookie(), sealed);
  leadTo(arrival, hooked);
  const { oauthTokens: _, ...others } = tokens;
  return { status: 'signed_in', session, tokens: others, data, returnTo: hooked, headers };
}

/**
 * Send the user on. A redirect that began at the service would not carry a strict cookie, so the browser loads a page that leads on.
 * Programs, which do not tell sites apart, are redirected.
 */
function leadTo({ context, forPerson, headers }: Arrival, target: string): void {
  if (forPerson && isStrict(context.cookie)) {
    headers.set('refresh', `0;url=${target}`);
    // The address of the page has the code.
    headers.set('referrer-policy', 'no-referrer');
  } else headers.set('location', target);
}

const failure = ({ forPerson, headers }: Arrival, returnTo: string, why: SignInFailure): FinishSignInResult => ({
  status: 'failed',
  session: null,
  ...why,
  returnTo,
  forPerson,
  headers,
});

const unfinished = (
  { forPerson, headers }: Arrival,
  outcome: RetryCause<Exclude<TransientReason, 'service_refused'> | 'keys_unavailable'>,
): FinishSignInResult => ({ ...retryLaterResult(outcome), forPerson, headers });

function failAndForget(arrival: Arrival, flow: PendingFlow, why: SignInFailure): FinishSignInResult {
  forgetFlow(arrival);
  return failure(arrival, flow.returnTo, why);
}

const forgetFlow = ({ headers, found }: Arrival): void => setCookies(headers, found.own);

/**
 * Redeem a code. Reloads of the page share the outcome, because services that ignore idempotency keys end the session if a code
 * is used twice.
 */
async function redeem(context: SessionContext, code: string, flow: PendingFlow): Promise<GrantOutcome> {
  const { codeVerifier, pendingAuthenticationToken } = flow;
  const key = await codeKey(context.ring.first().secret, code, codeVerifier);
  const grant = { grantType: 'authorization_code', code, codeVerifier, pendingAuthenticationToken } as const;
  return shareOutcome(context, key, async () => {
    const outcome = await context.authenticate(grant, key);
    return outcome.status === 'ok' ? inOrganization(context, outcome, flow.organizationId) : outcome;
  });
}

/**
 * Switch back to the organization of the session after its user has authenticated again. The hosted page of the `spec` dialect
 * does not accept an organization, so the user may have chosen another one there. If the switch is refused, the user stays in
 * that organization.
 */
async function inOrganization(
  context: SessionContext,
  outcome: Extract<GrantOutcome, { readonly status: 'ok' }>,
  organizationId: string | undefined,
): Promise<GrantOutcome> {
  const { tokens } = outcome;
  if (!organizationId || tokens.organizationId === organizationId) return outcome;
  const { refreshToken } = tokens;
  // A later refresh of these tokens uses the same key, so that the service repeats a lost response.
  const key = await refreshKey(context.ring.first().secret, refreshToken, '*', tokens.accessToken);
  const switchGrant = { grantType: 'refresh_token', refreshToken, organizationId } as const;
  const switched = await shareOutcome(context, key, () => context.authenticate(switchGrant, key));
  return switched.status === 'ok' ? { ...switched, tokens: { ...tokens, ...switched.tokens } } : outcome;
}
