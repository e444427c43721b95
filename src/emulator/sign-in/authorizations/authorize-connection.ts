import type { Answer } from '../../http/answer.js';
import { admits, type ConnectionIdentity, notAdmitted, upsertProfile } from '../../rooms/connections/profiles.js';
import { connections, type ProfileRecord } from '../../rooms/connections/records.js';
import { countActivity } from '../../rooms/rate-limits/rate-limiter.js';
import type { Memory } from '../../world/memory.js';
import { startSignIn } from '../proof/sign-in.js';
import { connectionNotTrusted, emitSsoSuccess, proveBySso } from '../sso/sso-proof.js';
import { type AuthorizationRecord, completeAuthorization, failAuthorization } from './authorizations.js';
import { continueAuthorization } from './continue-authorization.js';

/**
 * Sign in with an identity from the identity provider of the authorization's connection. Redirects to the application with a code
 * or an error. Returns undefined if a page must ask for the next step.
 *
 * Creates the user and the membership if needed. For a profile, neither is needed.
 *
 * @throws {EmulatorRefusal} 404 if the connection has been deleted meanwhile, 429 after too many sign-ins.
 */
export function signInByConnection(
  memory: Memory,
  authorization: AuthorizationRecord,
  identity: ConnectionIdentity,
): Answer | undefined {
  countActivity(memory, 'sso_sign_in');
  const connection = memory.of(connections).get(authorization.connectionId ?? '');
  if (connection.state !== 'active')
    return failAuthorization(
      memory,
      authorization,
      'connection_unlinked',
      `The connection ${connection.id} is ${connection.state}, not active.`,
    );
  if (!admits(memory, connection, identity.email))
    return failAuthorization(memory, authorization, 'profile_not_allowed_outside_organization', notAdmitted);
  const profile = upsertProfile(memory, connection.id, identity);
  if (authorization.purpose === 'sso') return completeWithProfile(memory, authorization, profile);

  const signIn = proveBySso(memory, authorization, connection, profile);
  if (!signIn) return failAuthorization(memory, authorization, 'access_denied', connectionNotTrusted);
  return continueAuthorization(memory, authorization, signIn);
}

/** Send the user back with a code for a profile. */
export function completeWithProfile(
  memory: Memory,
  authorization: AuthorizationRecord,
  profile: ProfileRecord,
): Answer {
  const connection = memory.of(connections).get(profile.connectionId);
  emitSsoSuccess(memory, authorization, connection, null, profile.email);
  // The user id is empty, because applications that use only SSO manage their users themselves.
  const signIn = startSignIn(authorization, '', 'SSO', { connectionId: connection.id });
  return completeAuthorization(memory, authorization, signIn, { profileId: profile.id });
}
