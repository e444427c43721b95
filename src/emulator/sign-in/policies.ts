import { snakeCase } from '../../service/describe/codec.js';
import { body, boolean, type Fields, nullable, opaqueAs, optional, part, ref } from '../../service/describe/define.js';
import { connections } from '../rooms/connections/records.js';
import { ownerOfEmail } from '../rooms/organizations/domains.js';
import { organizations } from '../rooms/organizations/records.js';
import { table, type World } from '../world/world.js';

/** Methods of signing in by their names in policies, and whether they are allowed. */
export type AuthMethods = Readonly<Record<string, boolean>>;

export const authenticationPolicy = part({
  /** Only SSO by one of its connections will do. */
  ssoRequired: boolean,
  /** The methods that will do beside SSO; null for all. */
  authMethods: nullable(opaqueAs<AuthMethods>()),
  /** A second factor has to be proven, except after SSO; for every session in the organization, whatever the address. */
  mfaRequired: boolean,
});
/** What an organization demands of sign-ins with an address in one of its verified domains. */
export interface AuthenticationPolicy extends Readonly<Fields<typeof authenticationPolicy>> {}

/** The demands of all organizations that have any, by their ids. */
export const authenticationPolicies = table<AuthenticationPolicy>(
  'authentication policy',
  ref<AuthenticationPolicy>(authenticationPolicy),
);

export const newAuthMethods = body({
  /** A password. */
  password: optional(boolean),
  /** A one-time code by email. */
  magicAuth: optional(boolean),
  /** An account at Google. */
  googleOauth: optional(boolean),
  /** An account at Microsoft. */
  microsoftOauth: optional(boolean),
  /** An account at GitHub. */
  githubOauth: optional(boolean),
});
/** The methods of signing in that will do beside SSO; those left out will not. */
export interface NewAuthMethods extends Fields<typeof newAuthMethods> {}

export const newAuthenticationPolicy = body({
  /** Only SSO by one of the organization's connections will do. */
  ssoRequired: optional(boolean),
  /** The methods that will do beside SSO; those left out will not. All when not given. */
  authMethods: optional(ref<NewAuthMethods>(newAuthMethods)),
  /** A second factor has to be proven, except after SSO; for every session in the organization, whatever the address. */
  mfaRequired: optional(boolean),
});
/** A policy to set; what is left out is not demanded. */
export interface NewAuthenticationPolicy extends Fields<typeof newAuthenticationPolicy> {}

/** Set what an organization demands, in place of any demands before. @throws {Refusal} 404. */
export function setAuthenticationPolicy(
  world: World,
  organizationId: string,
  { ssoRequired = false, authMethods, mfaRequired = false }: NewAuthenticationPolicy,
): AuthenticationPolicy {
  const { id } = world.of(organizations).get(organizationId);
  const policy = { ssoRequired, mfaRequired, authMethods: authMethods ? inFull(authMethods) : null };
  world.of(authenticationPolicies).set(id, policy);
  return policy;
}

/** Every method by its name in answers: `magicAuth` is `magic_auth`. */
const inFull = (methods: NewAuthMethods): AuthMethods =>
  Object.fromEntries(methodNames.map((key) => [snakeCase(key), methods[key] ?? false]));

// The keys of a shape are those of its fields.
const methodNames = Object.keys(newAuthMethods.shape) as (keyof NewAuthMethods)[];

/** What an organization demands, as it is set; undefined where it demands nothing. */
export function policyToSet(world: World, organizationId: string): NewAuthenticationPolicy | undefined {
  const policy = world.of(authenticationPolicies).get(organizationId);
  if (!policy) return undefined;
  const { ssoRequired, mfaRequired, authMethods } = policy;
  // Where SSO is required, no other method counts.
  if (ssoRequired || !authMethods) return { ssoRequired, mfaRequired };
  const methods = Object.fromEntries(methodNames.map((key) => [key, authMethods[snakeCase(key)] ?? false]));
  return { mfaRequired, authMethods: methods };
}

/** What goes with an organization: its demands. */
export function dropPolicyOf(world: World, organizationId: string): void {
  world.of(authenticationPolicies).delete(organizationId);
}

/** The policy that holds for an address: that of the organization which owns its domain. */
export function policyOf(
  world: World,
  email: string,
): { readonly organizationId: string; readonly policy: AuthenticationPolicy } | undefined {
  const policies = world.of(authenticationPolicies);
  if (policies.size === 0) return undefined;
  const organizationId = ownerOfEmail(world, email);
  const policy = policies.get(organizationId ?? '');
  return organizationId !== undefined && policy ? { organizationId, policy } : undefined;
}

/** Whether a second factor is asked for: by the organization that owns the address's domain, by that of the session, or of everybody. */
export const requiresSecondFactor = (world: World, email: string, organizationId: string | null): boolean =>
  world.settings.requireMfa ||
  (policyOf(world, email)?.policy.mfaRequired ?? false) ||
  (world.of(authenticationPolicies).get(organizationId ?? '')?.mfaRequired ?? false);

/** How somebody wants to sign in, as far as policies ask. */
export interface MethodUse {
  readonly method: string;
  readonly connectionId: string | null;
}

/** Why the policy for an address does not let a method pass; undefined when it does. */
export function refusalByPolicy(world: World, email: string, { method, connectionId }: MethodUse) {
  const match = policyOf(world, email);
  if (!match || method === 'Impersonation') return undefined;
  const { organizationId, policy } = match;
  if (!policy.ssoRequired && policy.authMethods === null) return undefined;
  const own = world.of(connections).where('organizationId', organizationId).values();
  if (method === 'SSO' && own.some(({ id }) => id === connectionId)) return undefined;
  const active = own.filter(({ state }) => state === 'active').map(({ id }) => id);
  if (policy.ssoRequired) return { kind: 'sso_required', organizationId, connectionIds: active } as const;
  const authMethods = policy.authMethods ?? {};
  if (authMethods[nameOf(method)]) return undefined;
  return { kind: 'methods_required', ssoConnectionIds: active, authMethods } as const;
}

/** What is configured where an organization requires SSO and nobody can sign in by it, and what helps. */
export function missingConnection(world: World, organizationId: string): string {
  const own = world.of(connections).where('organizationId', organizationId).values();
  const states = own.map(({ id, state }) => `${id} is ${state}`).join(', ');
  const [found, remedy] =
    own.length === 0
      ? ['has no connection', 'Create one']
      : [`none of its connections is active: ${states}`, 'Activate one'];
  return `The organization ${JSON.stringify(organizationId)} requires SSO and ${found}. ${remedy}, or change the authentication policy of the organization`;
}

/** `GitHubOAuth` is `github_oauth`, `MagicAuth` is `magic_auth`. */
const nameOf = (method: string): string =>
  method.endsWith('OAuth')
    ? `${method.slice(0, -'OAuth'.length).toLowerCase()}_oauth`
    : method.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
