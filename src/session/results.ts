import type { RefreshEnd } from '../oauth/flow-errors.js';
import type { SignedOutReason } from './reader.js';
import type { TransientReason } from './service.js';
import type { CurrentSession } from './session.js';

/** Why nobody is signed in: what the cookie showed, or what the service said to the refresh. */
export type SessionEnd = SignedOutReason | RefreshEnd;

/** Why it is not known whether somebody is signed in. */
export type RetryReason =
  | TransientReason
  /** The service's keys could not be fetched, or it signs with one that it does not publish yet. */
  | 'keys_unavailable'
  /** The refreshed session is too large for cookies; `cause` names its heaviest fields. */
  | 'session_too_large';

/** Somebody is signed in. */
export interface ActiveResult {
  /** `refreshed` when the tokens are new: the headers then carry the new cookie, and have to reach the browser. */
  readonly status: 'active' | 'refreshed';
  readonly session: CurrentSession;
  /** `Set-Cookie`, and the `Cache-Control` that goes with it; empty most of the time. */
  readonly headers: Headers;
}

/** Nobody is signed in. */
export interface SignedOutResult {
  readonly status: 'signed_out';
  readonly session: null;
  readonly reason: SessionEnd;
  /** Clears the cookie where it will never be good for anything again; `Cache-Control` goes with that. */
  readonly headers: Headers;
}

/** Not known at the moment: keep the cookie, and answer with status 503 or as for a stranger. */
export interface RetryLaterResult {
  readonly status: 'retry_later';
  readonly session: null;
  readonly reason: RetryReason;
  /** Milliseconds after which another request is worth it. */
  readonly retryAfterMs: number;
  /** What went wrong, for your logs. Holds no token, cookie or key. */
  readonly cause: unknown;
  /** Empty. */
  readonly headers: Headers;
}

/** What `handle` gives; `session` is null unless somebody is signed in. */
export type HandleResult = ActiveResult | SignedOutResult | RetryLaterResult;

/**
 * What middleware leaves for handlers: on the request, in Hono's variables, or where else a framework has a place for it.
 *
 * @example
 * declare module 'h3' {
 *   interface H3EventContext extends WithSession {}
 * }
 */
export interface WithSession {
  /** Who is signed in; `auth.session` is null for nobody. */
  auth: HandleResult;
}
