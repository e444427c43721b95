import { users } from '../rooms/users/records.js';
import type { World } from '../world/world.js';
import { issueAuthorizationCode } from './authorization-codes.js';
import { refuseOutsider } from './flow.js';
import { type AuthenticationPolicy, type NewAuthenticationPolicy, setAuthenticationPolicy } from './policies.js';
import { begin } from './sign-in.js';

/** Who wants to act as which user. */
export interface Impersonation {
  readonly userId: string;
  /** The member of staff. */
  readonly email: string;
  /** Why, in that person's words. */
  readonly reason?: string | null | undefined;
  /** Organization of the session; none when not given. */
  readonly organizationId?: string | undefined;
}

/** What staff and administrators do about signing in, in the dashboard. */
export interface AuthenticationControls {
  /**
   * Act as a user: gives a code for `authenticateWithCode`, good once and for ten minutes.
   *
   * @throws {Refusal} `entity_not_found`, or `user_not_organization_member`.
   */
  impersonate(impersonation: Impersonation): Promise<{ readonly code: string }>;
  /**
   * Say how people with an address in one of an organization's verified domains have to sign in, in place of what was
   * said before; `{}` leaves it to them again. Sessions that run go on.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization.
   */
  setAuthenticationPolicy(organizationId: string, policy: NewAuthenticationPolicy): Promise<AuthenticationPolicy>;
}

/** The controls of signing in in whatever world there is when they are used. */
export const authenticationControls = (world: () => World): AuthenticationControls => ({
  impersonate: async (impersonation) => ({ code: impersonate(world(), impersonation) }),
  setAuthenticationPolicy: async (organizationId, policy) => setAuthenticationPolicy(world(), organizationId, policy),
});

function impersonate(world: World, { userId, email, reason, organizationId }: Impersonation): string {
  world.of(users).get(userId);
  const place = { userId, organizationId: organizationId ?? null };
  refuseOutsider(world, place);
  const origin = { clientId: world.settings.clientId, ipAddress: null, userAgent: null };
  const impersonator = { email, reason: reason ?? null };
  const signIn = begin(origin, userId, 'Impersonation', { ...place, impersonator });
  return issueAuthorizationCode(world, { signIn, purpose: 'user_management' });
}
