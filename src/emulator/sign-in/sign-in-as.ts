import { uncheckedClaims } from '../../crypto/unchecked-claims.js';
import { authenticationResponse } from '../../service/authentication.js';
import { body, type Fields, maybe, oneOf, optional, part, ref, string } from '../../service/describe/define.js';
import { admits, notAdmitted, rememberProfile } from '../rooms/connections/profiles.js';
import { connections, profiles } from '../rooms/connections/records.js';
import { ensureVerified, type UserRecord, userByEmail, users } from '../rooms/users/records.js';
import { endUser } from '../world/actor.js';
import { emailKeyOf } from '../world/email-key.js';
import { badRequest, forbidden, notFound, unprocessableField } from '../world/refusal.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import { type AttemptType, emitSuccess } from './attempts.js';
import { factors } from './factors.js';
import { beginWhereAllowed } from './first-proof.js';
import { flowError, proceed, refuseOutsider } from './flow.js';
import { refusalByPolicy } from './policies.js';
import { begin, choicesOf, nextStep, type Origin, organizationFor, type SignIn } from './sign-in.js';
import { cannotSpeakFor, proveBySso } from './sso-proof.js';

const actingStaff = body({
  /** Email address of the member of staff. */
  email: string,
  /** Why, in that person's words. */
  reason: maybe(string),
});
/** The member of staff who acts as a user. */
export interface ActingStaff extends Readonly<Fields<typeof actingStaff>> {}

export const unattendedSignIn = body({
  /** Organization of the session. The only one of the user when not given; whoever is a member of several has to be given one. */
  organizationId: optional(string),
  /** How the user signs in. When not given, the first way that is allowed: by password, by a code, elsewhere, or by SSO. */
  authenticationMethod: optional(
    oneOf('Password', 'MagicAuth', 'SSO', 'Passkey', 'AppleOAuth', 'GitHubOAuth', 'GoogleOAuth', 'MicrosoftOAuth'),
  ),
  /** The member of staff who acts as the user, instead of a method. */
  impersonator: optional(ref<ActingStaff>(actingStaff)),
  /** The user's address, for session and events. */
  ipAddress: optional(string),
  /** The user's browser, for session and events. */
  userAgent: optional(string),
});
/** How a user signs in without a browser. */
export interface UnattendedSignIn extends Readonly<Fields<typeof unattendedSignIn>> {}

export const unattendedSession = part({
  ...authenticationResponse.shape,
  /** Id of the session, for `endSession`, `expireSession` and `revokeSession`. */
  sessionId: string,
});
/** A user who has signed in without a browser, and the session with its tokens. */
export interface UnattendedSession extends Fields<typeof unattendedSession> {}

/**
 * Sign in a user, given by id or email address, as if they had proven everything that the sign-in asks for. Emits the events of that sign-in: password
 * or code, the mail that verifies the address, the second factor. A refusal changes nothing.
 *
 * @throws {Refusal} 404 for an unknown user; 403 `user_not_organization_member` or `organization_selection_required`; what the
 * organization of the address demands, as `authenticate` says it.
 */
export async function signInAs(
  onBehalf: World,
  userIdOrEmail: string,
  options: UnattendedSignIn,
): Promise<View<UnattendedSession>> {
  // Events name the user as the actor, not the dashboard.
  const world = onBehalf.by(endUser);
  const user = world.of(users).find(userIdOrEmail) ?? userByEmail(world, userIdOrEmail);
  if (!user) throw notFound('user', userIdOrEmail, 'id or email address');
  const answer = await proceed(world, proofOf(world, user, options));
  // Every access token of the emulator names its session.
  return { ...answer, sessionId: uncheckedClaims(answer.accessToken).sid! };
}

