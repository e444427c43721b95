import { admits, type ConnectionIdentity, notAdmitted, rememberProfile } from '../rooms/connections/profiles.js';
import { connections, type ProfileRecord } from '../rooms/connections/records.js';
import type { Answer } from '../server/answer.js';
import { countActivity } from '../server/rate-limiter.js';
import { type AuthorizationRecord, failAuthorization, finishAuthorization } from '../sign-in/authorizations.js';
import { acceptBySignIn, invitationOf } from '../sign-in/invited.js';
import { beginSignIn, type SignIn } from '../sign-in/sign-in.js';
import { connectionNotTrusted, emitSsoSuccess, proveBySso } from '../sign-in/sso-proof.js';
import type { World } from '../world/world.js';
import { advance } from './advance.js';

/**
 * Go on with an identity for which the identity provider of the authorization's connection vouches: send the user
 * back with a code, or an error, or to the hosted page of the next step.
 *
 * Users are made and joined to the connection's organization as they come; a profile alone needs no user.
 *
 * @throws {Refusal} 404 when the connection has gone meanwhile, 429 after too many.
 */
export function signInByConnection(
  world: World,
  authorization: AuthorizationRecord,
  identity: ConnectionIdentity,
): Answer {
  countActivity(world, 'sso_sign_in');
  const connection = world.of(connections).get(authorization.connectionId ?? '');
  if (connection.state !== 'active')
    return failAuthorization(
      world,
      authorization,
      'connection_unlinked',
      `The connection ${connection.id} is ${connection.state}, not active.`,
    );
  if (!admits(world, connection, identity.email))
    return failAuthorization(world, authorization, 'profile_not_allowed_outside_organization', notAdmitted);
  const profile = rememberProfile(world, connection.id, identity);
  if (authorization.purpose === 'sso') return finishWithProfile(world, authorization, profile);

  const signIn = proveBySso(world, authorization, connection, profile);
  if (!signIn) return failAuthorization(world, authorization, 'access_denied', connectionNotTrusted);
  return goOn(world, authorization, signIn);
}

/** Send the user back with a code for a profile. */
export function finishWithProfile(world: World, authorization: AuthorizationRecord, profile: ProfileRecord): Answer {
  const connection = world.of(connections).get(profile.connectionId);
  emitSsoSuccess(world, authorization, connection, null, profile.email);
  // A profile is signed in, and no user: applications that use SSO alone keep their users themselves.
  const signIn = beginSignIn(authorization, '', 'SSO', { connectionId: connection.id });
  return finishAuthorization(world, authorization, signIn, { profileId: profile.id });
}

/**
 * What has been proven elsewhere than at the hosted pages is settled with the code; else the pages ask for the rest.
 *
 * @throws {Refusal} 400 for an invitation to somebody else.
 */
export function goOn(world: World, authorization: AuthorizationRecord, signIn: SignIn): Answer {
  if (authorization.selector === 'hosted') return advance({ world, authorization }, signIn);
  return finishAuthorization(world, authorization, acceptBySignIn(world, signIn, invitationOf(world, authorization)));
}
