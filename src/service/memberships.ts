import {
  array,
  body,
  boolean,
  type Fields,
  idOf,
  maybe,
  model,
  opaque,
  open,
  optional,
  query,
  ref,
  string,
  timestamp,
} from './describe/define.js';
import { del, get, list, post, put, room } from './describe/operation.js';
import { type RoleReference, roleReference } from './roles.js';
import { type User, user } from './users.js';

export const organizationMembership = model('organization_membership', {
  /** Unique id, prefix `om_`. */
  id: string,
  /** The member. */
  userId: string,
  /** The organization. */
  organizationId: string,
  /** What the member may do there. */
  role: ref<RoleReference>(roleReference),
  /** `pending` until the member has accepted. */
  status: open<'active' | 'pending' | 'inactive'>(),
  /** Every role, where the service allows several. */
  roles: maybe(array(ref<RoleReference>(roleReference))),
  /** Whether a directory keeps this membership, so that changes belong there. */
  directoryManaged: maybe(boolean),
  /** Attributes from a directory; keys are never renamed. */
  customAttributes: maybe(opaque),
  /** Name of the organization. Only dialect `workos` sends it; in the others, read it with `getOrganization`. */
  organizationName: maybe(string),
  /** The member's own record; not every deployment sends it. */
  user: maybe(ref<User>(user)),
  /** When the membership was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A user's place in an organization. */
export interface OrganizationMembership extends Fields<typeof organizationMembership> {}

export const organizationMembershipUpdate = body({
  /** Slug of the member's role. */
  roleSlug: optional(string),
});
/** What `updateOrganizationMembership` changes. */
export interface OrganizationMembershipUpdate extends Fields<typeof organizationMembershipUpdate> {}

export const organizationMembershipCreate = body({
  /** The user who becomes a member. */
  userId: idOf('/user_management/users'),
  /** The organization. */
  organizationId: idOf('/organizations'),
  /** Slug of the member's role; default `member`. */
  roleSlug: optional(string),
});
/** What `createOrganizationMembership` takes. */
export interface OrganizationMembershipCreate extends Fields<typeof organizationMembershipCreate> {}

export const organizationMembershipFilter = query({
  /** Memberships of this user. */
  userId: optional(idOf('/user_management/users')),
  /** Memberships in this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Which memberships to list. */
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
    body: organizationMembershipUpdate,
    returns: organizationMembership,
  }),
  delete: del('/user_management/organization_memberships/:id', {
    client: 'deleteOrganizationMembership',
  }),
});
