import { body, type Fields, idOf, maybe, model, open, string, timestamp } from './describe/define.js';
import { del, get, post, room } from './describe/operation.js';

export const organizationDomain = model(null, {
  /** `organization_domain`, or `connection_domain` inside a connection. */
  object: open<'organization_domain' | 'connection_domain'>(),
  /** Unique id, prefix `org_domain_`. */
  id: string,
  /** Id of the owning organization, prefix `org_`; absent in the shortest embedded form. */
  organizationId: maybe(string),
  /** Email domain, such as `acme.test`. */
  domain: string,
  /** Verification state; absent in the shortest embedded form. */
  state: maybe(open<'pending' | 'verified' | 'failed' | 'legacy_verified' | 'unverified'>()),
  /** Verification method: a DNS TXT record, or manual. */
  verificationStrategy: maybe(open<'dns' | 'manual'>()),
  /** Value to publish in a DNS TXT record; absent in the shortest embedded form. */
  verificationToken: maybe(string),
  /** Prefix of the DNS TXT record, if the service sends it. */
  verificationPrefix: maybe(string),
  /** Creation time, if the service sends it; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
  /** Time of the last change, if the service sends it; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** An email domain of an organization, and whether its ownership is verified. */
export interface OrganizationDomain extends Fields<typeof organizationDomain> {}

export const organizationDomainCreate = body({
  /** Id of the organization that will own the domain, prefix `org_`. */
  organizationId: idOf('/organizations'),
  /** Email domain; domains of consumer mail services are rejected. */
  domain: string,
});
/** Parameters of `createOrganizationDomain`. */
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
