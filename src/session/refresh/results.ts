import type { RefreshEnd, UnusableReason } from '../../oauth/outcome.js';
import type { SignedOutReason } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';

/** Why the user is not signed in: a reason found in the cookie, or the response to the refresh. */
export type SessionEnd = SignedOutReason | RefreshEnd;

/** Why the response of the service is not known. */
export type TransientReason =
  /** The connection failed, perhaps after the service had handled the request. */
  | 'network_error'
  | 'timeout'
  | UnusableReason
  /** The service rejects the client id, the API key or the URL: the configuration is wrong, not the session. */
  | 'service_refused'
  /** Another process has held the lock of the refresh for too long, or the service refused a refresh while the store was down. */
  | 'store_unavailable';

/** Why the session cannot be checked right now. */
export type RetryReason =
  | TransientReason
  /** The keys of the service could not be fetched, or it signs with a key that it has not published yet. */
  | 'keys_unavailable'
  /** The refreshed session is too large for cookies; `cause` names its largest fields. */
  | 'session_too_large';

/** Message of the diagnostics channel `sallyport:session:refresh`: a request has refreshed its session, or tried to. */
export interface SessionRefreshRecord {
  readonly durationMs: number;
  /** `ended`: the service ended the session. `misconfigured`: it rejects the application. */
  readonly outcome: 'ok' | 'ended' | 'misconfigured' | 'retry_later';
  /** Why the session was not refreshed. */
  readonly reason: RefreshEnd | RetryReason | undefined;
  /** Whether it sent no request for tokens itself, because it used the outcome of another refresh, of this process or in the store. */
  readonly shared: boolean;
}

/** Message of the diagnostics channel `sallyport:session:result`: `handle` has found no session, or cannot check it right now. */
export interface SessionResultRecord {
  readonly status: 'signed_out' | 'retry_later';
  readonly reason: SessionEnd | RetryReason;
}

/** The user is signed in. */
export interface ActiveResult {
  /** `refreshed` if there are new tokens. The headers then contain the new cookie and must reach the browser. */
  readonly status: 'active' | 'refreshed';
  readonly session: CurrentSession;
  /** `Set-Cookie` with its `Cache-Control`. Usually empty. */
  readonly headers: Headers;
}

/** The user is not signed in. */
export interface SignedOutResult {
  readonly status: 'signed_out';
  readonly session: null;
  readonly reason: SessionEnd;
  /** Headers that clear the cookie and prevent shared caching, if the cookie can never become valid again; otherwise empty. */
  readonly headers: Headers;
}

/** The session cannot be checked right now: keep the cookie, and respond with status 503 or as if the user were signed out. */
export interface RetryLaterResult {
  readonly status: 'retry_later';
  readonly session: null;
  readonly reason: RetryReason;
  /** Milliseconds to wait before another request. */
  readonly retryAfterMs: number;
  /** The error, for your logs. Contains no tokens, cookies or keys. */
  readonly cause: unknown;
  /** Always empty. */
  readonly headers: Headers;
}

/** Result of `handle`. `session` is null unless the user is signed in. */
export type HandleResult = ActiveResult | SignedOutResult | RetryLaterResult;

/**
 * The value that middleware provides to handlers: on the request, in Hono's variables, or in the context of the framework.
 *
 * @example
 * declare module 'h3' {
 *   interface H3EventContext extends WithSession {}
 * }
 */
export interface WithSession {
  /** The result for the session cookie; `auth.session` is null if the user is not signed in. */
  auth: HandleResult;
}
