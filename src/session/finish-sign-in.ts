import { quotable } from '../errors/redact.js';
import { isText } from '../http/json.js';
import { callbackIn } from '../oauth/callback.js';
import type { GrantErrorCode } from '../oauth/flow-errors.js';
import { type SignInStep, stepOf } from '../oauth/sign-in-step.js';
import type { AuthorizationUrlErrorCode } from '../service/addresses.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { isForPerson } from './asker.js';
import { setCookies } from './carried-cookies.js';
import { everySpelling } from './cookies.js';
import { later } from './handle.js';
import { codeKey } from './idempotency-key.js';
import { type SessionKit, sessionCookies } from './kit.js';
import { type PendingFlow, readFlows, writeFlows } from './pending-flows.js';
import type { SignedOutReason } from './reader.js';
import { headerOf, queryOf, type RequestLike } from './request.js';
import { sealedFrom } from './sealed-session.js';
import type { GrantOutcome, TransientReason } from './service.js';
import type { CurrentSession } from './session.js';
import { shared } from './shared-refreshes.js';

/** Why the service or the identity provider said no to a sign-in; it may have words that are not known here. */
export type SignInErrorCode = AuthorizationUrlErrorCode | GrantErrorCode;

/** Why a sign-in ended without a session. */
export type SignInFailureReason = SignInFailure['reason'];

/** A sign-in that ended without a session. */
export type SignInFailure =
  | {
      /**
       * `no_pending_flow`: this browser began no sign-in in the last ten minutes, or keeps no cookies.
       * `state_mismatch`: it began others; somebody else's link, or a sixth sign-in pushed this one out.
       * `expired`: the user took more than ten minutes.
       * `no_code`: the address holds no code; nobody comes from the service like that.
       *
       * Begin again with `startSignIn`; who has signed in at the service already is back at once.
       */
      readonly reason: 'no_pending_flow' | 'state_mismatch' | 'expired' | 'no_code';
    }
  | {
      /** `denied`: the user or the identity provider said no. `rejected`: the service did, and `error` says why. */
      readonly reason: 'denied' | 'rejected';
      /** The service's word, such as `access_denied` or `invalid_grant`. */
      readonly error: SignInErrorCode;
      /** The service's words in one line, without secrets. For logs, not for users. */
      readonly errorDescription: string | null;
    }
  | {
      /** The service does not know this application: check clientId, apiKey and baseUrl of `createSessions`. */
      readonly reason: 'service_refused';
      /** Holds no token and no key. */
      readonly cause: unknown;
    }
  | {
      /** No browser would keep the session's cookies; `cause` names its heaviest fields. */
      readonly reason: 'session_too_large';
      readonly cause: unknown;
    }
  | {
      /** The tokens that came for the code are not what they should be. */
      readonly reason: 'invalid_tokens';
      readonly problem: SignedOutReason | 'expired';
    }
  | SignInStep;

/** What `finishSignIn` gives; `headers` goes with the answer in every case. */
export type FinishSignInResult =
  | {
      /** The user is signed in: `new Response(null, { status: 302, headers })`. */
      readonly status: 'signed_in';
      readonly session: CurrentSession;
      /** The tokens and whatever else the service said. They are in the cookie already; nothing else needs them. */
      readonly tokens: AuthenticationResponse;
      /** Where the user wanted to go. */
      readonly returnTo: string;
      /** `Location`, and the `Set-Cookie` of the session. */
      readonly headers: Headers;
    }
  | {
      /** The page was loaded again, by the back button say, and the user is still signed in. Nothing was changed. */
      readonly status: 'already_signed_in';
      readonly session: CurrentSession;
      /** The path of the cookie. */
      readonly returnTo: string;
      /** `Location`. */
      readonly headers: Headers;
    }
  | ({
      readonly status: 'failed';
      /** Nobody has signed in here; a session that was there before goes on. */
      readonly session: null;
      /** Where the user wanted to go, for the next try; the path of the cookie when that is not known. */
      readonly returnTo: string;
      /** Whether a person reads the answer: the browser opens a page. */
      readonly forPerson: boolean;
      /** Forgets this sign-in. Other sign-ins under way, and a session that was there before, stay. */
      readonly headers: Headers;
    } & SignInFailure)
  | {
      /** Not known yet: answer with status 503. The user may load the same page again; the code is not lost. */
      readonly status: 'retry_later';
      readonly session: null;
      readonly reason: Exclude<TransientReason, 'service_refused'> | 'keys_unavailable';
      readonly retryAfterMs: number;
      /** What went wrong, for your logs. Holds no token and no key. */
      readonly cause: unknown;
      /** Whether a person reads the answer: the browser opens a page. */
      readonly forPerson: boolean;
      readonly headers: Headers;
    };

