import {
  array,
  body,
  boolean,
  type Fields,
  integer,
  labelChanges,
  labels,
  maybe,
  model,
  nullable,
  oneOf,
  oneOfNumbers,
  optional,
  part,
  query,
  ref,
  string,
  timestamp,
  varies,
} from './describe/define.js';
import { data, del, get, list, post, put, room } from './describe/operation.js';
import { type OrganizationDomain, organizationDomain } from './organization-domains.js';
import { role } from './roles.js';

export const organization = model('organization', {
  /** Unique id, prefix `org_`. */
  id: string,
  /** Descriptive name; need not be unique. */
  name: string,
  /** If true, do not trust the email of a profile as verified: check the id of the organization or connection instead. */
  allowProfilesOutsideOrganization: boolean,
  /** Email domains of the organization. */
  domains: array(ref<OrganizationDomain>(organizationDomain)),
  /** The customer's id in your billing system. */
  billingCustomerId: varies('billingField', maybe(string)),
  /** Your own id for the organization. */
  externalId: maybe(string),
  /** Your own labels; keys are never renamed. */
  metadata: maybe(labels),
  /** When the organization was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A customer of your application. */
export interface Organization extends Fields<typeof organization> {}

export const organizationDomainData = part({
  /** The email domain. */
  domain: string,
  /** `verified` only once you have proof of ownership. */
  state: oneOf('pending', 'verified'),
});
/** A domain as given when an organization is created or updated. */
export interface OrganizationDomainData extends Fields<typeof organizationDomainData> {}

export const organizationCreate = body({
  /** Descriptive name; need not be unique. */
  name: string,
  /** Whether profiles may sign in with an email outside the organization's domains; default false. */
  allowProfilesOutsideOrganization: optional(boolean),
  /** Email domains and whether you have verified them. */
  domainData: optional(array(ref<OrganizationDomainData>(organizationDomainData))),
  /** Your own id for the organization; no two organizations may have the same. */
  externalId: maybe(string),
  /** Your own labels; keys are never renamed. A change adds to those that are there, and null takes a label away. */
  metadata: maybe(labelChanges),
  /** @deprecated The earlier form of `domainData`; every domain starts as pending. */
  domains: optional(array(string)),
});
/** What `createOrganization` takes. */
export interface OrganizationCreate extends Fields<typeof organizationCreate> {}

export const organizationUpdate = body({
  ...organizationCreate.shape,
  /** Descriptive name; need not be unique. */
  name: optional(string),
  /** The customer's id in your billing system. */
  billingCustomerId: varies('billingField', maybe(string)),
});
/** What `updateOrganization` changes; what is left out stays as it is. `domainData` replaces the whole set. */
export interface OrganizationUpdate extends Fields<typeof organizationUpdate> {}

export const organizationFilter = query({
  /** Organizations that own any of these domains. */
  domains: optional(array(string)),
  /** Text in the name or a domain. */
  search: optional(string),
});
/** Which organizations to list. */
export interface OrganizationFilter extends Fields<typeof organizationFilter> {}

export const auditLogsRetention = part({
  /** Days for which audit events are kept: 30 or 365. Some deployments have null until it is set. */
  retentionPeriodInDays: nullable(integer),
});
/** How long an organization's audit events are kept. */
export interface AuditLogsRetention extends Fields<typeof auditLogsRetention> {}

export const auditLogsRetentionUpdate = body({
  /** Days for which audit events are kept. */
  retentionPeriodInDays: oneOfNumbers(30, 365),
});
/** What `updateAuditLogsRetention` takes. */
export interface AuditLogsRetentionUpdate extends Fields<typeof auditLogsRetentionUpdate> {}

export const organizations = room('organizations', 'organizations', {
  list: list('/organizations', { client: 'listOrganizations', query: organizationFilter, returns: organization }),
  get: get('/organizations/:id', { client: 'getOrganization', returns: organization }),
  getByExternalId: get('/organizations/external_id/:external_id', {
    client: 'getOrganizationByExternalId',
    returns: organization,
  }),
  create: post('/organizations', {
    client: 'createOrganization',
    body: organizationCreate,
    returns: organization,
  }),
  update: put('/organizations/:id', {
    client: 'updateOrganization',
    argument: 'organization',
    body: organizationUpdate,
    returns: organization,
  }),
  delete: del('/organizations/:id', { client: 'deleteOrganization' }),
  listRoles: data('/organizations/:organization_id/roles', {
    client: 'listOrganizationRoles',
    returns: role,
    pathVaries: 'rolesPath',
  }),
  getAuditLogsRetention: get('/organizations/:id/audit_logs_retention', {
    returns: auditLogsRetention,
  }),
  updateAuditLogsRetention: put('/organizations/:id/audit_logs_retention', {
    body: auditLogsRetentionUpdate,
    returns: auditLogsRetention,
  }),
});
