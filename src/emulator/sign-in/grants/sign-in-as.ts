import { uncheckedClaims } from '../../../crypto/access-token.js';
import { authenticationResponse } from '../../../service/authentication.js';
import { body, type Fields, maybe, oneOf, optional, part, ref, string } from '../../../service/describe/define.js';
import { admits, notAdmitted, upsertProfile } from '../../rooms/connections/profiles.js';
import { connections, profiles } from '../../rooms/connections/records.js';
import { ensureVerified, type UserRecord, userByEmail, users } from '../../rooms/users/records.js';
import { emailKeyOf } from '../../store/email-key.js';
import { badRequest, forbidden, notFound, unprocessableField } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import { endUser } from '../../world/actor.js';
import type { Memory } from '../../world/memory.js';
import { factors } from '../factors/factors.js';
import { type AttemptType, emitSuccess } from '../proof/attempts.js';
import { startAllowedSignIn } from '../proof/first-proof.js';
import { refusalByPolicy } from '../proof/policies.js';
import { choicesOf, nextStep, type Origin, organizationFor, type SignIn, startSignIn } from '../proof/sign-in.js';
import { connectionNotTrusted, proveBySso } from '../sso/sso-proof.js';
import { completeSignIn, flowError, requireMembership } from './flow.js';

const actingStaff = body({
  /** Email address of the member of staff. */
  email: string,
  /** Reason for acting as the user. */
  reason: maybe(string),
});
/** A member of staff who acts as a user. */
export interface ActingStaff extends Readonly<Fields<typeof actingStaff>> {}

export const unattendedSignIn = body({
  /** Organization of the session. Default: the user's only organization. Required for a member of several organizations. */
  organizationId: optional(string),
  /** How the user signs in. Default: the first allowed method of password, emailed code, social provider and SSO. */
  authenticationMethod: optional(
    oneOf('Password', 'MagicAuth', 'SSO', 'Passkey', 'AppleOAuth', 'GitHubOAuth', 'GoogleOAuth', 'MicrosoftOAuth'),
  ),
  /** The member of staff who acts as the user, instead of a method. */
  impersonator: optional(ref<ActingStaff>(actingStaff)),
  /** The user's IP address, for the session and the events. */
  ipAddress: optional(string),
  /** The user's browser, for the session and the events. */
  userAgent: optional(string),
});
/** How a user signs in without a browser. */
export interface UnattendedSignIn extends Readonly<Fields<typeof unattendedSignIn>> {}

export const unattendedSession = part({
  ...authenticationResponse.shape,
  /** Id of the session, for `endSession`, `expireSession` and `revokeSession`. */
  sessionId: string,
});
/** The user, the tokens and the id of the session after a sign-in without a browser. */
export interface UnattendedSession extends Fields<typeof unattendedSession> {}

/**
 * Sign in a user, given by id or email address, as if the user had given every required proof. Emits the events of the sign-in:
 * password or code, email verification, second factor. An error changes nothing.
 *
 * @throws {EmulatorRefusal} 404 for an unknown user; 403 `user_not_organization_member` or `organization_selection_required`; the errors
 * of a policy, as in responses of `authenticate`.
 */
export async function signInAs(
  dashboardMemory: Memory,
  userIdOrEmail: string,
  options: UnattendedSignIn,
): Promise<View<UnattendedSession>> {
  // In events, the actor must be the user, not the dashboard.
  const memory = dashboardMemory.as(endUser);
  const user = memory.of(users).find(userIdOrEmail) ?? userByEmail(memory, userIdOrEmail);
  if (!user) throw notFound('user', userIdOrEmail, 'id or email address');
  const answer = await completeSignIn(memory, proveEverything(memory, user, options));
  // Every access token of the emulator contains a `sid`.
  return { ...answer, sessionId: uncheckedClaims(answer.accessToken).sid! };
}

