import {
  body,
  type Fields,
  maybe,
  nullable,
  number,
  open,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import { type OrganizationDomain, organizationDomain } from '../../../service/organization-domains.js';
import { organizationDomainData } from '../../../service/organizations.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, conflict, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { system } from '../../world/actor.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory, table } from '../../world/memory.js';
import { isConsumerDomain } from './consumer-domains.js';

const organizationDomainRecord = part({
  object: organizationDomain.shape.object,
  id: string,
  organizationId: string,
  domain: string,
  state: open<NonNullable<OrganizationDomain['state']>>(),
  verificationStrategy: nullable(string),
  verificationToken: maybe(string),
  createdAt: maybe(timestamp),
  updatedAt: maybe(timestamp),
});
/** A domain as the emulator stores it. */
export interface OrganizationDomainRecord extends Stored<typeof organizationDomainRecord> {}

/** A domain that an organization should have. */
export interface DomainTarget {
  readonly host: string;
  /** Undefined if only the name is given. An existing domain then keeps its state, and a new one is pending. */
  readonly state: 'pending' | 'verified' | undefined;
}

/** The email domains of all organizations. */
export const organizationDomains = collection<OrganizationDomainRecord>({
  object: 'organization domain',
  prefix: 'org_domain',
  unique: ['domain'],
  refersTo: { organizationId: 'organization' },
  record: ref(organizationDomainRecord),
});

