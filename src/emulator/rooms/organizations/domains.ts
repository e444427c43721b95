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
import { system } from '../../world/actor.js';
import { pinned } from '../../world/pinned.js';
import { badRequest, conflict, type RequestProblem, unprocessable } from '../../world/refusal.js';
import { collection, table, type World } from '../../world/world.js';
import { isConsumerDomain } from './consumer-domains.js';

/** A domain as the emulator stores it. */
export interface OrganizationDomainRecord
  extends Required<Omit<OrganizationDomain, 'verificationToken' | 'createdAt' | 'updatedAt'>>,
    Pick<OrganizationDomain, 'verificationToken' | 'createdAt' | 'updatedAt'> {
  readonly organizationId: string;
  readonly state: NonNullable<OrganizationDomain['state']>;
}

/** A domain that an organization is to have. */
export interface DomainTarget {
  readonly host: string;
  /** Absent where only the name is given: what is there stays as it is, what is new starts as pending. */
  readonly state: 'pending' | 'verified' | undefined;
}

/** The email domains of all organizations. */
export const organizationDomains = collection<OrganizationDomainRecord>({
  object: 'organization domain',
  prefix: 'org_domain',
  unique: ['domain'],
  index: ['organizationId'],
  record: ref<OrganizationDomainRecord>(
    part({
      object: organizationDomain.shape.object,
      id: string,
      organizationId: string,
      domain: string,
      state: open<NonNullable<OrganizationDomain['state']>>(),
      verificationStrategy: nullable(string),
      verificationToken: maybe(string),
      createdAt: maybe(timestamp),
      updatedAt: maybe(timestamp),
    }),
  ),
});

