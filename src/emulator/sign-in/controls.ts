import { body, type Fields, maybe, optional, part, ref, string } from '../../service/describe/define.js';
import { post, put } from '../../service/describe/operation.js';
import { type Session, session } from '../../service/sessions.js';
import { users } from '../rooms/users/records.js';
import { control, type Methods } from '../server/control.js';
import type { World } from '../world/world.js';
import { issueAuthorizationCode } from './authorization-codes.js';
import { refuseOutsider } from './flow.js';
import {
  type AuthenticationPolicy,
  authenticationPolicy,
  type NewAuthenticationPolicy,
  newAuthenticationPolicy,
  setAuthenticationPolicy,
} from './policies.js';
import { expireSession, revokeSession, sessionView } from './sessions.js';
import { begin } from './sign-in.js';
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
  /** Why, in that person's words. */
  reason: maybe(string),
  /** Organization of the session; none when not given. */
  organizationId: optional(string),
});
/** Who wants to act as which user. */
export interface Impersonation extends Readonly<Fields<typeof impersonation>> {}

const issuedCode = part({
  /** For `authenticateWithCode`, good once and for ten minutes. */
  code: string,
});
/** A code for `authenticateWithCode`. */
export interface IssuedCode extends Readonly<Fields<typeof issuedCode>> {}

export const authenticationControls = {
  /**
   * Sign in a user without a browser, by the id or the email address of the user. The sign-in counts as if the user had proven everything
   * that it asks for: password or code, address, second factor. Answers the tokens and the id of the session, and emits the events of a
   * sign-in.
   *
   * @throws {Refusal} `entity_not_found`, `user_not_organization_member`, `organization_selection_required` for a member of several
   * organizations without `organizationId`, or what the organization of the address demands, such as
   * `organization_authentication_methods_required`.
   */
  signInAs: control(
    post('/_emulator/users/:id/sign_in', {
      body: ref<UnattendedSignIn>(unattendedSignIn),
      returns: ref<UnattendedSession>(unattendedSession),
    }),
    ({ world }, userIdOrEmail, options: UnattendedSignIn = {}) => signInAs(world, userIdOrEmail, options),
  ),
  /**
   * Act as a user: gives a code for `authenticateWithCode`, good once and for ten minutes.
   *
   * @throws {Refusal} `entity_not_found`, or `user_not_organization_member`.
   */
  impersonate: control(
    post('/_emulator/impersonations', {
      body: ref<Impersonation>(impersonation),
      returns: ref<IssuedCode>(issuedCode),
    }),
    ({ world }, impersonation) => ({ code: impersonate(world, impersonation) }),
  ),
  /**
   * Say how people with an address in one of an organization's verified domains have to sign in, in place of what was
   * said before; `{}` leaves it to them again. Sessions that run go on.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization.
   */
  setAuthenticationPolicy: control(
    put('/_emulator/organizations/:organization_id/authentication_policy', {
      body: ref<NewAuthenticationPolicy>(newAuthenticationPolicy),
      returns: ref<AuthenticationPolicy>(authenticationPolicy),
    }),
    ({ world }, organizationId, policy) => setAuthenticationPolicy(world, organizationId, policy),
  ),
  /**
   * End a session, as somebody does in the dashboard: it cannot be refreshed any more, and `session.revoked` is emitted. Access tokens
   * that are out work until they expire themselves, where they are checked without asking the service. Nothing happens to a
   * session that has ended.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  endSession: control(post('/_emulator/sessions/:id/end', { returns: ref<Session>(session) }), ({ world }, id) =>
    sessionView(world, revokeSession(world, id)),
  ),
  /**
   * Let one session run out now, as it does when nobody refreshes it for long. Access tokens that are out work until they
   * expire themselves: to see one expire soon, start with short ones (`accessTokenSeconds`). To end a session on purpose,
   * use `endSession`, or `revokeSession` of the client.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  expireSession: control(post('/_emulator/sessions/:id/expire', { returns: ref<Session>(session) }), ({ world }, id) =>
    sessionView(world, expireSession(world, id)),
  ),
};

/** What staff and administrators do about signing in, in the dashboard, and time to sessions. */
export interface AuthenticationControls extends Methods<typeof authenticationControls> {}

function impersonate(world: World, { userId, email, reason, organizationId }: Impersonation): string {
  world.of(users).get(userId);
  const place = { userId, organizationId: organizationId ?? null };
  refuseOutsider(world, place);
  const origin = { clientId: world.settings.clientId, ipAddress: null, userAgent: null };
  const impersonator = { email, reason: reason ?? null };
  const signIn = begin(origin, userId, 'Impersonation', { ...place, impersonator });
  return issueAuthorizationCode(world, { signIn, purpose: 'user_management' });
}
