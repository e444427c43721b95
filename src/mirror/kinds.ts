import type { Sallyport } from '../client/sallyport.js';
import { wireName } from '../http/json.js';
import type { EventName } from '../service/events/names.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';

/** The part of the client that a mirror uses. */
export type MirrorClient = Pick<Sallyport, 'events' | 'userManagement' | 'organizations' | 'directorySync'>;

/** A kind of object that a mirror can copy. Groups of directories are copied with their members. */
export type MirrorKind =
  | 'users'
  | 'organizations'
  | 'memberships'
  | 'directories'
  | 'directory_users'
  | 'directory_groups';

/** A kind with a table: also the links between groups and users. */
export type TableKind = MirrorKind | 'directory_group_users';

/** A record of the service. */
export type Rec = { readonly id: string } & Readonly<Record<string, unknown>>;

/** Query of a page of a list. */
export interface PageQuery {
  readonly after?: string | undefined;
  readonly limit: number;
  readonly order: 'asc';
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onInvalid?: (record: unknown, problem: string) => void;
}

/** Where the records of a kind come from, and what its table contains. */
export interface Kind {
  /** Fields between `id` and `updatedAt`. Their columns have the names of the service, such as `first_name`. */
  readonly fields: readonly string[];
  /** Kinds whose deletion ends a record, by the column with their id. */
  readonly parents: Readonly<Record<string, TableKind>>;
  /** Family of the events. */
  readonly family: string;
  readonly verbs: readonly string[];
  /** Path of the list, which the limits depend on. */
  readonly path: string;
  /** The column with the id of the object that it is listed by, if any. */
  readonly listedBy?: string;
  readonly list?: (client: MirrorClient, page: PageQuery, by: string, options: CallOptions) => PagePromise<object>;
  readonly get?: (client: MirrorClient, id: string, options: CallOptions) => Call<object>;
}

/** All statuses of memberships. The service lists only active ones by itself. */
export const membershipStatuses = ['active', 'inactive', 'pending'] as const;

const verbs = ['created', 'updated', 'deleted'];
const byDirectory = { directory_id: 'directories', organization_id: 'organizations' } as const;

/** The kinds, in the order of the copy. */
export const kinds: Readonly<Record<TableKind, Kind>> = {
  organizations: {
    fields: ['name', 'externalId', 'createdAt', 'data'],
    parents: {},
    family: 'organization',
    verbs,
    path: '/organizations',
    list: (client, page, _, options) => client.organizations.listOrganizations(page, options),
    get: (client, id, options) => client.organizations.getOrganization(id, options),
  },
  users: {
    fields: ['email', 'name', 'firstName', 'lastName', 'externalId', 'createdAt', 'data'],
    parents: {},
    family: 'user',
    verbs,
    path: '/user_management/users',
    list: (client, page, _, options) => client.userManagement.listUsers(page, options),
    get: (client, id, options) => client.userManagement.getUser(id, options),
  },
  memberships: {
    fields: ['userId', 'organizationId', 'role', 'status', 'createdAt', 'data'],
    parents: { user_id: 'users', organization_id: 'organizations' },
    family: 'organization_membership',
    verbs,
    path: '/user_management/organization_memberships',
    listedBy: 'organization_id',
    list: (client, page, organizationId, options) =>
      client.userManagement.listOrganizationMemberships(
        { ...page, organizationId, statuses: membershipStatuses },
        options,
      ),
    get: (client, id, options) => client.userManagement.getOrganizationMembership(id, options),
  },
  directories: {
    fields: ['organizationId', 'name', 'type', 'state', 'createdAt', 'data'],
    parents: { organization_id: 'organizations' },
    family: 'dsync',
    verbs: ['activated', 'deleted'],
    path: '/directories',
    list: (client, page, _, options) => client.directorySync.listDirectories(page, options),
    get: (client, id, options) => client.directorySync.getDirectory(id, options),
  },
  directory_groups: {
    fields: ['directoryId', 'organizationId', 'name', 'createdAt', 'data'],
    parents: byDirectory,
    family: 'dsync.group',
    verbs,
    path: '/directory_groups',
    listedBy: 'directory_id',
    list: (client, page, directory, options) => client.directorySync.listGroups({ ...page, directory }, options),
    get: (client, id, options) => client.directorySync.getGroup(id, options),
  },
  directory_users: {
    fields: ['directoryId', 'organizationId', 'email', 'firstName', 'lastName', 'role', 'state', 'createdAt', 'data'],
    parents: byDirectory,
    family: 'dsync.user',
    verbs,
    path: '/directory_users',
    listedBy: 'directory_id',
    list: (client, page, directory, options) => client.directorySync.listUsers({ ...page, directory }, options),
    get: (client, id, options) => client.directorySync.getUser(id, options),
  },
  directory_group_users: {
    fields: ['groupId', 'userId', 'directoryId'],
    parents: { group_id: 'directory_groups', user_id: 'directory_users', directory_id: 'directories' },
    family: 'dsync.group',
    verbs: ['user_added', 'user_removed'],
    path: '/directory_users',
  },
};

