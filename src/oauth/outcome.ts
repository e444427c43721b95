import { isText } from '../http/json.js';
import type { SignInStepCode } from '../service/flow-errors.js';

// What the service says to a request for tokens, and what follows from it.
//
// | outcome         | a session                        | a sign-in                                   |
// |-----------------|----------------------------------|---------------------------------------------|
// | `ok`            | continues with the new tokens    | is finished                                 |
// | `ended`         | ends                             | fails, or continues with the step of `body` |
// | `misconfigured` | is kept until the configuration  | fails: the configuration has to be corrected |
// |                 | is corrected                     |                                             |
// | `retry_later`   | is kept                          | can be repeated                             |
//
// All exceptions are marked with the word "Exception" below.

/** The outcome of a request for tokens, or of their use. */
export type Outcome<
  Good extends object,
  Reason extends string = UnansweredReason,
  End extends string = GrantErrorCode,
> = (Good & { readonly status: 'ok' }) | Ended<End> | Misconfigured | RetryLater<Reason>;

/** The last word of the service about this session or sign-in. Sending the same request again would not help. */
export interface Ended<End extends string = GrantErrorCode> {
  readonly status: 'ended';
  /** The service's error code, such as `invalid_grant` or `sso_required`. `sign_in_step_required` stands for an unlisted step. */
  readonly reason: End;
  /** The code as received. */
  readonly serviceCode?: string;
  /** The service's message, for logs rather than users. */
  readonly message: string | null;
  /** The body as received. `signInStepIn` reads the next step in it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly cause: Error;
  /** Exception: use this outcome instead if nothing else brings tokens, because another replica may have them: the shared store was down. */
  readonly uncertain?: RetryLater<'store_unavailable'>;
}

/** The service rejects the client: its client id, API key or URL. */
export interface Misconfigured {
  readonly status: 'misconfigured';
  /** The service's error code; may be empty. */
  readonly reason: string;
  readonly message: string | null;
  readonly cause: Error;
}

/** The outcome is not known yet. */
export interface RetryLater<Reason extends string> {
  readonly status: 'retry_later';
  readonly reason: Reason;
  readonly cause: unknown;
  /** Delay requested by the service in milliseconds; undefined if there is none. */
  readonly retryAfterMs: number | undefined;
}

/** Why the service has not given a final answer. */
export type UnansweredReason =
  /** The connection failed, perhaps after the service had handled the request. */
  'network_error' | 'timeout' | UnusableReason;

/** Why a response is not a final answer of the service. */
export type UnusableReason =
  /** Status 429. */
  | 'rate_limited'
  /** Status 408, 425 or 5xx. */
  | 'service_unavailable'
  /** A response that cannot come from the service, such as a proxy's page. */
  | 'unexpected_answer';

/** Create an outcome that is not known yet. */
export const retryLater = <Reason extends string>(
  reason: Reason,
  cause: unknown,
  retryAfterMs?: number,
): RetryLater<Reason> => ({ status: 'retry_later', reason, cause, retryAfterMs });

/** Errors that ask for another step of a sign-in. The compiler reports missing ones. */
const flowErrors: Readonly<Record<SignInStepCode, true>> = {
  organization_selection_required: true,
  sso_required: true,
  organization_authentication_methods_required: true,
  email_verification_required: true,
  mfa_challenge: true,
  mfa_enrollment: true,
  sign_in_step_required: true,
};

/** Whether a code asks for another step of a sign-in. */
export const isFlowError = (code: string): code is SignInStepCode => Object.hasOwn(flowErrors, code);

/** Whether a rejection asks for a step of a sign-in. Only such rejections have a pending token, also with unknown codes. */
export const asksForStep = (status: number, body: unknown): boolean =>
  [400, 401, 403, 422].includes(status) && isText(Object(body).pending_authentication_token);

/** Error codes of a refresh that end the session. */
export type RefreshEnd =
  /** The session was ended, or its refresh token has expired. */
  | 'invalid_grant'
  /** The user has left the organization of the session. */
  | 'user_not_organization_member'
  /** The user has to sign in again, for example with a connection, a second factor or another method. */
  | SignInStepCode;

/** Error code of a rejected token request. The service may add codes. */
export type GrantErrorCode = RefreshEnd | (string & {});

/** Exception: a refresh ends a session only with these codes. With any other, the application is `misconfigured`. */
export const isRefreshEnd = (code: string): code is RefreshEnd =>
  code === 'invalid_grant' || code === 'user_not_organization_member' || isFlowError(code);

/**
 * Exception: a refresh ahead of time. The current token still works, so ignore everything but a final answer. `invalid_grant` is not
 * final: another replica may have spent the refresh token, if the service ignores idempotency keys. A page keeps its token only with
 * `retry_later`.
 */
export const keepsCurrentToken = (outcome: Outcome<object, string>): boolean =>
  outcome.status === 'ended' ? outcome.reason === 'invalid_grant' : outcome.status !== 'ok';

/**
 * Exception: a switch to another organization. The session stays in its own, and the public status is `refused`. `invalid_grant` is
 * about the session itself. The browser client cannot tell, and reports every end of a switch as `refused`.
 */
export const isRefusedSwitch = (reason: RefreshEnd): reason is Exclude<RefreshEnd, 'invalid_grant'> =>
  reason !== 'invalid_grant';

/** Exception: in a page, a rejection without a code comes from a proxy or a captive portal, not from the service. */
export const isFromPortal = ({ status, reason }: { readonly status: string; readonly reason?: string }): boolean =>
  status === 'misconfigured' && reason === '';

/**
 * Exception: reasons to sign out that may be the fault of this replica, of its configuration or its clock. Other replicas may still
 * read the cookie, so it is kept. All other reasons clear it.
 */
export const replicaFaults = [
  'forged',
  'unknown_password',
  'not_yet_valid',
  'lives_too_long',
  'wrong_issuer',
  'wrong_audience',
  'wrong_client',
  'unknown_key',
] as const;
