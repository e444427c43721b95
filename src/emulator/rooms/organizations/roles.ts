import {
  array,
  body,
  type Fields,
  integer,
  maybe,
  nullable,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import { permissionSlug, role, roleSlug } from '../../../service/roles.js';
import { pinned } from '../../store/pinned.js';
import { unprocessableField } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';

const roleRecord = part({
  id: string,
  slug: string,
  name: string,
  description: nullable(string),
  permissions: array(string),
  type: role.shape.type,
  /** Organization that the role belongs to; null for a role of the environment. */
  organizationId: nullable(string),
  /** Position in lists; lower values are first. */
  priority: integer,
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A role as the emulator stores it. */
interface RoleRecord extends Stored<typeof roleRecord> {}

/** The roles of the environment and of its organizations. */
export const roles = collection<RoleRecord>({
  object: 'role',
  prefix: 'role',
  index: ['slug'],
  refersTo: { organizationId: 'organization' },
  record: ref(roleRecord),
});

export const newRole = body({
  ...pinned,
  /** Name in requests and tokens, such as `admin`. */
  slug: roleSlug,
  /** Descriptive name; default the capitalized slug. */
  name: optional(string),
  /** Purpose of the role. */
  description: maybe(string),
  /** Slugs of the permissions that the role grants. */
  permissions: role.shape.permissions,
  /** Organization that the role belongs to; by default it belongs to the environment. */
  organizationId: maybe(string),
  /** Position in lists; lower values are first. Default: after the existing roles. */
  priority: optional(integer),
});
/** The fields of a new role. */
export interface NewRole extends Fields<typeof newRole> {}

/** Add a role to a world without an event. @throws {EmulatorRefusal} 422 if the slug is taken there, 409 if the id is taken. */
export function addRole(memory: Memory, fields: NewRole): RoleRecord {
  const organizationId = fields.organizationId ?? null;
  // A role of an organization cannot have the slug of an environment role, and vice versa.
  if (
    memory
      .of(roles)
      .where('slug', fields.slug)
      .find((role) => organizationId === null || isAssignable(role, organizationId))
  )
    throw unprocessableField(
      'slug',
      'role_slug_already_used',
      `is already used by another role: ${JSON.stringify(fields.slug)}`,
    );
  return memory.of(roles).insert({
    id: fields.id,
    slug: fields.slug,
    name: fields.name ?? fields.slug.charAt(0).toUpperCase() + fields.slug.slice(1),
    description: fields.description ?? null,
    permissions: [...(fields.permissions ?? [])],
    type: organizationId === null ? 'EnvironmentRole' : 'OrganizationRole',
    organizationId,
    priority: fields.priority ?? Math.max(-1, ...rolesOf(memory, organizationId).map(({ priority }) => priority)) + 1,
  });
}

/** List the roles that can be assigned in an organization, by priority. With `null`, list only those of the environment. */
export function rolesOf(memory: Memory, organizationId: string | null): RoleRecord[] {
  const all = memory.of(roles);
  const organizationRoles = organizationId === null ? [] : all.where('organizationId', organizationId).values();
  const environmentRoles = all.filter((role) => role.organizationId === null);
  // The sort is stable: equal priorities stay in order of creation.
  return [...environmentRoles, ...organizationRoles].sort((one, other) => one.priority - other.priority);
}

/** Find the role with a slug in an organization. */
export const roleFor = (memory: Memory, slug: string, organizationId: string | null): RoleRecord | undefined =>
  memory
    .of(roles)
    .where('slug', slug)
    .find((role) => isAssignable(role, organizationId));

/** Check whether a role can be assigned in an organization. */
const isAssignable = (role: RoleRecord, organizationId: string | null): boolean =>
  role.organizationId === null || role.organizationId === organizationId;

/** Convert a role to the API format. */
export const roleView = (memory: Memory, record: RoleRecord) =>
  memory.settings.dialect.extraResponseFields ? { ...record, resourceTypeSlug: 'organization' } : record;

/** Create a role and emit the event. @throws {EmulatorRefusal} 422 if the slug is taken there, 409 if the id is taken. */
export function createRole(memory: Memory, fields: NewRole): RoleRecord {
  const record = addRole(memory, fields);
  if (record.organizationId === null) memory.emit('role.created', { ...record, resourceTypeSlug: 'organization' });
  else memory.emit('organization_role.created', inEvent(record, record.organizationId));
  return record;
}

export const roleChanges = body({
  /** Descriptive name. */
  name: optional(string),
  /** Purpose of the role. */
  description: maybe(string),
  /** Slugs of its permissions, replacing the previous ones. */
  permissions: optional(array(permissionSlug)),
});
/** Changes to a role. Omitted fields stay unchanged. */
export interface RoleChanges extends Fields<typeof roleChanges> {}

/** Update a role and emit the event. @throws {EmulatorRefusal} 404. */
export function updateRole(memory: Memory, id: string, changes: RoleChanges): RoleRecord {
  const { name, description, permissions } = memory.of(roles).get(id);
  const record = memory.of(roles).update(id, {
    name: changes.name ?? name,
    description: changes.description === undefined ? description : changes.description,
    permissions: changes.permissions ?? permissions,
  });
  if (record.organizationId === null) memory.emit('role.updated', { ...record, resourceTypeSlug: 'organization' });
  else memory.emit('organization_role.updated', inEvent(record, record.organizationId));
  return record;
}

/** Delete the roles of an organization and emit the events. */
export function deleteRolesOf(memory: Memory, organizationId: string): void {
  for (const role of memory.of(roles).where('organizationId', organizationId).values()) {
    memory.delete(roles, role.id);
    memory.emit('organization_role.deleted', inEvent(role, organizationId));
  }
}

const inEvent = (role: RoleRecord, organizationId: string) => ({
  ...role,
  organizationId,
  resourceTypeSlug: 'organization',
});