/** `Sessions.finishSignIn`. No request makes it throw. */
export async function finishSignIn(kit: SessionKit, request: RequestLike): Promise<FinishSignInResult> {
  const { state, code, error, errorDescription } = callbackIn(queryOf(request));
  const cookies = headerOf(request, 'cookie');
  const headers = new Headers({ 'cache-control': 'no-store' });
  const forPerson = isForPerson(request);
  const flows = await readFlows(kit, cookies);
  const flow = flowOf(flows, state ?? '');
  const home = kit.cookie.path;
  const { returnTo = home } = flow ?? {};
  const failure = (why: SignInFailure): FinishSignInResult => ({
    status: 'failed',
    session: null,
    ...why,
    returnTo,
    forPerson,
    headers,
  });

  if (!flow || flow.expiresAt <= kit.now()) {
    const { session } = await kit.opener.reader.read(cookies);
    if (!session)
      return failure({ reason: flow ? 'expired' : flows.length > 0 ? 'state_mismatch' : 'no_pending_flow' });
    headers.set('location', home);
    return { status: 'already_signed_in', session, returnTo: home, headers };
  }

  const others = flows.filter((one) => one !== flow);
  const forgetFlow = async (): Promise<void> => {
    setCookies(headers, await writeFlows(kit, others, cookies));
  };
  const failed = async (why: SignInFailure): Promise<FinishSignInResult> => {
    await forgetFlow();
    return failure(why);
  };

  if (error !== null) {
    const secrets = [kit.apiKey, flow.codeVerifier, flow.pendingAuthenticationToken].filter(isText);
    return failed({
      reason: error === 'access_denied' ? 'denied' : 'rejected',
      error: quotable(error, secrets),
      errorDescription: errorDescription && quotable(errorDescription, secrets),
    });
  }
  if (!code) return failed({ reason: 'no_code' });

  const outcome = await redeem(kit, code, flow);
  if (outcome.kind === 'transient') {
    kit.report(outcome);
    return outcome.reason === 'service_refused'
      ? failed({ reason: outcome.reason, cause: outcome.cause })
      : { ...later({ ...outcome, reason: outcome.reason }), forPerson, headers };
  }
  if (outcome.kind === 'rejected') {
    const { code: error, message: errorDescription } = outcome.error;
    return failed(stepOf(outcome.error) ?? { reason: 'rejected', error, errorDescription });
  }
  const { tokens } = outcome;
  const sealed = sealedFrom(tokens);
  const checked = await kit.check(sealed);
  kit.report(checked);
  // The code is spent, but its answer is not lost: asked again with the same idempotency key, the service repeats it.
  if (checked.status === 'retry_later') return { ...later(checked), forPerson, headers };
  if (checked.status !== 'active')
    return failed({ reason: 'invalid_tokens', problem: checked.status === 'expired' ? 'expired' : checked.reason });
  try {
    setCookies(headers, await sessionCookies(kit, sealed, everySpelling(cookies, kit.cookie)));
  } catch (cause) {
    return failed({ reason: 'session_too_large', cause });
  }
  await forgetFlow();
  headers.set('location', returnTo);
  return { status: 'signed_in', session: checked.session, tokens, returnTo, headers };
}

/**
 * The service's answer to a code. Shared with whoever loads the page again: services that do not honour idempotency keys
 * answer a code that comes twice by ending its session.
 */
async function redeem(kit: SessionKit, code: string, flow: PendingFlow): Promise<GrantOutcome> {
  const { codeVerifier, pendingAuthenticationToken } = flow;
  const key = await codeKey(kit.ring.first().secret, code, codeVerifier);
  const grant = { grantType: 'authorization_code', code, codeVerifier, pendingAuthenticationToken } as const;
  return shared(kit, key, (flight) => kit.authenticate(grant, key, flight));
}

/** The flow that this state is of. Every flow is looked at and every letter of it, so that the time says nothing. */
function flowOf(flows: readonly PendingFlow[], state: string): PendingFlow | undefined {
  let found: PendingFlow | undefined;
  for (const flow of flows) {
    let difference = flow.state.length ^ state.length;
    for (let at = 0; at < flow.state.length; at++) difference |= flow.state.charCodeAt(at) ^ state.charCodeAt(at);
    if (difference === 0) found = flow;
  }
  return found;
}
