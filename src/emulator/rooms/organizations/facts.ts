import { organizationDomain } from '../../../service/organization-domains.js';
import { organization } from '../../../service/organizations.js';
import type { Facts } from '../../world/facts.js';
import { type OrganizationDomainRecord, organizationDomains } from './domains.js';
import { type OrganizationRecord, organizations } from './records.js';

export const organizationFacts: Facts<OrganizationRecord> = {
  noun: 'organization',
  model: organization,
  all: (memory) => memory.of(organizations),
  title: 'name',
  columns: [
    'name',
    {
      label: 'Domains',
      of: ({ id }, memory) =>
        memory
          .of(organizationDomains)
          .where('organizationId', id)
          .values()
          .map(({ domain }) => domain),
    },
    'id',
  ],
  empty: 'No organizations yet.',
  facts: ['id', 'createdAt', ['externalId', 'External ID'], 'metadata'],
};

export const domainFacts: Facts<OrganizationDomainRecord> = {
  model: organizationDomain,
  all: (memory) => memory.of(organizationDomains),
  columns: ['domain', 'state', 'id'],
  empty: 'No domains.',
  actions: [{ control: 'verifyDomain', label: 'Verify', when: ({ state }) => state === 'pending' }],
};