/** A domain as it is compared: lower case, in ASCII; undefined when it is none. */
export function hostOf(domain: string): string | undefined {
  const name = domain.trim().replace(/\.$/, '');
  if (/[\s/?#@:\\[\]]/.test(name)) return undefined;
  try {
    const { hostname } = new URL(`http://${name}`);
    const labels = hostname.split('.');
    const fits = labels.length > 1 && labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
    return fits && !/^\d+$/.test(labels.at(-1)!) ? hostname : undefined;
  } catch {
    return undefined;
  }
}

/** The domain of an email address, as domains are compared; undefined when it is none. */
export const emailHostOf = (email: string): string | undefined => hostOf(email.slice(email.lastIndexOf('@') + 1));

/** Whether an organization has proven that a domain is its own. */
export const isVerified = ({ state }: OrganizationDomainRecord): boolean =>
  state === 'verified' || state === 'legacy_verified';

/** The domain that an email address is in, verified or not; undefined when it is no organization's. */
export const domainOfEmail = (world: World, email: string): OrganizationDomainRecord | undefined =>
  world.of(organizationDomains).by('domain', emailHostOf(email) ?? '');

/** The organization whose verified domain an email address is in; undefined when it is in nobody's. */
export function ownerOfEmail(world: World, email: string): string | undefined {
  const domain = domainOfEmail(world, email);
  return domain && isVerified(domain) ? domain.organizationId : undefined;
}

/** What is wrong with a domain that an organization wants to own. */
export function objectionTo(world: World, domain: string, field: string): RequestProblem | undefined {
  const host = hostOf(domain);
  if (host === undefined) return { field, code: 'invalid_domain', message: 'must be a domain such as acme.test' };
  const { consumerDomains } = world.settings;
  if (consumerDomains ? consumerDomains.includes(host) : isConsumerDomain(host))
    return {
      field,
      code: 'domain_not_allowed',
      message: `${host} is a consumer mail domain; no organization can own it`,
    };
  return undefined;
}

/** Refuse what is objectionable. */
export function refuseDomains(objections: readonly (RequestProblem | undefined)[]): void {
  const errors = objections.filter((objection) => objection !== undefined);
  if (errors.length === 0) return;
  const code = 'domain_not_allowed';
  throw errors.some((objection) => objection.code === code) ? unprocessable(errors, code) : unprocessable(errors);
}

/** Refuse a domain that another organization than this one has. */
export function refuseTakenDomain(world: World, host: string, organizationId?: string): void {
  const holder = world.of(organizationDomains).by('domain', host);
  if (holder && holder.organizationId !== organizationId)
    throw conflict('domain_already_exists', `The domain ${host} already belongs to an organization`);
}

export const newDomain = body({
  ...pinned,
  /** Organization whose domain it is. */
  organizationId: string,
  ...organizationDomainData.shape,
});
/** A domain of an organization to make. */
export interface NewDomain extends Fields<typeof newDomain> {}

/** Give an organization a domain; the caller emits the event. */
export function insertDomain(world: World, { id, organizationId, domain, state }: NewDomain): OrganizationDomainRecord {
  return world.of(organizationDomains).insert({
    ...(id === undefined ? {} : { id }),
    object: 'organization_domain',
    organizationId,
    domain,
    state,
    ...(state === 'verified' && isManual(world) ? { verificationStrategy: 'manual' } : freshToken(world)),
    ...timesIn(world, 'createdAt', 'updatedAt'),
  });
}

const changeDomain = (
  world: World,
  id: string,
  changes: Partial<Omit<OrganizationDomainRecord, 'id'>>,
): OrganizationDomainRecord => world.of(organizationDomains).update(id, { ...changes, ...timesIn(world, 'updatedAt') });

/** When a domain came or changed, which not every dialect says. */
const timesIn = (world: World, ...times: readonly ('createdAt' | 'updatedAt')[]): Partial<OrganizationDomainRecord> =>
  world.settings.dialect.extraResponseFields ? Object.fromEntries(times.map((time) => [time, world.now])) : {};

/** Give an organization a domain that it says is its own, and emit the event. @throws {Refusal} 422, 409. */
export function claimDomain(world: World, organizationId: string, name: string): OrganizationDomainRecord {
  refuseDomains([objectionTo(world, name, 'domain')]);
  // The objection above has left only names that are hosts.
  const host = hostOf(name)!;
  refuseTakenDomain(world, host);
  const domain = insertDomain(world, { organizationId, domain: host, state: 'pending' });
  world.emit('organization_domain.created', domain);
  return domain;
}

/** Take a domain from its organization, and emit the event. */
export function removeDomain(world: World, id: string): void {
  world.emit('organization_domain.deleted', world.of(organizationDomains).delete(id));
}

/** Make these the domains of an organization: new ones come, missing ones go, those that stay take the given state. */
export function replaceDomains(
  world: World,
  organizationId: string,
  targets: readonly DomainTarget[],
): { /** Emits an event for each change. */ readonly emit: () => void } {
  const domains = world.of(organizationDomains);
  const changes: [Change, OrganizationDomainRecord][] = [];
  const hosts = new Set(targets.map(({ host }) => host));
  for (const { id, domain } of domains.where('organizationId', organizationId).values())
    if (!hosts.has(domain)) changes.push(['deleted', domains.delete(id)]);
  for (const { host, state } of targets) {
    const record = domains.by('domain', host);
    if (!record)
      changes.push(['created', insertDomain(world, { organizationId, domain: host, state: state ?? 'pending' })]);
    else if (state === 'verified' && record.state !== 'verified')
      changes.push([
        'verified',
        changeDomain(world, record.id, { state, ...(isManual(world) && { verificationStrategy: 'manual' }) }),
      ]);
    else if (state === 'pending' && record.state !== 'pending')
      changes.push(['updated', changeDomain(world, record.id, { state, ...freshToken(world) })]);
  }
  return {
    emit: () => {
      for (const [change, domain] of changes) world.emit(`organization_domain.${change}`, domain);
    },
  };
}
type Change = 'created' | 'updated' | 'verified' | 'deleted';

/** When pending domains are found verified by themselves, in milliseconds since 1970, by their ids. */
const verifications = table<number>('domain verification', number);

function scheduleVerification(world: World, id: string, at: number): void {
  world.schedule(at, () => {
    world.of(verifications).delete(id);
    if (world.of(organizationDomains).find(id)?.state === 'pending') settleVerification(world, id, 'verified');
  });
}

/** Go on with the verifications of a world that was saved. */
export function resumeVerifications(world: World): void {
  for (const [id, at] of world.of(verifications).entries()) scheduleVerification(world, id, at);
}

/** Start the verification by DNS; the domain stays pending until it is settled. A domain that failed gets a new token. */
export function startVerification(world: World, id: string): OrganizationDomainRecord {
  const domains = world.of(organizationDomains);
  let domain = domains.get(id);
  if (isVerified(domain)) return domain;
  if (domain.state !== 'pending') {
    domain = changeDomain(world, id, { state: 'pending', ...freshToken(world) });
    world.emit('organization_domain.updated', domain);
  }
  const { autoVerifyAfterMs } = world.settings;
  if (autoVerifyAfterMs !== undefined) {
    const at = world.clock.now() + autoVerifyAfterMs;
    world.of(verifications).set(id, at);
    scheduleVerification(world, id, at);
  }
  return domain;
}

/** Why a verification failed. */
export type VerificationFailure = 'domain_verification_period_expired' | 'domain_verified_by_other_organization';

/** End a verification. @throws {Refusal} 404 for an unknown domain, 400 when it is not pending. */
export function settleVerification(
  world: World,
  id: string,
  outcome: 'verified' | 'failed',
  reason: VerificationFailure = 'domain_verification_period_expired',
): OrganizationDomainRecord {
  const domains = world.of(organizationDomains);
  const { state, domain: name } = domains.get(id);
  if (state !== 'pending')
    throw badRequest('domain_not_pending', `The domain ${name} is ${state}; only a pending one can be settled`);
  const domain = changeDomain(world, id, { state: outcome });
  // The service finds it out by itself.
  const service = world.by(system);
  if (outcome === 'verified') service.emit('organization_domain.verified', domain);
  else service.emit('organization_domain.verification_failed', { reason, organizationDomain: domain });
  return domain;
}

/** Whether a domain that somebody calls verified says so: its owner has other proof than a DNS record. */
const isManual = (world: World): boolean => world.settings.dialect.nullForAbsent;

const freshToken = (world: World) => ({ verificationStrategy: 'dns', verificationToken: world.ids.token(25) });
