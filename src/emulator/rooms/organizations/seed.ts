import { array, body, type Fields, maybe, optional, ref } from '../../../service/describe/define.js';
import { batchSection, section } from '../../seed/section.js';
import type { World } from '../../world/world.js';
import {
  hostOf,
  insertDomain,
  isVerified,
  newDomain,
  type OrganizationDomainRecord,
  objectionTo,
  organizationDomains,
  refuseDomains,
  refuseTakenDomain,
} from './domains.js';
import { checkOrganization, insertOrganization, newOrganization, organizations } from './records.js';
import { addRole, newRole, roleFor, roles, rolesOf } from './roles.js';

const { organizationId: _organization, priority: _priority, ...roleFields } = newRole.shape;

/** A role; those that come first come first. */
export const seedRole = body(roleFields);
type SeedRole = Fields<typeof seedRole>;

/** Roles of the environment, in order of priority, in place of the built-in ones; `member` is always there. */
export const rolesSection = batchSection({
  name: 'roles',
  noun: 'role',
  entry: ref<SeedRole>(seedRole),
  async plantAll(world, entries, attempt) {
    for (const { id } of world.of(roles).values()) world.of(roles).delete(id);
    for (const [at, role] of entries.entries()) await attempt([at], () => addRole(world, role));
    // Whoever is given no role has this one.
    if (!roleFor(world, 'member', null)) addRole(world, { slug: 'member' });
  },
  export: (world) => rolesOf(world, null),
});

const { organizationId: _owner, ...domainFields } = newDomain.shape;

/** A domain of an organization. */
export const seedDomain = body(domainFields);
type SeedDomain = Fields<typeof seedDomain>;

/** An organization with its domains and roles. */
export const seedOrganization = body({
  ...newOrganization.shape,
  /** Email domains and whether you have verified them. */
  domainData: optional(array(ref<SeedDomain>(seedDomain))),
  /** Roles that it alone has. */
  roles: maybe(array(ref<SeedRole>(seedRole))),
});

/** Customers of the application. */
export const organizationsSection = section({
  name: 'organizations',
  noun: 'organization',
  entry: ref<Fields<typeof seedOrganization>>(seedOrganization),
  plant(world, organization) {
    // Domains are planted one by one, so that what is wrong with one has its place.
    checkOrganization(world, { ...organization, domainData: undefined, domains: undefined });
    return insertOrganization(world, organization);
  },
  export: (world) => world.of(organizations).values(),
  children: {
    domainData: {
      noun: 'organization domain',
      plant: (world, domain, { id }) => plantDomain(world, { ...domain, organizationId: id }, 'domain'),
      export: (world, { id }) => world.of(organizationDomains).where('organizationId', id).values(),
      exportedFields: (_, domain: OrganizationDomainRecord) => ({ state: stateOf(domain) }),
    },
    domains: {
      plant: (world, domain, { id }) => plantDomain(world, { domain, state: 'pending', organizationId: id }, ''),
    },
    roles: {
      noun: 'role',
      plant: (world, role, { id }) => addRole(world, { ...role, organizationId: id }),
      export: (world, { id }) => rolesOf(world, id).filter(({ organizationId }) => organizationId === id),
    },
  },
});

function plantDomain(world: World, domain: Fields<typeof newDomain>, field: string): void {
  refuseDomains([objectionTo(world, domain.domain, field)]);
  // The check above has left only names that are hosts.
  const host = hostOf(domain.domain)!;
  refuseTakenDomain(world, host);
  insertDomain(world, { ...domain, domain: host });
}

/** What a seed can say of where a domain stands. */
const stateOf = (domain: OrganizationDomainRecord): SeedDomain['state'] =>
  isVerified(domain) ? 'verified' : 'pending';
