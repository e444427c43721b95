import { body, type Fields, maybe, oneOf, optional, part, ref, string } from '../../../service/describe/define.js';
import { type Directory, directory } from '../../../service/directory-sync.js';
import { pinned } from '../../world/pinned.js';
import { collection, type World } from '../../world/world.js';
import { hostOf, organizationDomains } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';

const { shape } = directory;
/** What the directories of some providers have. */
const ofProvider = {
  /** Key under which the provider reaches the directory; a new one when not given. */
  externalKey: shape.externalKey,
  /** Key with which the service reads from the provider, where it needs one. */
  apiKey: shape.apiKey,
  /** The customer's subdomain at the provider, where it has one. */
  subdomain: shape.subdomain,
  /** Address at which the provider and the service meet, where there is one. */
  endpoint: shape.endpoint,
  /** Name with which the service signs in at the provider, where it needs one. */
  username: shape.username,
};
type OfProvider = Pick<Directory, keyof typeof ofProvider>;

/** A directory as the emulator stores it. */
export interface DirectoryRecord
  extends Required<Omit<Directory, 'object' | 'domains' | 'metadata' | keyof OfProvider>>,
    OfProvider {}

const { object: _object, domains: _domains, metadata: _metadata, ...stored } = shape;

/** The directories of organizations; users and groups are kept apart. */
export const directories = collection<DirectoryRecord>({
  object: 'directory',
  prefix: 'directory',
  index: ['organizationId', 'domain'],
  record: ref<DirectoryRecord>(part({ ...stored })),
});

export const newDirectory = body({
  ...pinned,
  /** Descriptive name. */
  name: string,
  /** Organization whose people are in it; none when not given. */
  organizationId: maybe(string),
  /** Email domain of the people in it; the organization's first when not given. */
  domain: maybe(string),
  /** Provider of the directory; `generic scim v2.0` when not given. */
  type: optional(shape.type),
  /** Whether it is connected; `linked` when not given. */
  state: optional(oneOf('linked', 'unlinked', 'validating', 'invalid_credentials', 'deleting')),
  ...ofProvider,
});
/** A directory to make. */
export interface NewDirectory extends Fields<typeof newDirectory> {}

export const directoryChanges = body({
  /** Descriptive name. */
  name: optional(string),
  /** Email domain of the people in it. */
  domain: newDirectory.shape.domain,
  /** Whether it is connected. */
  state: newDirectory.shape.state,
});
/** What changes of a directory; what is left out stays as it is. */
export interface DirectoryChanges extends Fields<typeof directoryChanges> {}

/** Put a directory into a world, without an event. @throws {Refusal} 404 for an unknown organization. */
export function insertDirectory(world: World, fields: NewDirectory): DirectoryRecord {
  const { id, name, organizationId = null, type = 'generic scim v2.0', state = 'linked' } = fields;
  if (organizationId !== null) world.of(organizations).get(organizationId);
  const domain = fields.domain === undefined ? domainsOf(world, organizationId)[0]?.domain : fields.domain;
  const { now } = world;
  return world.of(directories).insert({
    ...(id === undefined ? {} : { id }),
    domain: normal(domain ?? null),
    name,
    organizationId,
    state,
    type,
    externalKey: world.ids.token(16),
    ...ofProviderIn(fields),
    createdAt: now,
    updatedAt: now,
  });
}

/** Make a directory, and emit the event when it is linked. @throws {Refusal} 404 for an unknown organization. */
export function createDirectory(world: World, fields: NewDirectory): DirectoryRecord {
  const record = insertDirectory(world, fields);
  if (record.state === 'linked') emitActivated(world, record);
  return record;
}

/** Change a directory; becoming linked emits an event, other changes none. @throws {Refusal} 404. */
export function updateDirectory(world: World, id: string, changes: DirectoryChanges): DirectoryRecord {
  const before = world.of(directories).get(id);
  const record = world.of(directories).update(id, {
    name: changes.name ?? before.name,
    domain: changes.domain === undefined ? before.domain : normal(changes.domain),
    state: changes.state ?? before.state,
    updatedAt: world.now,
  });
  if (record.state === 'linked' && before.state !== 'linked') emitActivated(world, record);
  return record;
}

/** Delete a directory with everybody in it, and emit one event: its users and groups have none of their own. */
export function removeDirectory(world: World, id: string): void {
  const { externalKey, apiKey, subdomain, endpoint, username, ...short } = world.of(directories).delete(id);
  world.emit('dsync.deleted', { ...directoryView(world, short), state: stateInEvents(world, short.state) });
}

/** What a directory has of its provider; what is null it has not. */
const ofProviderIn = (fields: NewDirectory): OfProvider =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => name in ofProvider && (value ?? null) !== null));

/** The world in which what happens is the doing of the directory that something is in. */
export function directoryIn(world: World, { directoryId }: { readonly directoryId: string }): World {
  const { id, name } = world.of(directories).get(directoryId);
  return world.by({ id, source: 'directory', name });
}

/** A directory as callers see it. */
export const directoryView = (world: World, record: DirectoryRecord) => ({
  ...objectIn(world, 'directory'),
  ...record,
});

/** The `object` of what the specification gives none, where the dialect writes it. */
export const objectIn = <const Name extends string>(world: World, object: Name): { readonly object?: Name } =>
  world.settings.dialect.extraResponseFields ? { object } : {};

function emitActivated(world: World, record: DirectoryRecord): void {
  world.emit('dsync.activated', {
    ...directoryView(world, record),
    state: stateInEvents(world, record.state),
    domains: domainsOf(world, record.organizationId).map(({ id, domain }) => ({
      object: 'organization_domain',
      id,
      domain,
    })),
  });
}

const older: Readonly<Record<string, Directory['state']>> = { linked: 'active', unlinked: 'inactive' };

const stateInEvents = (world: World, state: Directory['state']): Directory['state'] =>
  world.settings.dialect.directoryStateInEvents === 'active' ? (older[state] ?? state) : state;

const domainsOf = (world: World, organizationId: string | null) =>
  organizationId === null ? [] : world.of(organizationDomains).where('organizationId', organizationId).values();

const normal = (domain: string | null): string | null => (domain === null ? null : (hostOf(domain) ?? domain));
