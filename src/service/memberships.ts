import {
  array,
  body,
  boolean,
  decisive,
  type Fields,
  idOf,
  maybe,
  model,
  oneOf,
  opaque,
  open,
  optional,
  query,
  ref,
  string,
  timestamp,
} from './describe/define.js';
import { del, get, list, post, put, room } from './describe/operation.js';
import { type RoleReference, roleReference, roleSlug } from './roles.js';
import { type User, user } from './users.js';

export const organizationMembership = model('organization_membership', {
  /** Unique id, prefix `om_`. */
  id: string,
  /** Id of the user, prefix `user_`. */
  userId: string,
  /** Id of the organization, prefix `org_`. */
  organizationId: string,
  /** Role of the user in the organization; of several, the one with the highest priority. */
  role: ref<RoleReference>(roleReference),
  /** Status; `pending` until the user accepts. */
  status: decisive(open<'active' | 'pending' | 'inactive'>()),
  /** All roles, if the service allows several. */
  roles: maybe(array(ref<RoleReference>(roleReference))),
  /** Whether a directory manages this membership. If so, change it there. */
  directoryManaged: maybe(boolean),
  /** Attributes from a directory; keys are never renamed. */
  customAttributes: maybe(opaque),
  /** Name of the organization. Only dialect `workos` sends it; in the others, read it with `getOrganization`. */
  organizationName: maybe(string),
  /** User record, if the service sends it. */
  user: maybe(ref<User>(user)),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A user's membership in an organization. */
export interface OrganizationMembership extends Fields<typeof organizationMembership> {}

export const organizationMembershipUpdate = body({
  /** Slug of the role; pass either this or `roleSlugs`. */
  roleSlug: optional(roleSlug),
  /** Slugs of all roles, if the service allows several; replaces the previous ones. */
  roleSlugs: optional(array(roleSlug)),
});
/** Parameters of `updateOrganizationMembership`. */
export interface OrganizationMembershipUpdate extends Fields<typeof organizationMembershipUpdate> {}

export const organizationMembershipCreate = body({
  /** Id of the user to add, prefix `user_`. */
  userId: idOf('/user_management/users'),
  /** Id of the organization, prefix `org_`. */
  organizationId: idOf('/organizations'),
  /** Slug of the role; default `member`. Pass either this or `roleSlugs`. */
  roleSlug: optional(roleSlug),
  /** Slugs of all roles, if the service allows several. */
  roleSlugs: optional(array(roleSlug)),
});
/** Parameters of `createOrganizationMembership`. */
export interface OrganizationMembershipCreate extends Fields<typeof organizationMembershipCreate> {}

export const organizationMembershipFilter = query({
  /** Memberships of this user. */
  userId: optional(idOf('/user_management/users')),
  /** Memberships in this organization. */
  organizationId: optional(idOf('/organizations')),
  /** Memberships with any of these statuses. Default: all; dialect `workos`: only active ones. */
  statuses: optional(array(oneOf('active', 'inactive', 'pending'))),
});
/** Filters of `listOrganizationMemberships`. */
export interface OrganizationMembershipFilter extends Fields<typeof organizationMembershipFilter> {}

export const organizationMemberships = room('organizationMemberships', 'userManagement', {
  get: get('/user_management/organization_memberships/:id', {
    client: 'getOrganizationMembership',
    returns: organizationMembership,
  }),
  list: list('/user_management/organization_memberships', {
    client: 'listOrganizationMemberships',
    query: organizationMembershipFilter,
    returns: organizationMembership,
  }),
  create: post('/user_management/organization_memberships', {
    client: 'createOrganizationMembership',
    body: organizationMembershipCreate,
    returns: organizationMembership,
  }),
  update: put('/user_management/organization_memberships/:id', {
    client: 'updateOrganizationMembership',
    takes: 'arguments',
    body: organizationMembershipUpdate,
    returns: organizationMembership,
  }),
  delete: del('/user_management/organization_memberships/:id', {
    client: 'deleteOrganizationMembership',
  }),
});
