import {
  array,
  type Field,
  type Fields,
  maybe,
  model,
  nullable,
  open,
  part,
  string,
  timestamp,
} from './describe/define.js';
import type { PermissionName, RoleName } from './sallyport-types.js';

/** Slug of a role, which an application may have declared in `SallyportTypes`. */
export const roleSlug: Field<RoleName> = string;
/** Slug of a permission, which an application may have declared in `SallyportTypes`. */
export const permissionSlug: Field<PermissionName> = string;

export const role = model('role', {
  /** Unique id, prefix `role_`. */
  id: string,
  /** Descriptive name. */
  name: string,
  /** Slug in requests and tokens, such as `admin`. */
  slug: roleSlug,
  /** Purpose of the role. */
  description: nullable(string),
  /** Slugs of the granted permissions; absent in the older form. */
  permissions: maybe(array(permissionSlug)),
  /** Owner of the role: the environment or one organization. */
  type: open<'EnvironmentRole' | 'OrganizationRole'>(),
  /** Resource type the role applies to, if the service sends it. */
  resourceTypeSlug: maybe(string),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A role for memberships, directory users or SSO profiles. */
export interface Role extends Fields<typeof role> {}

export const roleReference = part({
  /** Slug of the role. */
  slug: roleSlug,
});
/** A reference to a role. */
export interface RoleReference extends Fields<typeof roleReference> {}
