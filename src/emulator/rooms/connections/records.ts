import {
  array,
  body,
  constant,
  type Fields,
  maybe,
  nullable,
  oneOf,
  opaque,
  optional,
  part,
  ref,
  string,
  timestamp,
  valueAs,
} from '../../../service/describe/define.js';
import { type RoleReference, roleReference } from '../../../service/roles.js';
import { connection, profile } from '../../../service/sso.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, conflict, unprocessableField } from '../../store/refusal.js';
import type { Selection } from '../../store/selection.js';
import type { Stored } from '../../store/view.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory, table } from '../../world/memory.js';
import { hostOf, organizationDomains } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import { roleFor } from '../organizations/roles.js';

/** An email domain of a connection. */
interface ConnectionDomain {
  readonly object: 'connection_domain';
  readonly id: string;
  readonly domain: string;
}

const connectionRecord = part({
  id: string,
  organizationId: nullable(string),
  connectionType: connection.shape.connectionType,
  name: string,
  state: connection.shape.state,
  externalKey: nullable(string),
  /** Domains of the connection; null if it uses those of its organization. */
  ownDomains: nullable(
    array(ref<ConnectionDomain>(part({ object: constant('connection_domain'), id: string, domain: string }))),
  ),
  /** Names of the domains in `ownDomains`, for the index. */
  ownHosts: array(string),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A connection as the emulator stores it. */
export interface ConnectionRecord extends Stored<typeof connectionRecord> {}

/** Connections to identity providers. */
export const connections = collection<ConnectionRecord>({
  object: 'connection',
  prefix: 'conn',
  publicToken: 'id',
  index: ['connectionType', 'ownHosts'],
  refersTo: { organizationId: 'organization' },
  record: ref(connectionRecord),
});

/** Connections that refuse sign-ins started at the identity provider. */
export const withoutIdpInitiation = table<true>('connection without sign-in from the identity provider', valueAs());

export const newConnection = body({
  ...pinned,
  /** Provider and protocol, such as `OktaSAML`. */
  connectionType: connection.shape.connectionType,
  /** Organization whose users sign in with the connection; none by default. */
  organizationId: maybe(string),
  /** Descriptive name; by default the name of the organization. */
  name: optional(string),
  /** State; default `active`. Users can sign in only with an active connection. */
  state: optional(oneOf('active', 'inactive', 'draft', 'requires_type', 'validating', 'deleting')),
  /** Email domains of the users; by default those of the organization. */
  domains: optional(array(string)),
});
/** The fields of a new connection. */
export interface NewConnection extends Fields<typeof newConnection> {}

/** Add a connection to a world without an event. @throws {EmulatorRefusal} 404 for an unknown organization. */
export function insertConnection(memory: Memory, fields: NewConnection): ConnectionRecord {
  const { id, connectionType, organizationId = null, state = 'active', domains } = fields;
  const organization = organizationId === null ? undefined : memory.of(organizations).get(organizationId);
  const externalKey = memory.ids.token(25);
  const ownDomains = domains ? domains.map((domain) => connectionDomain(memory, domain)) : null;
  return memory.of(connections).insert({
    id,
    organizationId,
    connectionType,
    name: fields.name ?? organization?.name ?? connectionType,
    state,
    externalKey,
    ownDomains,
    ownHosts: ownDomains?.map(({ domain }) => domain) ?? [],
  });
}

function connectionDomain(memory: Memory, name: string): ConnectionDomain {
  const domain = hostOf(name) ?? name.toLowerCase();
  const record = memory.of(organizationDomains).by('domain', domain);
  return { object: 'connection_domain', id: record?.id ?? memory.ids('conn_domain'), domain };
}

/** Create a connection, and emit the event if it is active. @throws {EmulatorRefusal} 404 for an unknown organization. */
export function createConnection(memory: Memory, fields: NewConnection): ConnectionRecord {
  const record = insertConnection(memory, fields);
  if (record.state === 'active') memory.emit('connection.activated', inEvent(memory, record));
  return record;
}

/** Activate a connection and emit the event. Does nothing if it is active. @throws {EmulatorRefusal} 404. */
export function activateConnection(memory: Memory, id: string): ConnectionRecord {
  const before = memory.of(connections).get(id);
  if (before.state === 'active') return before;
  const record = memory.of(connections).update(id, { state: 'active' });
  memory.emit('connection.activated', inEvent(memory, record));
  return record;
}

/**
 * Deactivate a connection and emit the event. Does nothing if it is inactive.
 *
 * @throws {EmulatorRefusal} 404, or 400 for a connection that was never active.
 */
export function deactivateConnection(memory: Memory, id: string): ConnectionRecord {
  const before = memory.of(connections).get(id);
  if (before.state === 'inactive') return before;
  if (before.state !== 'active')
    throw badRequest(
      'connection_not_active',
      `The connection ${id} is ${before.state}; only an active one can be deactivated. Activate it first`,
    );
  const record = memory.of(connections).update(id, { state: 'inactive' });
  memory.emit('connection.deactivated', inEvent(memory, record));
  return record;
}

/** Delete a connection and its profiles, and emit the event. @throws {EmulatorRefusal} 404. */
export function removeConnection(memory: Memory, id: string): void {
  const last = connectionView(memory, memory.of(connections).get(id));
  memory.delete(connections, id);
  memory.emit('connection.deleted', last);
}

/** List the email domains of a connection. */
const domainsOf = (memory: Memory, { ownDomains, organizationId }: ConnectionRecord): readonly ConnectionDomain[] =>
  ownDomains ??
  (organizationId === null ? [] : memory.of(organizationDomains).where('organizationId', organizationId).values()).map(
    ({ id, domain }) => ({ object: 'connection_domain', id, domain }),
  );

/** Find the connections with this domain. */
export function connectionsAt(memory: Memory, host: string): Selection<ConnectionRecord> {
  const all = memory.of(connections);
  const owner = memory.of(organizationDomains).by('domain', host)?.organizationId;
  const ofOwner =
    owner === undefined ? [] : all.where('organizationId', owner).filter((one) => one.ownDomains === null);
  return all.among([...all.where('ownHosts', host).values(), ...ofOwner].map(({ id }) => id));
}

/** Convert a connection and its domains to the API format. */
export function connectionView(memory: Memory, record: ConnectionRecord) {
  const { ownDomains: _, ownHosts: _hosts, externalKey: _key, ...fields } = record;
  return {
    ...fields,
    domains: domainsOf(memory, record),
    ...(memory.settings.dialect.extraResponseFields ? { status: statusOf(record) } : {}),
  };
}

const inEvent = (memory: Memory, record: ConnectionRecord) => ({
  ...connectionView(memory, record),
  externalKey: record.externalKey,
  status: statusOf(record),
});

const statusOf = ({ state }: ConnectionRecord): 'linked' | 'unlinked' => (state === 'active' ? 'linked' : 'unlinked');

const profileRecord = part({
  id: string,
  connectionId: string,
  email: string,
  idpId: string,
  firstName: nullable(string),
  lastName: nullable(string),
  role: nullable(ref<RoleReference>(roleReference)),
  groups: array(string),
  customAttributes: opaque,
  rawAttributes: opaque,
});
/** A user at an identity provider, as the emulator stores it. */
export interface ProfileRecord extends Stored<typeof profileRecord> {}

/** The users of each connection. */
export const profiles = collection<ProfileRecord>({
  object: 'profile',
  prefix: 'prof',
  belongsTo: { connectionId: 'connection' },
  index: ['idpId'],
  record: ref(profileRecord),
});

export const newProfile = body({
  ...pinned,
  /** Connection that the user signs in with. */
  connectionId: string,
  /** Email address of the user. */
  email: profile.shape.email,
  /** Id of the user at the identity provider; default the email address. */
  idpId: optional(string),
  /** Given name. */
  firstName: maybe(string),
  /** Family name. */
  lastName: maybe(string),
  /** Role mapped from the groups at the identity provider. */
  role: profile.shape.role,
  /** Groups of the user at the identity provider. */
  groups: optional(array(string)),
  /** Attributes mapped for the application. Keys are never renamed. */
  customAttributes: optional(opaque),
  /** All attributes from the identity provider. Keys are never renamed. */
  rawAttributes: optional(opaque),
});
/** The fields of a new profile. */
export interface NewProfile extends Fields<typeof newProfile> {}

/**
 * Add a profile to a connection without an event.
 *
 * @throws {EmulatorRefusal} 404 for an unknown connection, 409 if it has a profile with this `idpId`, 422 for an unknown role.
 */
export function insertProfile(memory: Memory, fields: NewProfile): ProfileRecord {
  const { id, connectionId, email, idpId = email } = fields;
  const { organizationId } = memory.of(connections).get(connectionId);
  if (fields.role && !roleFor(memory, fields.role.slug, organizationId))
    throw unprocessableField(
      'role.slug',
      'role_not_found',
      'must be a role of the environment or of this organization',
    );
  const matches = memory.of(profiles).where('idpId', idpId);
  if (matches.find((other) => other.connectionId === connectionId))
    throw conflict('profile_already_exists', `The connection ${connectionId} already has a profile with this idp_id`);
  return memory.of(profiles).insert({
    id,
    connectionId,
    email,
    idpId,
    firstName: fields.firstName ?? null,
    lastName: fields.lastName ?? null,
    role: fields.role ?? null,
    groups: [...(fields.groups ?? [])],
    customAttributes: fields.customAttributes ?? {},
    rawAttributes: fields.rawAttributes ?? {},
  });
}

export const connectionFacts: Facts<ConnectionRecord> = {
  model: connection,
  all: (memory) => memory.of(connections),
  columns: ['name', ['connectionType', 'Type'], 'state', 'id'],
  empty: 'No connections.',
};
