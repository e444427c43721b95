/** Organization domains: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

export const organizationDomains: readonly SpecifiedOperation[] = [
  {
    id: 'organizationDomains.get',
    method: 'GET',
    path: '/organization_domains/:id',
    client: 'organizationDomains.getOrganizationDomain',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'organization_domain' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'organizationDomains.create',
    method: 'POST',
    path: '/organization_domains',
    client: 'organizationDomains.createOrganizationDomain',
    list: false,
    query: [],
    body: ['organization_id', 'domain'],
    returns: { kind: 'one', resource: 'organization_domain' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
  {
    id: 'organizationDomains.verify',
    method: 'POST',
    path: '/organization_domains/:id/verify',
    client: 'organizationDomains.verifyOrganizationDomain',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'organization_domain' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
];
