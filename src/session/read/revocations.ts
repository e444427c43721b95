import type { AccessTokenClaims } from '../../crypto/access-token.js';
import type { IssuedClaims } from '../../crypto/token-order.js';
import type { SessionProblem } from './problem-texts.js';

/** Why a session ended before its access token expired. */
export type RevocationReason =
  /** The session was ended in the service. */
  | 'session_revoked'
  /** The user was deleted. */
  | 'user_deleted';

/** Result for a revoked or outdated session whose access token is still valid. */
export type RevokedResult<Session> =
  | {
      /** The claims are outdated. A refresh returns new ones or ends the session. */
      readonly status: 'expired';
      readonly session: Session;
      readonly reason?: undefined;
    }
  | {
      /** The session has ended. */
      readonly status: 'signed_out';
      readonly session: null;
      readonly reason: RevocationReason;
    };

/** A change that this process has made to a session. */
export type SessionChange =
  /** The user has signed out. */
  | { readonly kind: 'ended'; readonly sessionId: string }
  /** The session has switched to another organization, with a token of these claims. */
  | { readonly kind: 'switched'; readonly claims: IssuedClaims };

/** Sessions that were revoked, or whose claims are outdated, before their tokens expire. Created by `followRevocations`. */
export interface Revocations {
  /** Find out whether a session was revoked. Called on every check, so it must be synchronous. Returns undefined for null. */
  find<Session extends { readonly claims: AccessTokenClaims }>(
    session: Session | null,
  ): RevokedResult<Session> | undefined;
  /**
   * Get a number that changes whenever more sessions may be revoked. Cached sessions are checked again only after a change;
   * without this method, on every hit.
   */
  version?(): number;
  /** Learn what this process has changed, and tell the other replicas. Resolves when they can know it. */
  note?(change: SessionChange): Promise<void>;
  /**
   * Whether a token is older than the last switch of its session to another organization. Then no response sets its cookie any more.
   * Must be synchronous.
   */
  isReplaced?(claims: IssuedClaims): boolean;
  /** Set the listener that is called once whenever no revocations have arrived for too long. */
  onStale(listener: ((problem: SessionProblem) => void) | undefined): void;
}