/** Give every proof that the sign-in of a user requires. @throws {EmulatorRefusal} If the sign-in is not possible. */
function proveEverything(
  memory: Memory,
  user: UserRecord,
  { organizationId, authenticationMethod: method, ...options }: UnattendedSignIn,
): SignIn {
  const { id: userId } = user;
  const { impersonator } = options;
  const origin = {
    clientId: memory.settings.clientId,
    ipAddress: options.ipAddress ?? null,
    userAgent: options.userAgent ?? null,
  };
  const target = { organizationId: organizationId ?? null };
  requireMembership(memory, { userId, ...target });
  if (impersonator) {
    if (method !== undefined)
      throw unprocessableField('authentication_method', 'invalid_value', 'must be left out if impersonator is set');
    return startSignIn(origin, userId, 'Impersonation', {
      ...target,
      impersonator: { email: impersonator.email, reason: impersonator.reason ?? null },
    });
  }
  const signIn = {
    ...(method === undefined
      ? startAllowedSignIn(memory, origin, userId)
      : startSignIn(origin, userId, method, { secondFactor: true })),
    ...target,
  };
  const policyStep = refusalByPolicy(memory, user.email, signIn);
  if (method === 'SSO' || (method === undefined && policyStep))
    return { ...proveThroughConnection(memory, origin, user, signIn), ...(organizationId && target) };
  if (policyStep) throw flowError(memory, signIn, policyStep);
  requireOneOrganization(memory, signIn);
  proveWithoutSso(memory, user, signIn);
  return signIn;
}

/** Refuse a sign-in that still has to choose between organizations. @throws {EmulatorRefusal} 403. */
function requireOneOrganization(memory: Memory, signIn: SignIn): void {
  const choices = choicesOf(memory, signIn);
  if (choices.length === 0) return;
  const names = choices.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw forbidden(
    'organization_selection_required',
    `The user belongs to several organizations: ${names}. Pass organizationId to choose one`,
    { organizations: choices.map(({ id, name }) => ({ id, name })) },
  );
}

const attemptTypes: Readonly<Record<string, AttemptType>> = {
  Password: 'password',
  MagicAuth: 'magic_auth',
  Passkey: 'passkey',
};

/** Emit the events of a sign-in without SSO, and verify the user's address if the sign-in requires it. */
function proveWithoutSso(memory: Memory, user: UserRecord, signIn: SignIn): void {
  const { method, ipAddress, userAgent } = signIn;
  const { id: userId, email } = user;
  const emit = (type: AttemptType) => emitSuccess(memory, { type, userId, email, ipAddress, userAgent });
  const type = attemptTypes[method] ?? 'oauth';
  // An emailed code proves the address, and social providers have verified it.
  if (type === 'magic_auth' || type === 'oauth') ensureVerified(memory, user);
  emit(type);
  if (nextStep(memory, signIn).kind === 'email_verification_required') {
    ensureVerified(memory, user);
    emit('email_verification');
  }
  if (memory.of(factors).where('userId', userId).values().length > 0) emit('mfa');
}

/**
 * Sign the user in through a connection: one that the policy for the address names, or else one of the organization.
 *
 * @throws {EmulatorRefusal} If none is usable.
 */
function proveThroughConnection(memory: Memory, origin: Origin, user: UserRecord, signIn: SignIn): SignIn {
  const connection = memory.of(connections).get(connectionFor(memory, user, signIn));
  if (!admits(memory, connection, user.email)) throw forbidden('profile_not_allowed_outside_organization', notAdmitted);
  const { email, emailKey, firstName, lastName } = user;
  const known = memory
    .of(profiles)
    .where('connectionId', connection.id)
    .find((profile) => emailKeyOf(profile.email) === emailKey);
  const profile = known ?? upsertProfile(memory, connection.id, { email, firstName, lastName });
  const proven = proveBySso(memory, origin, connection, profile);
  if (proven?.userId !== user.id) throw forbidden('access_denied', connectionNotTrusted);
  return proven;
}

/** Choose the connection for a user, and return its id. @throws {EmulatorRefusal} 400 `sso_connection_missing`, 403. */
function connectionFor(memory: Memory, user: UserRecord, signIn: SignIn): string {
  const policyStep = refusalByPolicy(memory, user.email, { method: 'SSO', connectionId: null });
  if (policyStep) {
    const [id] = policyStep.kind === 'sso_required' ? policyStep.connectionIds : policyStep.ssoConnectionIds;
    if (id === undefined) throw flowError(memory, signIn, policyStep);
    return id;
  }
  requireOneOrganization(memory, signIn);
  const organizationId = organizationFor(memory, signIn);
  const [active] = memory
    .of(connections)
    .where('organizationId', organizationId ?? '')
    .filter(({ state }) => state === 'active');
  if (active) return active.id;
  throw badRequest(
    'sso_connection_missing',
    organizationId === null
      ? 'SSO requires an organization, but the user is not a member of any. Add the user to an organization, or leave out authenticationMethod'
      : `The organization ${JSON.stringify(organizationId)} has no active connection. Create or activate one, or leave out authenticationMethod`,
  );
}
