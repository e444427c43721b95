import type { AccessTokenClaims } from '../crypto/access-token.js';
import type { SessionProblem } from './problem-texts.js';

/** What has ended a session before its access token. */
export type RevocationReason =
  /** The session was ended at the service. */
  | 'session_revoked'
  /** The user is gone. */
  | 'user_deleted';

/** What a session is whose access token was good when it was issued. */
export type RevokedResult<Session> =
  | {
      /** The claims are outdated: a refresh brings new ones, or ends the session. */
      readonly status: 'expired';
      readonly session: Session;
      readonly reason?: undefined;
    }
  | {
      /** The session is over. */
      readonly status: 'signed_out';
      readonly session: null;
      readonly reason: RevocationReason;
    };

/** What was revoked or is outdated before the tokens that say otherwise end: what `followRevocations` gives. */
export interface Revocations {
  /** Says what has become of a session whose token was checked. Asked at every check, so it answers at once; nothing for null. */
  find<Session extends { readonly claims: AccessTokenClaims }>(
    session: Session | null,
  ): RevokedResult<Session> | undefined;
  /**
   * Says a number that is another one whenever more may be revoked than before. A session that is remembered is looked for again only then;
   * without it, at every check.
   */
  version?(): number;
  /** Reports to a listener, where there is one, once whenever nothing was heard for too long. */
  report(listener: ((problem: SessionProblem) => void) | undefined): void;
}
