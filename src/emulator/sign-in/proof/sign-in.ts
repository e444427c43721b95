import { type Impersonator, impersonator, type OauthTokens, oauthTokens } from '../../../service/authentication.js';
import { boolean, nullable, number, open, optional, part, ref, string } from '../../../service/describe/define.js';
import type { OrganizationChoice } from '../../../service/flow-errors.js';
import { memberships } from '../../rooms/memberships/records.js';
import { organizations } from '../../rooms/organizations/records.js';
import { users } from '../../rooms/users/records.js';
import type { Stored, View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { type FactorRecord, factors } from '../factors/factors.js';
import { type AuthMethods, refusalByPolicy, requiresSecondFactor } from './policies.js';

/** How a user signs in: a value of `authentication_method`. For a social provider, this is its name, such as `GoogleOAuth`. */
export type SignInMethod = 'Password' | 'MagicAuth' | 'SSO' | 'Passkey' | 'Impersonation' | (string & {});

const origin = part({
  clientId: string,
  /** The user's IP address. */
  ipAddress: nullable(string),
  /** The user's browser. */
  userAgent: nullable(string),
});
/** The client of a sign-in, and the address and browser of the user. */
export interface Origin extends Stored<typeof origin> {}
/** Description of the fields of `Origin`. */
export const originFields = origin.shape;

/** Description of a stored sign-in. */
export const signInRecord = part({
  ...originFields,
  userId: string,
  /** Method of the first proof. */
  method: open<SignInMethod>(),
  /** Organization that was chosen or implied; null if there is none yet. */
  organizationId: nullable(string),
  /** Connection of a sign-in by SSO; otherwise null. */
  connectionId: nullable(string),
  /** Whether a second factor has been proven. */
  secondFactor: boolean,
  /** Member of staff who acts as the user. */
  impersonator: nullable(ref<Impersonator>(impersonator)),
  /** When the user signed in, in milliseconds since 1970; default: now. */
  authenticatedAt: optional(number),
  /** Tokens of a social provider, which the application receives. */
  oauthTokens: optional(ref<OauthTokens>(oauthTokens)),
  /** Authorization code that was redeemed. A second use revokes the session. */
  codeId: optional(string),
  /** Whether the client sent only a code verifier. If so, it may also refresh without a secret. */
  isPublic: optional(boolean),
});
/** A sign-in and what the user has proven so far. It is immutable: each step returns a new one. */
export interface SignIn extends Stored<typeof signInRecord> {}

/** Start a sign-in with its first proof. */
export const startSignIn = (
  { clientId, ipAddress, userAgent }: Origin,
  userId: string,
  method: SignInMethod,
  more: Partial<SignIn> = {},
): SignIn => ({
  clientId,
  ipAddress,
  userAgent,
  userId,
  method,
  organizationId: null,
  connectionId: null,
  secondFactor: false,
  impersonator: null,
  ...more,
});

/** Set the organization that the authorization URL names, if any. Membership is checked later. */
export const inOrganization = (
  { organizationId }: { readonly organizationId: string | null },
  signIn: SignIn,
): SignIn => (organizationId === null ? signIn : { ...signIn, organizationId });

/** The sign-in is refused by the policy of the organization that owns the domain of the user's address. */
export type PolicyStep =
  | { readonly kind: 'sso_required'; readonly organizationId: string; readonly connectionIds: readonly string[] }
  | {
      readonly kind: 'organization_authentication_methods_required';
      readonly ssoConnectionIds: readonly string[];
      readonly authMethods: AuthMethods;
    };

/** The next step of a sign-in, by the code of its flow error. `ready` means that a session can be opened. */
export type NextStep =
  | { readonly kind: 'ready' }
  | { readonly kind: 'organization_selection_required'; readonly organizations: readonly View<OrganizationChoice>[] }
  | PolicyStep
  | { readonly kind: 'email_verification_required' }
  | { readonly kind: 'mfa_challenge'; readonly factors: readonly FactorRecord[] }
  | { readonly kind: 'mfa_enrollment' };

/** Methods that need no email verification and no second factor, because another party vouches for the user. */
const trustedMethods: readonly string[] = ['SSO', 'Impersonation'];

/**
 * Find the next step of a sign-in. Changes nothing, and does not check membership in a chosen organization.
 *
 * @throws {EmulatorRefusal} 404 if the user has been deleted meanwhile.
 */
export function nextStep(memory: Memory, signIn: SignIn): NextStep {
  const user = memory.of(users).get(signIn.userId);
  const { requireEmailVerification } = memory.settings;
  const policyStep = refusalByPolicy(memory, user.email, signIn);
  if (policyStep) return policyStep;
  if (!trustedMethods.includes(signIn.method)) {
    if (requireEmailVerification && !user.emailVerified) return { kind: 'email_verification_required' };
    if (!signIn.secondFactor) {
      const userFactors = memory.of(factors).where('userId', user.id).values();
      if (userFactors.length > 0) return { kind: 'mfa_challenge', factors: userFactors };
      if (requiresSecondFactor(memory, user.email, organizationFor(memory, signIn))) return { kind: 'mfa_enrollment' };
    }
  }
  const choices = choicesOf(memory, signIn);
  return choices.length > 0 ? { kind: 'organization_selection_required', organizations: choices } : { kind: 'ready' };
}

/**
 * List the organizations that the user must choose from. The list is empty if one is chosen, or if the user has fewer than two.
 */
export function choicesOf(
  memory: Memory,
  { userId, organizationId, method }: Pick<SignIn, 'userId' | 'organizationId' | 'method'>,
): readonly View<OrganizationChoice>[] {
  // An impersonator chooses the organization in advance.
  if (organizationId !== null || method === 'Impersonation') return [];
  const all = organizationsOf(memory, userId);
  return all.length > 1 ? all : [];
}

/** Get the organization of the session: the chosen one, or the user's only one. Impersonation never implies an organization. */
export function organizationFor(memory: Memory, { userId, method, organizationId }: SignIn): string | null {
  if (organizationId !== null || method === 'Impersonation') return organizationId;
  const [only, ...others] = organizationsOf(memory, userId);
  return only === undefined || others.length > 0 ? null : only.id;
}

/** List the organizations with an active membership of the user, in joining order. */
export const organizationsOf = (memory: Memory, userId: string): View<OrganizationChoice>[] =>
  memory
    .of(memberships)
    .where('userId', userId)
    .filter(({ status }) => status === 'active')
    .map(({ organizationId }) => ({ id: organizationId, name: memory.of(organizations).get(organizationId).name }));
