import { body, type Fields, maybe, optional, part, ref, string } from '../../../service/describe/define.js';
import { post, put } from '../../../service/describe/operation.js';
import { type Session, session } from '../../../service/sessions.js';
import { control } from '../../http/control.js';
import { users } from '../../rooms/users/records.js';
import type { Memory } from '../../world/memory.js';
import { issueAuthorizationCode } from '../codes/authorization-codes.js';
import {
  type AuthenticationPolicy,
  authenticationPolicy,
  type NewAuthenticationPolicy,
  newAuthenticationPolicy,
  setAuthenticationPolicy,
} from '../proof/policies.js';
import { startSignIn } from '../proof/sign-in.js';
import { expireSession, revokeSession, sessionView } from '../sessions/sessions.js';
import { requireMembership } from './flow.js';
import {
  signInAs,
  type UnattendedSession,
  type UnattendedSignIn,
  unattendedSession,
  unattendedSignIn,
} from './sign-in-as.js';

const impersonation = body({
  /** User to act as. */
  userId: string,
  /** Email address of the member of staff. */
  email: string,
  /** Reason for acting as the user. */
  reason: maybe(string),
  /** Organization of the session; none by default. */
  organizationId: optional(string),
});
/** An impersonation: the user, and the member of staff who acts as the user. */
export interface Impersonation extends Readonly<Fields<typeof impersonation>> {}

const issuedCode = part({
  /** Code for `authenticateWithCode`. It works once, within ten minutes. */
  code: string,
});
/** A code for `authenticateWithCode`. */
export interface IssuedCode extends Readonly<Fields<typeof issuedCode>> {}

/** Controls for sign-ins without a browser, impersonation, authentication policies, and the end of sessions. */
export const authenticationControls = {
  /**
   * Sign in a user, given by id or email address, without a browser. Every required proof is assumed: password or code, email
   * verification, second factor. Returns the tokens and the id of the session, and emits the events of a sign-in.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `user_not_organization_member`, `organization_selection_required` for a member of
   * several organizations without `organizationId`, or an error of the organization's policy, such as
   * `organization_authentication_methods_required`.
   */
  signInAs: control(
    post('/_emulator/users/:id/sign_in', {
      body: ref<UnattendedSignIn>(unattendedSignIn),
      returns: ref<UnattendedSession>(unattendedSession),
    }),
    ({ memory }, userIdOrEmail, options: UnattendedSignIn = {}) => signInAs(memory, userIdOrEmail, options),
  ),
  /**
   * Impersonate a user. Returns a code for `authenticateWithCode`. The code works once, within ten minutes.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, or `user_not_organization_member`.
   */
  impersonate: control(
    post('/_emulator/impersonations', {
      body: ref<Impersonation>(impersonation),
      returns: ref<IssuedCode>(issuedCode),
    }),
    ({ memory }, impersonation) => ({ code: impersonate(memory, impersonation) }),
  ),
  /**
   * Replace an organization's authentication policy: how users with an address in one of its verified domains must sign in.
   * `{}` removes all requirements. Active sessions are not affected.
   *
   * @throws {EmulatorRefusal} `entity_not_found` for an unknown organization.
   */
  setAuthenticationPolicy: control(
    put('/_emulator/organizations/:organization_id/authentication_policy', {
      body: ref<NewAuthenticationPolicy>(newAuthenticationPolicy),
      returns: ref<AuthenticationPolicy>(authenticationPolicy),
    }),
    ({ memory }, organizationId, policy) => setAuthenticationPolicy(memory, organizationId, policy),
  ),
  /**
   * End a session, as in the dashboard: it can no longer be refreshed, and `session.revoked` is emitted. Access tokens already
   * issued work until they expire, unless the application asks the service. Does nothing if the session has already ended.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  endSession: control(post('/_emulator/sessions/:id/end', { returns: ref<Session>(session) }), ({ memory }, id) =>
    sessionView(memory, revokeSession(memory, id)),
  ),
  /**
   * Make a session expire now, as if it had not been refreshed for a long time. Access tokens already issued work until they
   * expire. To test their expiry, set `accessTokenLifetimeMs` to a small value. To revoke a session, use `endSession`, or
   * `revokeSession` of the client.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  expireSession: control(post('/_emulator/sessions/:id/expire', { returns: ref<Session>(session) }), ({ memory }, id) =>
    sessionView(memory, expireSession(memory, id)),
  ),
};

function impersonate(memory: Memory, { userId, email, reason, organizationId }: Impersonation): string {
  memory.of(users).get(userId);
  const target = { userId, organizationId: organizationId ?? null };
  requireMembership(memory, target);
  const origin = { clientId: memory.settings.clientId, ipAddress: null, userAgent: null };
  const impersonator = { email, reason: reason ?? null };
  const signIn = startSignIn(origin, userId, 'Impersonation', { ...target, impersonator });
  return issueAuthorizationCode(memory, { signIn, purpose: 'user_management' });
}