/** Normalize a domain to lower-case ASCII. Returns undefined if it is not a domain. */
export function hostOf(domain: string): string | undefined {
  const name = domain.trim().replace(/\.$/, '');
  if (/[\s/?#@:\\[\]]/.test(name)) return undefined;
  try {
    const { hostname } = new URL(`http://${name}`);
    const labels = hostname.split('.');
    const isValid =
      labels.length > 1 && labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
    return isValid && !/^\d+$/.test(labels.at(-1)!) ? hostname : undefined;
  } catch {
    return undefined;
  }
}

/** Get the normalized domain of an email address. Returns undefined if the domain is invalid. */
export const emailHostOf = (email: string): string | undefined => hostOf(email.slice(email.lastIndexOf('@') + 1));

/** Check whether an organization has proven that it owns a domain. */
export const isVerified = ({ state }: OrganizationDomainRecord): boolean =>
  state === 'verified' || state === 'legacy_verified';

/** Find the organization's domain for an email address, verified or not. */
export const domainOfEmail = (memory: Memory, email: string): OrganizationDomainRecord | undefined =>
  memory.of(organizationDomains).by('domain', emailHostOf(email) ?? '');

/** Find the organization with a verified domain for an email address. */
export function ownerOfEmail(memory: Memory, email: string): string | undefined {
  const domain = domainOfEmail(memory, email);
  return domain && isVerified(domain) ? domain.organizationId : undefined;
}

/** Find the problem of a domain that an organization claims, if any. */
export function domainProblem(memory: Memory, domain: string, field: string): RequestProblem | undefined {
  const host = hostOf(domain);
  if (host === undefined) return { field, code: 'invalid_domain', message: 'must be a domain such as acme.test' };
  const { consumerDomains } = memory.settings;
  if (consumerDomains ? consumerDomains.includes(host) : isConsumerDomain(host))
    return {
      field,
      code: 'domain_not_allowed',
      message: `${host} is a consumer mail domain; no organization can own it`,
    };
  return undefined;
}

/** Refuse the domains that have problems. @throws {EmulatorRefusal} 422. */
export function refuseDomains(problems: readonly (RequestProblem | undefined)[]): void {
  const errors = problems.filter((problem) => problem !== undefined);
  if (errors.length === 0) return;
  const code = 'domain_not_allowed';
  throw errors.some((problem) => problem.code === code) ? unprocessable(errors, code) : unprocessable(errors);
}

/** Refuse a domain that belongs to another organization. @throws {EmulatorRefusal} 409. */
export function refuseTakenDomain(memory: Memory, host: string, organizationId?: string): void {
  const holder = memory.of(organizationDomains).by('domain', host);
  if (holder && holder.organizationId !== organizationId)
    throw conflict('domain_already_exists', `The domain ${host} already belongs to an organization`);
}

export const newDomain = body({
  ...pinned,
  /** Organization that owns the domain. */
  organizationId: string,
  ...organizationDomainData.shape,
});
/** The fields of a new domain. */
interface NewDomain extends Fields<typeof newDomain> {}

/** Add a domain to an organization. The caller emits the event. */
export function insertDomain(
  memory: Memory,
  { id, organizationId, domain, state }: NewDomain,
): OrganizationDomainRecord {
  return memory.of(organizationDomains).insert({
    id,
    object: 'organization_domain',
    organizationId,
    domain,
    state,
    ...(state === 'verified' && isManual(memory) ? { verificationStrategy: 'manual' } : newDnsToken(memory)),
    ...timesIn(memory, 'createdAt', 'updatedAt'),
  });
}

const changeDomain = (
  memory: Memory,
  id: string,
  changes: Partial<Omit<OrganizationDomainRecord, 'id'>>,
): OrganizationDomainRecord =>
  memory.of(organizationDomains).update(id, { ...changes, ...timesIn(memory, 'updatedAt') });

/** Return the timestamps of a domain, which only some dialects have. */
const timesIn = (
  memory: Memory,
  ...times: readonly ('createdAt' | 'updatedAt')[]
): Partial<OrganizationDomainRecord> =>
  memory.settings.dialect.extraResponseFields ? Object.fromEntries(times.map((time) => [time, memory.now])) : {};

/** Add a pending domain to an organization and emit the event. @throws {EmulatorRefusal} 422, 409. */
export function claimDomain(memory: Memory, organizationId: string, name: string): OrganizationDomainRecord {
  refuseDomains([domainProblem(memory, name, 'domain')]);
  // `domainProblem` has checked that `hostOf` returns a host.
  const host = hostOf(name)!;
  refuseTakenDomain(memory, host);
  const domain = insertDomain(memory, { organizationId, domain: host, state: 'pending' });
  memory.emit('organization_domain.created', domain);
  return domain;
}

/** Delete a domain and emit the event. @throws {EmulatorRefusal} 404. */
export function removeDomain(memory: Memory, id: string): void {
  memory.emit('organization_domain.deleted', memory.delete(organizationDomains, id));
}

/** Replace the domains of an organization. Missing ones are deleted; existing ones get the given state. */
export function replaceDomains(
  memory: Memory,
  organizationId: string,
  targets: readonly DomainTarget[],
): { /** Emit an event for each change. */ readonly emit: () => void } {
  const domains = memory.of(organizationDomains);
  const changes: [DomainChange, OrganizationDomainRecord][] = [];
  const hosts = new Set(targets.map(({ host }) => host));
  for (const { id, domain } of domains.where('organizationId', organizationId).values())
    if (!hosts.has(domain)) changes.push(['deleted', memory.delete(organizationDomains, id)]);
  for (const { host, state } of targets) {
    const record = domains.by('domain', host);
    if (!record)
      changes.push(['created', insertDomain(memory, { organizationId, domain: host, state: state ?? 'pending' })]);
    else if (state === 'verified' && record.state !== 'verified')
      changes.push([
        'verified',
        changeDomain(memory, record.id, { state, ...(isManual(memory) && { verificationStrategy: 'manual' }) }),
      ]);
    else if (state === 'pending' && record.state !== 'pending')
      changes.push(['updated', changeDomain(memory, record.id, { state, ...newDnsToken(memory) })]);
  }
  return {
    emit: () => {
      for (const [change, domain] of changes) memory.emit(`organization_domain.${change}`, domain);
    },
  };
}
type DomainChange = 'created' | 'updated' | 'verified' | 'deleted';

/** Times of scheduled automatic verifications, in milliseconds since 1970, by domain id. */
const verifications = table<number>('domain verification', number);

function scheduleVerification(memory: Memory, id: string, at: number): void {
  memory.schedule(at, () => {
    memory.of(verifications).delete(id);
    if (memory.of(organizationDomains).find(id)?.state === 'pending') finishVerification(memory, id, 'verified');
  });
}

/** Resume the scheduled verifications of a restored world. */
export function resumeVerifications(memory: Memory): void {
  for (const [id, at] of memory.of(verifications).entries()) scheduleVerification(memory, id, at);
}

/** Start the DNS verification. The domain stays pending until it is verified or fails. A failed domain gets a new token. */
export function startVerification(memory: Memory, id: string): OrganizationDomainRecord {
  const domains = memory.of(organizationDomains);
  let domain = domains.get(id);
  if (isVerified(domain)) return domain;
  if (domain.state !== 'pending') {
    domain = changeDomain(memory, id, { state: 'pending', ...newDnsToken(memory) });
    memory.emit('organization_domain.updated', domain);
  }
  const { autoVerifyAfterMs } = memory.settings;
  if (autoVerifyAfterMs !== undefined) {
    const at = memory.clock.now() + autoVerifyAfterMs;
    memory.of(verifications).set(id, at);
    scheduleVerification(memory, id, at);
  }
  return domain;
}

/** The reason of a failed verification. */
export type VerificationFailure = 'domain_verification_period_expired' | 'domain_verified_by_other_organization';

/** Finish a verification and emit the event. @throws {EmulatorRefusal} 404 for an unknown domain, 400 if it is not pending. */
export function finishVerification(
  memory: Memory,
  id: string,
  outcome: 'verified' | 'failed',
  reason: VerificationFailure = 'domain_verification_period_expired',
): OrganizationDomainRecord {
  const domains = memory.of(organizationDomains);
  const { state, domain: name } = domains.get(id);
  if (state !== 'pending')
    throw badRequest('domain_not_pending', `The domain ${name} is ${state}; only a pending domain can be verified`);
  const domain = changeDomain(memory, id, { state: outcome });
  // The actor is the service, not the caller.
  const service = memory.as(system);
  if (outcome === 'verified') service.emit('organization_domain.verified', domain);
  else service.emit('organization_domain.verification_failed', { reason, organizationDomain: domain });
  return domain;
}

/** Check whether a domain that is created as verified has the strategy `manual` instead of a DNS token. */
const isManual = (memory: Memory): boolean => memory.settings.dialect.nullForAbsent;

const newDnsToken = (memory: Memory) => ({ verificationStrategy: 'dns', verificationToken: memory.ids.token(25) });

export const domainFacts: Facts<OrganizationDomainRecord> = {
  model: organizationDomain,
  all: (memory) => memory.of(organizationDomains),
  columns: ['domain', 'state', 'id'],
  empty: 'No domains.',
  actions: [{ control: 'verifyDomain', label: 'Verify', when: ({ state }) => state === 'pending' }],
};
