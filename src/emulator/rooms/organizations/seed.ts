import { array, body, type Fields, maybe, optional, ref } from '../../../service/describe/define.js';
import { section, sectionAtOnce } from '../../seed/section.js';
import type { World } from '../../world/world.js';
import { hostOf, insertDomain, newDomain, objectionTo, refuseDomains, refuseTakenDomain } from './domains.js';
import { checkOrganization, insertOrganization, newOrganization } from './records.js';
import { addRole, newRole, roleFor, roles } from './roles.js';

const { organizationId: _organization, priority: _priority, ...roleFields } = newRole.shape;

/** A role; those that come first come first. */
export const seedRole = body(roleFields);
type SeedRole = Fields<typeof seedRole>;

/** Roles of the environment, in order of priority, in place of the built-in ones; `member` is always there. */
export const rolesSection = sectionAtOnce({
  name: 'roles',
  noun: 'role',
  entry: ref<SeedRole>(seedRole),
  async plantAll(world, entries, attempt) {
    for (const { id } of world.of(roles).values()) world.of(roles).delete(id);
    for (const [at, role] of entries.entries()) await attempt([at], () => addRole(world, role));
    // Whoever is given no role has this one.
    if (!roleFor(world, 'member', null)) addRole(world, { slug: 'member' });
  },
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
  children: {
    domainData: {
      noun: 'organization domain',
      plant: (world, domain, { id }) => plantDomain(world, { ...domain, organizationId: id }, 'domain'),
    },
    domains: {
      plant: (world, domain, { id }) => plantDomain(world, { domain, state: 'pending', organizationId: id }, ''),
    },
    roles: {
      noun: 'role',
      plant: (world, role, { id }) => addRole(world, { ...role, organizationId: id }),
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
