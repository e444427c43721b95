import { array, body, type Fields, maybe, optional, ref } from '../../../service/describe/define.js';
import { batchSection, section } from '../../seed/section.js';
import type { Memory } from '../../world/memory.js';
import {
  domainProblem,
  hostOf,
  insertDomain,
  isVerified,
  newDomain,
  type OrganizationDomainRecord,
  organizationDomains,
  refuseDomains,
  refuseTakenDomain,
} from './domains.js';
import { checkOrganization, insertOrganization, newOrganization, organizations } from './records.js';
import { addRole, newRole, roleFor, roles, rolesOf } from './roles.js';

const { organizationId: _organization, priority: _priority, ...roleFields } = newRole.shape;

export const seedRole = body(roleFields);
type SeedRole = Fields<typeof seedRole>;

export const rolesSection = batchSection({
  name: 'roles',
  collection: roles,
  entry: ref<SeedRole>(seedRole),
  async plantAll(memory, entries, attempt) {
    for (const { id } of memory.of(roles).values()) memory.delete(roles, id);
    for (const [at, role] of entries.entries()) await attempt([at], () => addRole(memory, role));
    // The default role of memberships must exist.
    if (!roleFor(memory, 'member', null)) addRole(memory, { slug: 'member' });
  },
  export: (memory) => rolesOf(memory, null),
});

const { organizationId: _owner, ...domainFields } = newDomain.shape;

export const seedDomain = body(domainFields);
type SeedDomain = Fields<typeof seedDomain>;

export const seedOrganization = body({
  ...newOrganization.shape,
  /** Email domains and their state. */
  domainData: optional(array(ref<SeedDomain>(seedDomain))),
  /** Roles of this organization only. */
  roles: maybe(array(ref<SeedRole>(seedRole))),
});

export const organizationsSection = section({
  name: 'organizations',
  collection: organizations,
  entry: ref<Fields<typeof seedOrganization>>(seedOrganization),
  plant(memory, organization) {
    // Domains are added one by one, so that an error points to its domain.
    checkOrganization(memory, { ...organization, domainData: undefined, domains: undefined });
    return insertOrganization(memory, organization);
  },
  children: {
    domainData: {
      collection: organizationDomains,
      plant: (memory, domain, { id }) => plantDomain(memory, { ...domain, organizationId: id }, 'domain'),
      exportedFields: (_, domain: OrganizationDomainRecord) => ({ state: stateOf(domain) }),
    },
    domains: {
      plant: (memory, domain, { id }) => plantDomain(memory, { domain, state: 'pending', organizationId: id }, ''),
    },
    roles: {
      collection: roles,
      plant: (memory, role, { id }) => addRole(memory, { ...role, organizationId: id }),
      export: (memory, { id }) => rolesOf(memory, id).filter(({ organizationId }) => organizationId === id),
    },
  },
});

function plantDomain(memory: Memory, domain: Fields<typeof newDomain>, field: string): void {
  refuseDomains([domainProblem(memory, domain.domain, field)]);
  // `domainProblem` has checked that `hostOf` returns a host.
  const host = hostOf(domain.domain)!;
  refuseTakenDomain(memory, host);
  insertDomain(memory, { ...domain, domain: host });
}

/** Map the state of a domain to the states that a seed can have. */
const stateOf = (domain: OrganizationDomainRecord): SeedDomain['state'] =>
  isVerified(domain) ? 'verified' : 'pending';
