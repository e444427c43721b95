import { createAuditSchema } from '../rooms/audit-logs/schemas.js';
import { insertConnection, insertProfile } from '../rooms/connections/records.js';
import { insertDirectory } from '../rooms/directory-sync/directories.js';
import { insertDirectoryGroup } from '../rooms/directory-sync/groups.js';
import { insertDirectoryUser } from '../rooms/directory-sync/users.js';
import { applyResourceTypes } from '../rooms/fga/resource-types.js';
import { createResource } from '../rooms/fga/resources.js';
import { writeWarrants } from '../rooms/fga/warrants.js';
import { addInvitation } from '../rooms/invitations/records.js';
import { addMembership } from '../rooms/memberships/records.js';
import {
  hostOf,
  insertDomain,
  objectionTo,
  organizationDomains,
  refuseDomains,
  refuseTakenDomain,
} from '../rooms/organizations/domains.js';
import { checkOrganization, insertOrganization } from '../rooms/organizations/records.js';
import { addRole, roleFor, roles } from '../rooms/organizations/roles.js';
import { addConnectApplication, authorizeApplication } from '../rooms/users/authorized-applications.js';
import { addIdentity } from '../rooms/users/identities.js';
import { passwords, type StoredPassword } from '../rooms/users/passwords.js';
import { addUser } from '../rooms/users/records.js';
import { insertWebhookEndpoint } from '../rooms/webhooks/records.js';
import { addRedirectUri } from '../server/redirect-uris.js';
import { enrollFactor } from '../sign-in/factors.js';
import { setAuthenticationPolicy } from '../sign-in/policies.js';
import { unprocessableField } from '../world/refusal.js';
import type { World } from '../world/world.js';
import type {
  AuthenticationPolicySeed,
  ConnectionSeed,
  DirectorySeed,
  DomainSeed,
  OrganizationSeed,
  ProfileSeed,
  RoleSeed,
  Seed,
  UserSeed,
} from './description.js';
import type { Path } from './problems.js';

/** Does one thing that a section asks for; what is refused is told with its place and gives `undefined`. */
export type Attempt = <T>(path: Path, act: () => T | Promise<T>) => Promise<T | undefined>;

/** Puts one section into a world, without events; paths start at the section. */
type Planter<T> = (world: World, entries: readonly T[], attempt: Attempt) => Promise<void>;

/** A section whose entries are one thing each. */
const each =
  <T>(plantOne: (world: World, entry: T) => unknown): Planter<T> =>
  async (world, entries, attempt) => {
    for (const [at, entry] of entries.entries()) await attempt([at], () => plantOne(world, entry));
  };

/** Every section's way into a world, in an order in which everything comes before what names it. */
export const sections: { readonly [K in keyof Seed]-?: Planter<NonNullable<Seed[K]>[number]> } = {
  async apiKeys(world, keys, attempt) {
    for (const [at, key] of keys.entries()) {
      await attempt([at, 'value'], () => world.keys.add(key));
      for (const [i, deny] of (key.deny ?? []).entries()) await attempt([at, 'deny', i], () => refuseIdle(deny));
    }
  },

  async redirectUris(world, uris, attempt) {
    for (const [at, uri] of uris.entries()) await attempt([at], () => addRedirectUri(world, uri));
  },

  async roles(world, wanted, attempt) {
    for (const { id } of world.of(roles).values()) world.of(roles).delete(id);
    for (const [at, role] of wanted.entries()) await attempt([at], () => plantRole(world, role));
    // Whoever is given no role has this one.
    if (!roleFor(world, 'member', null)) addRole(world, { slug: 'member' });
  },

  async organizations(world, entries, attempt) {
    for (const [at, organization] of entries.entries()) await plantOrganization(world, organization, at, attempt);
  },

  connectApplications: each(addConnectApplication),

  async users(world, entries, attempt) {
    for (const [at, user] of entries.entries()) await plantUser(world, user, at, attempt);
  },

  memberships: each(addMembership),

  invitations: each(addInvitation),

  async connections(world, entries, attempt) {
    for (const [at, connection] of entries.entries()) await plantConnection(world, connection, at, attempt);
  },

  async directories(world, entries, attempt) {
    for (const [at, directory] of entries.entries()) await plantDirectory(world, directory, at, attempt);
  },

  webhookEndpoints: each(insertWebhookEndpoint),

  async auditLogActions(world, actions, attempt) {
    for (const [at, { name, schema }] of actions.entries())
      await attempt([at, 'schema'], () => createAuditSchema(world, name, schema));
  },

  // All at once: they may name each other in any order.
  resourceTypes: async (world, types, attempt) => {
    await attempt([], () => applyResourceTypes(world, types));
  },

  resources: each(createResource),

  warrants: each((world, warrant) => writeWarrants(world, [warrant], () => '')),
};

