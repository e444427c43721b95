import {
  array,
  boolean,
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
  /** `directory`, where the service sends it. */
  object: maybe(open<'directory'>()),
  /** Unique id, prefix `directory_`. */
  id: string,
  /** Email domain of the people in it. */
  domain: nullable(string),
  /** Descriptive name. */
  name: string,
  /** Organization whose people are in it. */
  organizationId: nullable(string),
  /** Whether it is connected. Older events write `active` for `linked` and `inactive` for `unlinked`: `isDirectoryActive` knows both. */
  state: open<'linked' | 'unlinked' | 'validating' | 'invalid_credentials' | 'deleting' | 'active' | 'inactive'>(),
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
  /** Key under which the provider reaches the directory. */
  externalKey: maybe(string),
  /** Key with which the service reads from the provider, where it needs one. */
  apiKey: maybe(secret(string)),
  /** The customer's subdomain at the provider, where it has one. */
  subdomain: maybe(string),
  /** Address at which the provider and the service meet, where there is one. */
  endpoint: maybe(url),
  /** Name with which the service signs in at the provider, where it needs one. */
  username: maybe(string),
  /** Email domains of its organization; in `dsync.activated` events. */
  domains: maybe(array(ref<OrganizationDomain>(organizationDomain))),
  /** Counts of users and groups, where the service sends them; keys are never renamed. */
  metadata: maybe(opaque),
  /** When the directory was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A customer's directory of people. Fields of its provider that are not listed here keep the names they came with. */
export interface Directory extends Fields<typeof directory> {}

export const directoryGroup = model(null, {
  /** `directory_group`, where the service sends it. */
  object: maybe(open<'directory_group'>()),
  /** Unique id, prefix `directory_group_`. */
  id: string,
  /** The group's id at the provider. */
  idpId: nullable(string),
  /** Directory the group belongs to. */
  directoryId: string,
  /** Organization of the directory. */
  organizationId: nullable(string),
  /** Name at the provider. */
  name: string,
  /** What the provider sent; keys are never renamed. */
  rawAttributes: maybe(opaque),
  /** When the group was first seen; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A group of people in a directory. */
export interface DirectoryGroup extends Fields<typeof directoryGroup> {}

export const directoryUserEmail = part({
  /** Whether it is the user's main address. */
  primary: maybe(boolean),
  /** Kind of address, such as `work`. */
  type: maybe(string),
  /** The address. */
  value: maybe(string),
});
/** An email address of a directory user. */
export interface DirectoryUserEmail extends Fields<typeof directoryUserEmail> {}

export const directoryUser = model('directory_user', {
  /** Unique id, prefix `directory_user_`. */
  id: string,
  /** The user's id at the provider. */
  idpId: nullable(string),
  /** Directory the user belongs to. */
  directoryId: string,
  /** Organization of the directory. */
  organizationId: nullable(string),
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** Main email address. */
  email: nullable(string),
  /** Every email address. */
  emails: maybe(array(ref<DirectoryUserEmail>(directoryUserEmail))),
  /** Name with which the user signs in at the provider. */
  username: nullable(string),
  /** Job title. */
  jobTitle: nullable(string),
  /** Groups the user is in; events may leave them out. */
  groups: maybe(array(ref<DirectoryGroup>(directoryGroup))),
  /**
   * Whether the provider considers the user active. End the access of a user who is not: Okta and Entra ID often send no
   * `dsync.user.deleted`.
   */
  state: open<'active' | 'inactive' | 'suspended'>(),
  /** Role given through the directory's groups. */
  role: maybe(ref<RoleReference>(roleReference)),
  /** Attributes mapped for your application; keys are never renamed. */
  customAttributes: maybe(opaque),
  /** What the provider sent; keys are never renamed. */
  rawAttributes: maybe(opaque),
  /** When the user was first seen; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A person in a directory. */
export interface DirectoryUser extends Fields<typeof directoryUser> {}

export const directoryFilter = query({
  /** Text in the name. */
  search: optional(string),
  /** Directories of this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Which directories to list. */
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
/** Which directory users to list; the service requires `directory` or `group`. */
export interface DirectoryUserFilter extends Fields<typeof directoryUserFilter> {}

export const directoryGroupFilter = query({
  /** Groups of this directory. */
  directory: optional(idOf('/directories')),
  /** Groups this user is in. */
  user: optional(idOf('/directory_users')),
  /** The group with this id at the provider. */
  idpId: optional(string),
});
/** Which directory groups to list; the service requires `directory` or `user`. */
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