/** Return the kinds with a table if these are mirrored, in the order of the copy. */
export const tableKinds = (of: readonly string[]): readonly TableKind[] =>
  // The keys of an object literal are those of its type.
  (Object.keys(kinds) as TableKind[]).filter((kind) =>
    kind === 'directory_group_users'
      ? of.includes('directory_users') && of.includes('directory_groups')
      : of.includes(kind),
  );

/** The event types that change the records of these kinds. */
export const eventsOf = (of: readonly TableKind[]): readonly EventName[] =>
  [
    ...of.flatMap((kind) => kinds[kind].verbs.map((verb) => `${kinds[kind].family}.${verb}`)),
    ...(of.includes('organizations') ? domainEvents : []),
    // A test compares the names with those of the service.
  ] as EventName[];

/** Events after which the domains in the record of an organization are different. */
export const domainEvents = [
  'organization_domain.created',
  'organization_domain.updated',
  'organization_domain.deleted',
  'organization_domain.verified',
  'organization_domain.verification_failed',
] as const;

const fieldsOf = (kind: TableKind): readonly string[] => ['id', ...kinds[kind].fields, 'updatedAt', 'seenAt'];

/** Return all columns of the table of a kind. */
export const columnsOf = (kind: TableKind): readonly string[] => fieldsOf(kind).map(wireName);

/** Return the values of a row, in the order of its columns. A role is stored as its slug. */
export function rowOf(kind: TableKind, record: Rec, seenAt: string): readonly (string | null)[] {
  const known = {
    ...record,
    data: json(record),
    role: (Object(record.role) as { readonly slug?: unknown }).slug,
    updatedAt: isoOf(record.updatedAt) ?? seenAt,
    seenAt,
    ...(kind === 'directories' && { state: directoryStates[String(record.state)] ?? record.state }),
  };
  return fieldsOf(kind).map((field) => {
    const value = (known as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'string' ? value : null;
  });
}

/** Older events write other words for the state of a directory. */
const directoryStates: Readonly<Record<string, string>> = { active: 'linked', inactive: 'unlinked' };

/** Return a time as ISO 8601 in UTC with milliseconds, so that texts can be compared; undefined if it is not a time. */
export function isoOf(time: unknown): string | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** Leave out secrets and what other tables contain, and what PostgreSQL does not store: NUL and unpaired surrogates. */
const json = ({ apiKey: _key, previousAttributes: _previous, groups: _groups, user: _user, ...data }: Rec): string =>
  JSON.stringify(data).replace(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) => (found === '\\\\' ? found : '\ufffd'));

/** Return the record of a link between a group and a directory user. A link has no `updatedAt`. */
export const linkOf = (groupId: string, { id: userId, directoryId }: Rec): Rec => ({
  id: `${groupId} ${userId}`,
  groupId,
  userId,
  directoryId,
});

/** The ids of the groups of a directory user. */
export const groupsOf = ({ groups }: Rec): readonly string[] =>
  Array.isArray(groups) ? groups.map((group) => (group as Rec).id) : [];