/** Refuses a denial that would never deny anything. @throws {Refusal} 422. */
function refuseIdle(deny: string): void {
  if (!/^[A-Z]*(?: [/*]|\*)/.test(deny.trim()))
    throw unprocessableField('', 'invalid_value', 'must be a method and a path, such as PUT /organizations/*');
}

const plantRole = (world: World, { permissions, ...role }: RoleSeed, organizationId: string | null = null) =>
  addRole(world, { ...role, permissions: permissions ?? [], organizationId });

async function plantOrganization(
  world: World,
  { domainData, domains, roles: own, authenticationPolicy: policy, ...fields }: OrganizationSeed,
  at: number,
  attempt: Attempt,
): Promise<void> {
  const organization = await attempt([at], () => {
    checkOrganization(world, fields);
    return insertOrganization(world, fields);
  });
  if (!organization) return;
  for (const [i, domain] of (domainData ?? []).entries())
    await attempt([at, 'domain_data', i], () => plantDomain(world, organization.id, domain, 'domain'));
  for (const [i, domain] of (domains ?? []).entries())
    await attempt([at, 'domains', i], () => plantDomain(world, organization.id, { domain, state: 'pending' }, ''));
  for (const [i, role] of (own ?? []).entries())
    await attempt([at, 'roles', i], () => plantRole(world, role, organization.id));
  if (policy) await attempt([at, 'authentication_policy'], () => plantPolicy(world, organization.id, policy));
}

/** Sets a policy that can take effect. @throws {Refusal} 422. */
function plantPolicy(world: World, organizationId: string, policy: AuthenticationPolicySeed): void {
  if (policy.ssoRequired && policy.authMethods)
    throw unprocessableField(
      'auth_methods',
      'mutually_exclusive',
      'Allows methods that sso_required does not; keep one of the two',
    );
  const domains = world.of(organizationDomains).where('organizationId', organizationId);
  if (!domains.find(({ state }) => state === 'verified'))
    throw unprocessableField(
      '',
      'no_verified_domain',
      'Holds for addresses in verified domains, and this organization has none; give it one in domain_data',
    );
  setAuthenticationPolicy(world, organizationId, policy);
}

function plantDomain(world: World, organizationId: string, { domain, ...rest }: DomainSeed, field: string): void {
  refuseDomains([objectionTo(world, domain, field)]);
  // The check above has left only names that are hosts.
  const host = hostOf(domain)!;
  refuseTakenDomain(world, host);
  insertDomain(world, { ...rest, organizationId, domain: host });
}

/** How passwords are kept, by who was given them: hashing is slow, and a reset gives them all again. */
const hashed = new WeakMap<UserSeed, StoredPassword>();

async function plantUser(world: World, user: UserSeed, at: number, attempt: Attempt): Promise<void> {
  const { identities, authFactors, authorizedApplications, password, ...fields } = user;
  const known = hashed.get(user);
  const proof =
    password === undefined ? {} : known ? { passwordHash: known.hash, passwordHashType: known.type } : { password };
  const record = await attempt([at], () => addUser(world, { ...fields, ...proof }));
  if (!record) return;
  const stored = world.of(passwords).get(record.id);
  if (password !== undefined && stored) hashed.set(user, stored);
  for (const [i, identity] of (identities ?? []).entries())
    await attempt([at, 'identities', i], () => addIdentity(world, { ...identity, userId: record.id }));
  for (const [i, factor] of (authFactors ?? []).entries()) {
    await attempt([at, 'auth_factors', i], () => enrollFactor(world, { ...factor, userId: record.id }));
  }
  for (const [i, authorization] of (authorizedApplications ?? []).entries())
    await attempt([at, 'authorized_applications', i], () =>
      authorizeApplication(world, { ...authorization, userId: record.id }),
    );
}

async function plantConnection(
  world: World,
  { profiles, ...connection }: ConnectionSeed,
  at: number,
  attempt: Attempt,
): Promise<void> {
  const record = await attempt([at], () => insertConnection(world, connection));
  for (const [i, profile] of (record && profiles ? profiles : []).entries())
    await attempt([at, 'profiles', i], () => plantProfile(world, profile, record!.id, record!.organizationId));
}

function plantProfile(world: World, profile: ProfileSeed, connectionId: string, organizationId: string | null): void {
  if (profile.role && !roleFor(world, profile.role.slug, organizationId))
    throw unprocessableField('role.slug', 'role_not_found', 'names no role of the environment or of this organization');
  insertProfile(world, { ...profile, connectionId });
}

async function plantDirectory(
  world: World,
  { groups, users, ...directory }: DirectorySeed,
  at: number,
  attempt: Attempt,
): Promise<void> {
  const record = await attempt([at], () => insertDirectory(world, directory));
  if (!record) return;
  for (const [i, group] of (groups ?? []).entries())
    await attempt([at, 'groups', i], () => insertDirectoryGroup(world, { ...group, directoryId: record.id }));
  for (const [i, user] of (users ?? []).entries())
    await attempt([at, 'users', i], () => insertDirectoryUser(world, { ...user, directoryId: record.id }));
}
