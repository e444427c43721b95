import { snakeCase } from '../../../service/describe/codec.js';
import {
  body,
  boolean,
  type Fields,
  nullable,
  opaqueAs,
  optional,
  part,
  ref,
} from '../../../service/describe/define.js';
import { connections } from '../../rooms/connections/records.js';
import { ownerOfEmail } from '../../rooms/organizations/domains.js';
import { organizations } from '../../rooms/organizations/records.js';
import { type Memory, table } from '../../world/memory.js';

/** Sign-in methods by their names in policies, and whether each is allowed. */
export type AuthMethods = Readonly<Record<string, boolean>>;

export const authenticationPolicy = part({
  /** Only SSO through one of the organization's connections is allowed. */
  ssoRequired: boolean,
  /** Methods allowed besides SSO; null allows all. */
  authMethods: nullable(opaqueAs<AuthMethods>()),
  /**
   * A second factor is required, except after SSO. This also applies to users with other addresses whose session is in the
   * organization.
   */
  mfaRequired: boolean,
});
/** How users with an address in one of an organization's verified domains must sign in. */
export interface AuthenticationPolicy extends Readonly<Fields<typeof authenticationPolicy>> {}

/** Policies by organization id. */
export const authenticationPolicies = table<AuthenticationPolicy>(
  'authentication policy',
  ref<AuthenticationPolicy>(authenticationPolicy),
);

export const newAuthMethods = body({
  /** A password. */
  password: optional(boolean),
  /** A one-time code by email. */
  magicAuth: optional(boolean),
  /** A Google account. */
  googleOauth: optional(boolean),
  /** A Microsoft account. */
  microsoftOauth: optional(boolean),
  /** A GitHub account. */
  githubOauth: optional(boolean),
});
/** Methods allowed besides SSO. Methods left out are not allowed. */
interface NewAuthMethods extends Fields<typeof newAuthMethods> {}

export const newAuthenticationPolicy = body({
  /** Allow only SSO through one of the organization's connections. */
  ssoRequired: optional(boolean),
  /** Methods allowed besides SSO. Methods left out are not allowed. Default: all methods. */
  authMethods: optional(ref<NewAuthMethods>(newAuthMethods)),
  /**
   * Require a second factor, except after SSO. This also applies to users with other addresses whose session is in the
   * organization.
   */
  mfaRequired: optional(boolean),
});
/** A policy to set. Fields left out require nothing. */
export interface NewAuthenticationPolicy extends Fields<typeof newAuthenticationPolicy> {}

/** Replace the policy of an organization. @throws {EmulatorRefusal} 404. */
export function setAuthenticationPolicy(
  memory: Memory,
  organizationId: string,
  { ssoRequired = false, authMethods, mfaRequired = false }: NewAuthenticationPolicy,
): AuthenticationPolicy {
  const { id } = memory.of(organizations).get(organizationId);
  const policy = { ssoRequired, mfaRequired, authMethods: authMethods ? authMethodsOf(authMethods) : null };
  memory.of(authenticationPolicies).set(id, policy);
  return policy;
}

/** Map the wire name of every method, such as `magic_auth`, to whether the method is allowed. */
const authMethodsOf = (methods: NewAuthMethods): AuthMethods =>
  Object.fromEntries(methodNames.map((key) => [snakeCase(key), methods[key] ?? false]));

// The cast is safe because the keys of the shape are exactly the field names.
const methodNames = Object.keys(newAuthMethods.shape) as (keyof NewAuthMethods)[];

/** Export the policy of an organization for a seed. Returns undefined if it has none. */
export function exportPolicy(memory: Memory, organizationId: string): NewAuthenticationPolicy | undefined {
  const policy = memory.of(authenticationPolicies).get(organizationId);
  if (!policy) return undefined;
  const { ssoRequired, mfaRequired, authMethods } = policy;
  // If SSO is required, other methods have no effect.
  if (ssoRequired || !authMethods) return { ssoRequired, mfaRequired };
  const methods = Object.fromEntries(methodNames.map((key) => [key, authMethods[snakeCase(key)] ?? false]));
  return { mfaRequired, authMethods: methods };
}

/** Delete the policy of an organization. */
export function dropPolicyOf(memory: Memory, organizationId: string): void {
  memory.of(authenticationPolicies).delete(organizationId);
}

/** Find the policy for an address, which is that of the organization that owns its domain. */
function policyOf(
  memory: Memory,
  email: string,
): { readonly organizationId: string; readonly policy: AuthenticationPolicy } | undefined {
  const policies = memory.of(authenticationPolicies);
  if (policies.size === 0) return undefined;
  const organizationId = ownerOfEmail(memory, email);
  const policy = policies.get(organizationId ?? '');
  return organizationId !== undefined && policy ? { organizationId, policy } : undefined;
}

/**
 * Check whether a second factor is required by the settings, by the organization of the address's domain, or by the organization
 * of the session.
 */
export const requiresSecondFactor = (memory: Memory, email: string, organizationId: string | null): boolean =>
  memory.settings.requireMfa ||
  (policyOf(memory, email)?.policy.mfaRequired ?? false) ||
  (memory.of(authenticationPolicies).get(organizationId ?? '')?.mfaRequired ?? false);

/** The parts of a sign-in that policies check. */
interface MethodUse {
  readonly method: string;
  readonly connectionId: string | null;
}

/** Explain why the policy for an address refuses a method. Returns undefined if it allows the method. */
export function refusalByPolicy(memory: Memory, email: string, { method, connectionId }: MethodUse) {
  const match = policyOf(memory, email);
  if (!match || method === 'Impersonation') return undefined;
  const { organizationId, policy } = match;
  if (!policy.ssoRequired && policy.authMethods === null) return undefined;
  const candidates = memory.of(connections).where('organizationId', organizationId).values();
  if (method === 'SSO' && candidates.some(({ id }) => id === connectionId)) return undefined;
  const active = candidates.filter(({ state }) => state === 'active').map(({ id }) => id);
  if (policy.ssoRequired) return { kind: 'sso_required', organizationId, connectionIds: active } as const;
  const authMethods = policy.authMethods ?? {};
  if (authMethods[policyNameOf(method)]) return undefined;
  return { kind: 'organization_authentication_methods_required', ssoConnectionIds: active, authMethods } as const;
}

/** Explain why an organization that requires SSO has no usable connection, and how to fix it. */
export function missingConnection(memory: Memory, organizationId: string): string {
  const candidates = memory.of(connections).where('organizationId', organizationId).values();
  const states = candidates.map(({ id, state }) => `${id} is ${state}`).join(', ');
  const [found, remedy] =
    candidates.length === 0
      ? ['has no connection', 'Create one']
      : [`none of its connections is active: ${states}`, 'Activate one'];
  return `The organization ${JSON.stringify(organizationId)} requires SSO and ${found}. ${remedy}, or change the authentication policy of the organization`;
}

/** Get the name of a method in policies: `github_oauth` for `GitHubOAuth`, `magic_auth` for `MagicAuth`. */
const policyNameOf = (method: string): string =>
  method.endsWith('OAuth')
    ? `${method.slice(0, -'OAuth'.length).toLowerCase()}_oauth`
    : method.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