/** Prove everything that the sign-in of a user asks for. @throws {Refusal} */
function proofOf(
  world: World,
  user: UserRecord,
  { organizationId, authenticationMethod: method, ...options }: UnattendedSignIn,
): SignIn {
  const { id: userId } = user;
  const { impersonator } = options;
  const origin = {
    clientId: world.settings.clientId,
    ipAddress: options.ipAddress ?? null,
    userAgent: options.userAgent ?? null,
  };
  const place = { organizationId: organizationId ?? null };
  refuseOutsider(world, { userId, ...place });
  if (impersonator) {
    if (method !== undefined)
      throw unprocessableField('authentication_method', 'invalid_value', 'must be left out beside impersonator');
    return begin(origin, userId, 'Impersonation', {
      ...place,
      impersonator: { email: impersonator.email, reason: impersonator.reason ?? null },
    });
  }
  const signIn = {
    ...(method === undefined
      ? beginWhereAllowed(world, origin, userId)
      : begin(origin, userId, method, { secondFactor: true })),
    ...place,
  };
  const objection = refusalByPolicy(world, user.email, signIn);
  if (method === 'SSO' || (method === undefined && objection))
    return { ...proveByConnection(world, origin, user, signIn), ...(organizationId && place) };
  if (objection) throw flowError(world, signIn, objection);
  refuseUndecided(world, signIn);
  proveByThemselves(world, user, signIn);
  return signIn;
}

/** Refuse to choose an organization for the user. @throws {Refusal} 403. */
function refuseUndecided(world: World, signIn: SignIn): void {
  const choices = choicesOf(world, signIn);
  if (choices.length === 0) return;
  const names = choices.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw forbidden(
    'organization_selection_required',
    `The user belongs to several organizations: ${names}. Say with organizationId which of them the session is in`,
    { organizations: choices.map(({ id, name }) => ({ id, name })) },
  );
}

const attemptTypes: Readonly<Record<string, AttemptType>> = {
  Password: 'password',
  MagicAuth: 'magic_auth',
  Passkey: 'passkey',
};

/** Emit what somebody proves who signs in without an identity provider, and verify the address where that is asked for. */
function proveByThemselves(world: World, user: UserRecord, signIn: SignIn): void {
  const { method, ipAddress, userAgent } = signIn;
  const { id: userId, email } = user;
  const emit = (type: AttemptType) => emitSuccess(world, { type, userId, email, ipAddress, userAgent });
  const type = attemptTypes[method] ?? 'oauth';
  // Whoever gets the code reads the mail, and providers have verified the address.
  if (type === 'magic_auth' || type === 'oauth') ensureVerified(world, user);
  emit(type);
  if (nextStep(world, signIn).kind === 'email_verification') {
    ensureVerified(world, user);
    emit('email_verification');
  }
  if (world.of(factors).where('userId', userId).values().length > 0) emit('mfa');
}

/** Have a connection vouch for a user: one that the policy for the address names, or else one of the organization. @throws {Refusal} */
function proveByConnection(world: World, origin: Origin, user: UserRecord, signIn: SignIn): SignIn {
  const connection = world.of(connections).get(connectionFor(world, user, signIn));
  if (!admits(world, connection, user.email)) throw forbidden('profile_not_allowed_outside_organization', notAdmitted);
  const { email, emailKey, firstName, lastName } = user;
  const known = world
    .of(profiles)
    .where('connectionId', connection.id)
    .find((profile) => emailKeyOf(profile.email) === emailKey);
  const profile = known ?? rememberProfile(world, connection.id, { email, firstName, lastName });
  const proven = proveBySso(world, origin, connection, profile);
  if (proven?.userId !== user.id) throw forbidden('access_denied', cannotSpeakFor);
  return proven;
}

/** The id of the connection by which a user signs in. @throws {Refusal} 400 `sso_connection_missing`, 403. */
function connectionFor(world: World, user: UserRecord, signIn: SignIn): string {
  const objection = refusalByPolicy(world, user.email, { method: 'SSO', connectionId: null });
  if (objection) {
    const [id] = objection.kind === 'sso_required' ? objection.connectionIds : objection.ssoConnectionIds;
    if (id === undefined) throw flowError(world, signIn, objection);
    return id;
  }
  refuseUndecided(world, signIn);
  const organizationId = organizationFor(world, signIn);
  const [active] = world
    .of(connections)
    .where('organizationId', organizationId ?? '')
    .filter(({ state }) => state === 'active');
  if (active) return active.id;
  throw badRequest(
    'sso_connection_missing',
    organizationId === null
      ? 'The user is in no organization, and so no connection can vouch for them. Make the user a member, or leave out authenticationMethod'
      : `The organization ${JSON.stringify(organizationId)} has no active connection that could vouch for the user. Create or activate one, or leave out authenticationMethod`,
  );
}
