import { body, type Fields, idOf, maybe, model, open, string, timestamp } from './describe/define.js';
import { del, get, post, room } from './describe/operation.js';

export const organizationDomain = model(null, {
  /** `organization_domain`; inside a connection `connection_domain`. */
  object: open<'organization_domain' | 'connection_domain'>(),
  /** Unique id, prefix `org_domain_`. */
  id: string,
  /** Organization that owns the domain; absent in the shortest embedded form. */
  organizationId: maybe(string),
  /** The email domain, such as `acme.test`. */
  domain: string,
  /** Whether ownership is proven; absent in the shortest embedded form. */
  state: maybe(open<'pending' | 'verified' | 'failed' | 'legacy_verified' | 'unverified'>()),
  /** How ownership is proven: by a DNS TXT record, or manually. */
  verificationStrategy: maybe(open<'dns' | 'manual'>()),
  /** Value to publish in a DNS TXT record; absent in the shortest embedded form. */
  verificationToken: maybe(string),
  /** When the domain was added; ISO 8601 UTC with milliseconds; not every deployment says it. */
  createdAt: maybe(timestamp),
  /** When it last changed; ISO 8601 UTC with milliseconds; not every deployment says it. */
  updatedAt: maybe(timestamp),
});
/** An email domain of an organization, and whether its ownership is verified. */
export interface OrganizationDomain extends Fields<typeof organizationDomain> {}

export const organizationDomainCreate = body({
  /** Organization that will own the domain. */
  organizationId: idOf('/organizations'),
  /** The email domain; common consumer mail domains are refused. */
  domain: string,
});
/** What `createOrganizationDomain` takes. */
export interface OrganizationDomainCreate extends Fields<typeof organizationDomainCreate> {}

export const organizationDomains = room('organizationDomains', 'organizationDomains', {
  get: get('/organization_domains/:id', {
    client: 'getOrganizationDomain',
    returns: organizationDomain,
  }),
  create: post('/organization_domains', {
    client: 'createOrganizationDomain',
    body: organizationDomainCreate,
    returns: organizationDomain,
  }),
  verify: post('/organization_domains/:id/verify', {
    client: 'verifyOrganizationDomain',
    returns: organizationDomain,
  }),
  delete: del('/organization_domains/:id', {
    client: 'deleteOrganizationDomain',
    extension: true,
  }),
});
