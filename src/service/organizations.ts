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
  /**
   * Whether profiles may have an email outside the organization's domains. If true, do not trust a profile's email as
   * verified: check the organization or connection id instead.
   */
  allowProfilesOutsideOrganization: boolean,
  /** Email domains of the organization. */
  domains: array(ref<OrganizationDomain>(organizationDomain)),
  /** Customer id in your billing system. */
  billingCustomerId: varies('billingField', maybe(string)),
  /** Your own id for the organization. */
  externalId: maybe(string),
  /** Your own key-value pairs; keys are never renamed. */
  metadata: maybe(labels),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A customer of your application. */
export interface Organization extends Fields<typeof organization> {}

export const organizationDomainData = part({
  /** Email domain. */
  domain: string,
  /** Verification state; set `verified` only with proof of ownership. */
  state: oneOf('pending', 'verified'),
});
/** A domain of an organization to create or update. */
export interface OrganizationDomainData extends Fields<typeof organizationDomainData> {}

export const organizationCreate = body({
  /** Descriptive name; need not be unique. */
  name: string,
  /** Whether profiles may have an email outside the organization's domains; default false. */
  allowProfilesOutsideOrganization: optional(boolean),
  /** Email domains and their verification state. */
  domainData: optional(array(ref<OrganizationDomainData>(organizationDomainData))),
  /** Your own id for the organization; must be unique. */
  externalId: maybe(string),
  /** Your own key-value pairs; keys are never renamed. An update adds to the existing pairs; null removes a pair. */
  metadata: maybe(labelChanges),
  /** @deprecated Use `domainData`. These domains all start as pending. */
  domains: optional(array(string)),
});
/** Parameters of `createOrganization`. */
export interface OrganizationCreate extends Fields<typeof organizationCreate> {}

export const organizationUpdate = body({
  ...organizationCreate.shape,
  /** Descriptive name; need not be unique. */
  name: optional(string),
  /** Customer id in your billing system. */
  billingCustomerId: varies('billingField', maybe(string)),
});
/** Parameters of `updateOrganization`. Omitted fields keep their values; `domainData` replaces all domains. */
export interface OrganizationUpdate extends Fields<typeof organizationUpdate> {}

export const organizationFilter = query({
  /** Organizations that own any of these domains. */
  domains: optional(array(string)),
  /** Text to find in the name or a domain. */
  search: optional(string),
});
/** Filters of `listOrganizations`. */
export interface OrganizationFilter extends Fields<typeof organizationFilter> {}

export const auditLogsRetention = part({
  /** Retention period of audit events in days: 30 or 365. Null in some deployments until it is set. */
  retentionPeriodInDays: nullable(integer),
});
/** The retention period of an organization's audit events. */
export interface AuditLogsRetention extends Fields<typeof auditLogsRetention> {}

export const auditLogsRetentionUpdate = body({
  /** Retention period of audit events in days: 30 or 365. */
  retentionPeriodInDays: oneOfNumbers(30, 365),
});
/** Parameters of `updateAuditLogsRetention`. */
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
    takes: 'object',
    returns: role,
    pathVaries: 'rolesPath',
  }),
  getAuditLogsRetention: get('/organizations/:id/audit_logs_retention', {
    returns: auditLogsRetention,
  }),
  updateAuditLogsRetention: put('/organizations/:id/audit_logs_retention', {
    takes: 'arguments',
    body: auditLogsRetentionUpdate,
    returns: auditLogsRetention,
  }),
});
