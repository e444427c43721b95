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
import { type Role, role } from '../../../service/roles.js';
import { pinned } from '../../world/pinned.js';
import { unprocessableField } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';

/** A role as the emulator stores it. */
export interface RoleRecord extends Required<Omit<Role, 'object' | 'permissions' | 'resourceTypeSlug'>> {
  readonly permissions: readonly string[];
  /** Organization the role belongs to; null for a role of the environment. */
  readonly organizationId: string | null;
  /** Lower comes first. */
  readonly priority: number;
}

/** The roles of the environment and of its organizations. */
export const roles = collection<RoleRecord>({
  object: 'role',
  prefix: 'role',
  index: ['organizationId', 'slug'],
  record: ref<RoleRecord>(
    part({
      id: string,
      slug: string,
      name: string,
      description: nullable(string),
      permissions: array(string),
      type: role.shape.type,
      organizationId: nullable(string),
      priority: integer,
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

export const newRole = body({
  ...pinned,
  /** Name used in requests and tokens, `admin`. */
  slug: string,
  /** Descriptive name; the slug with a capital when not given. */
  name: optional(string),
  /** What the role is for. */
  description: maybe(string),
  /** Slugs of the permissions it grants. */
  permissions: role.shape.permissions,
  /** Makes it a role of this organization alone. */
  organizationId: maybe(string),
  /** Lower comes first; after the existing ones when not given. */
  priority: optional(integer),
});
/** A role to make. */
export interface NewRole extends Fields<typeof newRole> {}

/** Put a role into a world, without an event. @throws {Refusal} 422 if the slug is taken there, 409 if the id is taken. */
export function addRole(world: World, fields: NewRole): RoleRecord {
  const organizationId = fields.organizationId ?? null;
  // An organization cannot have a role of a slug that the environment has, whichever of the two came first.
  if (
    world
      .of(roles)
      .where('slug', fields.slug)
      .find((role) => organizationId === null || isIn(role, organizationId))
  )
    throw unprocessableField(
      'slug',
      'role_slug_already_used',
      `is taken: there already is a role ${JSON.stringify(fields.slug)}`,
    );
  const { now } = world;
  return world.of(roles).insert({
    ...(fields.id === undefined ? {} : { id: fields.id }),
    slug: fields.slug,
    name: fields.name ?? fields.slug.charAt(0).toUpperCase() + fields.slug.slice(1),
    description: fields.description ?? null,
    permissions: [...(fields.permissions ?? [])],
    type: organizationId === null ? 'EnvironmentRole' : 'OrganizationRole',
    organizationId,
    priority: fields.priority ?? Math.max(-1, ...rolesOf(world, organizationId).map(({ priority }) => priority)) + 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** The roles that can be given in an organization, by priority; with `null` those of the environment alone. */
export function rolesOf(world: World, organizationId: string | null): RoleRecord[] {
  const all = world.of(roles);
  const own = organizationId === null ? [] : all.where('organizationId', organizationId).values();
  const everywhere = all.filter((role) => role.organizationId === null);
  // Sorting keeps the order of creation among equals.
  return [...everywhere, ...own].sort((one, other) => one.priority - other.priority);
}

/** The role a slug stands for in an organization. */
export const roleFor = (world: World, slug: string, organizationId: string | null): RoleRecord | undefined =>
  world
    .of(roles)
    .where('slug', slug)
    .find((role) => isIn(role, organizationId));

/** Whether a role can be given in an organization. */
const isIn = (role: RoleRecord, organizationId: string | null): boolean =>
  role.organizationId === null || role.organizationId === organizationId;

/** A role as callers see it. */
export const roleView = (world: World, record: RoleRecord) =>
  world.settings.dialect.extraResponseFields ? { ...record, resourceTypeSlug: 'organization' } : record;

/** Make a role and emit the event. @throws {Refusal} 422 if the slug is taken there, 409 if the id is taken. */
export function createRole(world: World, fields: NewRole): RoleRecord {
  const record = addRole(world, fields);
  if (record.organizationId === null) world.emit('role.created', { ...record, resourceTypeSlug: 'organization' });
  else world.emit('organization_role.created', inEvent(record, record.organizationId));
  return record;
}

export const roleChanges = body({
  /** Descriptive name. */
  name: optional(string),
  /** What the role is for. */
  description: maybe(string),
  /** Slugs of the permissions it grants from now on, in place of those before. */
  permissions: optional(array(string)),
});
/** What is to change about a role; what is left out stays. */
export interface RoleChanges extends Fields<typeof roleChanges> {}

/** Change a role and emit the event. @throws {Refusal} 404. */
export function updateRole(world: World, id: string, changes: RoleChanges): RoleRecord {
  const { name, description, permissions } = world.of(roles).get(id);
  const record = world.of(roles).update(id, {
    name: changes.name ?? name,
    description: changes.description === undefined ? description : changes.description,
    permissions: changes.permissions ?? permissions,
    updatedAt: world.now,
  });
  if (record.organizationId === null) world.emit('role.updated', { ...record, resourceTypeSlug: 'organization' });
  else world.emit('organization_role.updated', inEvent(record, record.organizationId));
  return record;
}

/** What goes with an organization: its own roles. */
export function dropRolesOf(world: World, organizationId: string): void {
  for (const role of world.of(roles).where('organizationId', organizationId).values()) {
    world.of(roles).delete(role.id);
    world.emit('organization_role.deleted', inEvent(role, organizationId));
  }
}

const inEvent = (role: RoleRecord, organizationId: string) => ({
  ...role,
  organizationId,
  resourceTypeSlug: 'organization',
});
