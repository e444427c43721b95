import { type Impersonator, impersonator, type OauthTokens, oauthTokens } from '../../service/authentication.js';
import { boolean, nullable, number, optional, part, ref, string } from '../../service/describe/define.js';
import type { OrganizationChoice } from '../../service/flow-errors.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { users } from '../rooms/users/records.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import { type FactorRecord, factors } from './factors.js';
import { type AuthMethods, refusalByPolicy, requiresSecondFactor } from './policies.js';

/** How somebody signs in, as `authentication_method` says it; a social provider by its own name, `GoogleOAuth`. */
export type SignInMethod = 'Password' | 'MagicAuth' | 'SSO' | 'Passkey' | 'Impersonation' | (string & {});

/** Who asks for a session, and from where. */
export interface Origin {
  readonly clientId: string;
  /** Where the user signs in from. */
  readonly ipAddress: string | null;
  /** Browser the user signs in with. */
  readonly userAgent: string | null;
}

/** What somebody has proven so far on the way to a session. A step that is taken makes a new one. */
export interface SignIn extends Origin {
  readonly userId: string;
  /** The first proof that was given. */
  readonly method: SignInMethod;
  /** Organization that was chosen or is implied; null for none so far. */
  readonly organizationId: string | null;
  /** Connection of a sign-in by SSO. */
  readonly connectionId: string | null;
  /** Whether a second factor has been proven. */
  readonly secondFactor: boolean;
  /** The member of staff who acts as the user. */
  readonly impersonator: View<Impersonator> | null;
  /** When the user proved who they are, in milliseconds since 1970; now when not given. */
  readonly authenticatedAt?: number | undefined;
  /** Tokens of a social provider, to be handed on. */
  readonly oauthTokens?: View<OauthTokens> | undefined;
  /** Authorization code that was redeemed; using it again ends the session. */
  readonly codeId?: string | undefined;
  /** The client has proven itself by a code verifier alone: it refreshes without a secret too. */
  readonly isPublic?: boolean | undefined;
}

/** The fields of `Origin`, described. */
export const originFields = { clientId: string, ipAddress: nullable(string), userAgent: nullable(string) };

/** A sign-in, described. */
export const signInRecord = part({
  ...originFields,
  userId: string,
  method: string,
  organizationId: nullable(string),
  connectionId: nullable(string),
  secondFactor: boolean,
  impersonator: nullable(ref<Impersonator>(impersonator)),
  authenticatedAt: optional(number),
  oauthTokens: optional(ref<OauthTokens>(oauthTokens)),
  codeId: optional(string),
  isPublic: optional(boolean),
});

/** A sign-in that has just begun: one proof, and nothing chosen. */
export const begin = (
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

/** A sign-in into the organization that the authorization URL names, if it names one; whether the user is a member there is seen later. */
export const inOrganization = (
  { organizationId }: { readonly organizationId: string | null },
  signIn: SignIn,
): SignIn => (organizationId === null ? signIn : { ...signIn, organizationId });

/** A refusal by the organization that owns the domain of the user's address. */
export type PolicyStep =
  | { readonly kind: 'sso_required'; readonly organizationId: string; readonly connectionIds: readonly string[] }
  | {
      readonly kind: 'methods_required';
      readonly ssoConnectionIds: readonly string[];
      readonly authMethods: AuthMethods;
    };

/** What comes next in a sign-in; `ready` when a session can be opened. */
export type Step =
  | { readonly kind: 'ready' }
  | { readonly kind: 'organization_selection'; readonly organizations: readonly View<OrganizationChoice>[] }
  | PolicyStep
  | { readonly kind: 'email_verification' }
  | { readonly kind: 'mfa_challenge'; readonly factors: readonly FactorRecord[] }
  | { readonly kind: 'mfa_enrollment' };

/** Methods by which others vouch for the user: no code, no second factor and no verification is asked for on top. */
const trustedMethods: readonly string[] = ['SSO', 'Impersonation'];

/** What comes next in a sign-in; looks, and changes nothing. An organization that is chosen is taken as it is. @throws {Refusal} 404 when the user has gone meanwhile. */
export function nextStep(world: World, signIn: SignIn): Step {
  const user = world.of(users).get(signIn.userId);
  const { requireEmailVerification } = world.settings;
  const objection = refusalByPolicy(world, user.email, signIn);
  if (objection) return objection;
  if (!trustedMethods.includes(signIn.method)) {
    if (requireEmailVerification && !user.emailVerified) return { kind: 'email_verification' };
    if (!signIn.secondFactor) {
      const own = world.of(factors).where('userId', user.id).values();
      if (own.length > 0) return { kind: 'mfa_challenge', factors: own };
      if (requiresSecondFactor(world, user.email, organizationFor(world, signIn))) return { kind: 'mfa_enrollment' };
    }
  }
  const choices = choicesOf(world, signIn);
  return choices.length > 0 ? { kind: 'organization_selection', organizations: choices } : { kind: 'ready' };
}

/** The organizations of which the user has to choose one; none where that is done, or there are not several. */
export function choicesOf(
  world: World,
  { userId, organizationId, method }: Pick<SignIn, 'userId' | 'organizationId' | 'method'>,
): readonly View<OrganizationChoice>[] {
  // Who acts as a user chooses beforehand.
  if (organizationId !== null || method === 'Impersonation') return [];
  const all = organizationsOf(world, userId);
  return all.length > 1 ? all : [];
}

/** The organization of the session: the one that was chosen, or the only one of the user. Who acts as a user is in none that was not chosen. */
export function organizationFor(world: World, { userId, method, organizationId }: SignIn): string | null {
  if (organizationId !== null || method === 'Impersonation') return organizationId;
  const [only, ...others] = organizationsOf(world, userId);
  return only === undefined || others.length > 0 ? null : only.id;
}

/** The organizations in which a user is an active member, in the order of joining. */
export const organizationsOf = (world: World, userId: string): View<OrganizationChoice>[] =>
  world
    .of(memberships)
    .where('userId', userId)
    .filter(({ status }) => status === 'active')
    .map(({ organizationId }) => ({ id: organizationId, name: world.of(organizations).get(organizationId).name }));
