import type { Event } from './service/events.js';

/** Fields that hold the id of an object an event is about, as described and as received; the first that is there comes first. */
const ids = [
  'id',
  'userId',
  'user_id',
  'groupId',
  'group_id',
  'organizationMembershipId',
  'organization_membership_id',
  'agentRegistrationId',
  'agent_registration_id',
] as const;
/** Fields that hold such an object whole. */
const objects = ['user', 'group', 'organizationDomain', 'organization_domain', 'connection'] as const;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Name the objects that an event is about: the one it happened to first, then the user, directory user, group or membership that it
 * refers to. Events that share an object happened to it in the order of the feed. What has no id is named by its slug or its email
 * address. Organizations and directories are named only by events about themselves: their users change side by side.
 *
 * @example
 * objectsOf(event); // ['directory_user_01…', 'directory_group_01…'] of a dsync.group.user_added
 */
export function objectsOf(event: Event): readonly string[] {
  // Whatever the type of the event is, its data is an object.
  const data = event.data as unknown as Readonly<Record<string, unknown>>;
  const names = ids.map((field) => data[field]).filter(isText);
  for (const field of objects) {
    const id = (data[field] as { readonly id?: unknown } | null | undefined)?.id;
    if (isText(id)) names.push(id);
  }
  if (names.length > 0) return [...new Set(names)];
  const { slug, email } = data;
  const owner = data.organizationId ?? data.organization_id;
  // Both a role and a permission may be called admin.
  if (isText(slug)) return [[event.event.split('.')[0], ...(isText(owner) ? [owner] : []), slug].join(':')];
  return isText(email) ? [email.toLowerCase()] : [];
}
