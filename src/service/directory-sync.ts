import {
  array,
  boolean,
  decisive,
  type Fields,
  idOf,
  maybe,
  model,
  nullable,
  opaque,
  open,
  optional,
  part,
  query,
  ref,
  secret,
  string,
  timestamp,
  url,
} from './describe/define.js';
import { del, get, list, room } from './describe/operation.js';
import { type OrganizationDomain, organizationDomain } from './organization-domains.js';
import { type RoleReference, roleReference } from './roles.js';

export const directory = model(null, {
  /** `directory`, if the service sends it. */
  object: maybe(open<'directory'>()),
  /** Unique id, prefix `directory_`. */
  id: string,
  /** Email domain of its users. */
  domain: nullable(string),
  /** Descriptive name. */
  name: string,
  /** Id of the organization, prefix `org_`. */
  organizationId: nullable(string),
  /**
   * Connection state. Older events write `active` for `linked` and `inactive` for `unlinked`; `isDirectoryActive`
   * accepts both.
   */
  state: decisive(
    open<'linked' | 'unlinked' | 'validating' | 'invalid_credentials' | 'deleting' | 'active' | 'inactive'>(),
  ),
  /** Provider of the directory, such as `okta scim v2.0`. */
  type: open<
    | 'azure scim v2.0'
    | 'bamboohr'
    | 'breathe hr'
    | 'cezanne hr'
    | 'cyberark scim v2.0'
    | 'fourth hr'
    | 'generic scim v2.0'
    | 'gsuite directory'
    | 'hibob'
    | 'jump cloud scim v2.0'
    | 'okta scim v2.0'
    | 'onelogin scim v2.0'
    | 'people hr'
    | 'personio'
    | 'pingfederate scim v2.0'
    | 'rippling scim v2.0'
    | 'sftp'
    | 'sftp workday'
    | 'workday'
  >(),
  /** Key that the provider uses to reach the directory. */
  externalKey: maybe(string),
  /** API key that the service uses at the provider, if it needs one. */
  apiKey: maybe(secret(string)),
  /** Subdomain of the customer at the provider, if any. */
  subdomain: maybe(string),
  /** URL that connects the provider and the service, if any. */
  endpoint: maybe(url),
  /** Username that the service uses at the provider, if it needs one. */
  username: maybe(string),
  /** Email domains of the organization; only in `dsync.activated` events. */
  domains: maybe(array(ref<OrganizationDomain>(organizationDomain))),
  /** Counts of users and groups, if the service sends them; keys are never renamed. */
  metadata: maybe(opaque),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A customer's user directory. Fields of the provider that are not listed here keep their original names. */
export interface Directory extends Fields<typeof directory> {}

export const directoryGroup = model(null, {
  /** `directory_group`, if the service sends it. */
  object: maybe(open<'directory_group'>()),
  /** Unique id, prefix `directory_group_`. */
  id: string,
  /** Id of the group at the provider. */
  idpId: nullable(string),
  /** Id of the directory, prefix `directory_`. */
  directoryId: string,
  /** Id of the directory's organization, prefix `org_`. */
  organizationId: nullable(string),
  /** Name at the provider. */
  name: string,
  /** Attributes as the provider sent them; keys are never renamed. */
  rawAttributes: maybe(opaque),
  /** Time the group was first seen; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A group of users in a directory. */
export interface DirectoryGroup extends Fields<typeof directoryGroup> {}

export const directoryUserEmail = part({
  /** Whether this is the user's primary address. */
  primary: maybe(boolean),
  /** Type of address, such as `work`. */
  type: maybe(string),
  /** Email address. */
  value: maybe(string),
});
/** An email address of a directory user. */
export interface DirectoryUserEmail extends Fields<typeof directoryUserEmail> {}

export const directoryUser = model('directory_user', {
  /** Unique id, prefix `directory_user_`. */
  id: string,
  /** Id of the user at the provider. */
  idpId: nullable(string),
  /** Id of the directory, prefix `directory_`. */
  directoryId: string,
  /** Id of the directory's organization, prefix `org_`. */
  organizationId: nullable(string),
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** Primary email address. */
  email: nullable(string),
  /** All email addresses. */
  emails: maybe(array(ref<DirectoryUserEmail>(directoryUserEmail))),
  /** Username at the provider. */
  username: nullable(string),
  /** Job title. */
  jobTitle: nullable(string),
  /** Groups of the user; may be absent in events. */
  groups: maybe(array(ref<DirectoryGroup>(directoryGroup))),
  /**
   * State of the user at the provider. Revoke access unless it is `active`: Okta and Entra ID often send no
   * `dsync.user.deleted` event.
   */
  state: decisive(open<'active' | 'inactive' | 'suspended'>()),
  /** Role assigned through the directory's groups. */
  role: maybe(ref<RoleReference>(roleReference)),
  /** All roles assigned this way, if the service allows several. */
  roles: maybe(array(ref<RoleReference>(roleReference))),
  /** Attributes mapped for your application; keys are never renamed. */
  customAttributes: maybe(opaque),
  /** Attributes as the provider sent them; keys are never renamed. */
  rawAttributes: maybe(opaque),
  /** Time the user was first seen; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A user in a directory. */
export interface DirectoryUser extends Fields<typeof directoryUser> {}

export const directoryFilter = query({
  /** Text to find in the name. */
  search: optional(string),
  /** Directories of this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Filters of `listDirectories`. */
export interface DirectoryFilter extends Fields<typeof directoryFilter> {}

export const directoryUserFilter = query({
  /** Users of this directory. */
  directory: optional(idOf('/directories')),
  /** Users in this group. */
  group: optional(idOf('/directory_groups')),
  /** The user with this id at the provider. */
  idpId: optional(string),
  /** The user with this email address. */
  email: optional(string),
});
/** Filters of `listUsers`; the service requires `directory` or `group`. */
export interface DirectoryUserFilter extends Fields<typeof directoryUserFilter> {}

export const directoryGroupFilter = query({
  /** Groups of this directory. */
  directory: optional(idOf('/directories')),
  /** Groups of this user. */
  user: optional(idOf('/directory_users')),
  /** The group with this id at the provider. */
  idpId: optional(string),
});
/** Filters of `listGroups`; the service requires `directory` or `user`. */
export interface DirectoryGroupFilter extends Fields<typeof directoryGroupFilter> {}

export const directorySync = room('directorySync', 'directorySync', {
  listDirectories: list('/directories', { query: directoryFilter, returns: directory }),
  getDirectory: get('/directories/:id', { returns: directory }),
  deleteDirectory: del('/directories/:id', {}),
  listUsers: list('/directory_users', { query: directoryUserFilter, returns: directoryUser }),
  getUser: get('/directory_users/:id', { returns: directoryUser }),
  listGroups: list('/directory_groups', { query: directoryGroupFilter, returns: directoryGroup }),
  getGroup: get('/directory_groups/:id', {
    returns: directoryGroup,
  }),
});
