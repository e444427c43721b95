import { array, type Fields, maybe, model, nullable, open, part, string, timestamp } from './describe/define.js';

export const role = model('role', {
  /** Unique id, prefix `role_`. */
  id: string,
  /** Descriptive name. */
  name: string,
  /** Name in requests and tokens, such as `admin`. */
  slug: string,
  /** What the role is for. */
  description: nullable(string),
  /** Slugs of the permissions it grants; absent in the earlier form. */
  permissions: maybe(array(string)),
  /** Whether the role belongs to the environment or to one organization. */
  type: open<'EnvironmentRole' | 'OrganizationRole'>(),
  /** Type of the resources the role is for; not every deployment says it. */
  resourceTypeSlug: maybe(string),
  /** When the role was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A role of memberships, directory users or SSO profiles. */
export interface Role extends Fields<typeof role> {}

export const roleReference = part({
  /** The role's slug. */
  slug: string,
});
/** A role by its slug. */
export interface RoleReference extends Fields<typeof roleReference> {}
