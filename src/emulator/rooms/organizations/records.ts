import {
  body,
  boolean,
  type Fields,
  integer,
  labels,
  maybe,
  nullable,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import {
  auditLogsRetentionUpdate,
  type OrganizationUpdate,
  organization,
  organizationCreate,
  organizationUpdate,
} from '../../../service/organizations.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import {
  type DomainTarget,
  domainProblem,
  hostOf,
  organizationDomains,
  refuseDomains,
  refuseTakenDomain,
} from './domains.js';
import { labelsAfter, wrongLabels } from './labels.js';

const organizationRecord = part({
  id: string,
  name: string,
  allowProfilesOutsideOrganization: boolean,
  billingCustomerId: nullable(string),
  externalId: nullable(string),
  metadata: labels,
  retentionPeriodInDays: nullable(integer),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** An organization as the emulator stores it. Domains are stored separately. */
export interface OrganizationRecord extends Stored<typeof organizationRecord> {}

/** Organizations, the customers of the application. */
export const organizations = collection<OrganizationRecord>({
  object: 'organization',
  prefix: 'org',
  unique: ['externalId'],
  record: ref(organizationRecord),
});

export const newOrganization = body({
  ...pinned,
  ...organizationCreate.shape,
  /** Id of the organization in an external billing system. */
  billingCustomerId: organizationUpdate.shape.billingCustomerId,
  /** Number of days to keep audit events. Default: 30, or unlimited in dialects that return null for absent fields. */
  retentionPeriodInDays: maybe(auditLogsRetentionUpdate.shape.retentionPeriodInDays),
});
/** The fields of a new organization. */
interface NewOrganization extends Fields<typeof newOrganization> {}

/** Add an organization to a world, without its domains and without an event. Its fields must have been checked. */
export function insertOrganization(memory: Memory, fields: NewOrganization): OrganizationRecord {
  const { id, name, allowProfilesOutsideOrganization = false, externalId = null, metadata } = fields;
  return memory.of(organizations).insert({
    id,
    name,
    allowProfilesOutsideOrganization,
    billingCustomerId: fields.billingCustomerId ?? null,
    externalId,
    metadata: labelsAfter({}, metadata),
    retentionPeriodInDays: fields.retentionPeriodInDays ?? (memory.settings.dialect.nullForAbsent ? null : 30),
  });
}

/** Convert an organization and its domains to the API format. */
export const organizationView = (memory: Memory, record: OrganizationRecord) => ({
  ...record,
  billingCustomerId: record.billingCustomerId ?? undefined,
  domains: memory.of(organizationDomains).where('organizationId', record.id).values(),
});

/**
 * Check the fields of an organization. For an existing organization, pass its id. Returns its new domains.
 *
 * @throws {EmulatorRefusal} 400, 409, 422.
 */
export function checkOrganization(
  memory: Memory,
  fields: NewOrganization | OrganizationUpdate,
  id?: string,
): readonly DomainTarget[] | undefined {
  const errors = [...wrongFields(memory, fields)];
  if (errors.length > 0) throw unprocessable(errors);
  const domains = domainTargets(memory, fields);
  for (const { host } of domains ?? []) refuseTakenDomain(memory, host, id);
  const holder = memory.of(organizations).by('externalId', fields.externalId ?? null);
  if (holder && holder.id !== id)
    throw badRequest('external_id_already_used', 'Another organization has this external_id');
  return domains;
}

function* wrongFields(memory: Memory, { name, ...labels }: OrganizationUpdate): Generator<RequestProblem> {
  if (name?.trim() === '') yield { field: 'name', code: 'required', message: 'must not be blank' };
  yield* wrongLabels(memory, labels);
}

function domainTargets(
  memory: Memory,
  { domainData, domains }: OrganizationUpdate,
): readonly DomainTarget[] | undefined {
  if (domainData === undefined && domains === undefined) return undefined;
  const entries = [
    ...(domainData ?? []).map(({ domain, state }, at) => ({ domain, state, field: `domain_data.${at}.domain` })),
    ...(domains ?? []).map((domain, at) => ({ domain, state: undefined, field: `domains.${at}` })),
  ];
  refuseDomains(entries.map(({ domain, field }) => domainProblem(memory, domain, field)));
  const byHost = new Map<string, DomainTarget>();
  for (const { domain, state } of entries) {
    // `domainProblem` has checked that `hostOf` returns a host.
    const host = hostOf(domain)!;
    const earlier = byHost.get(host);
    if (!earlier || earlier.state === undefined) byHost.set(host, { host, state });
  }
  return [...byHost.values()];
}

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
