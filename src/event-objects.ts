import type { Event } from './service/events.js';

/** Fields with the id of an object of the event, in camel case and as received. The order sets the order of the result. */
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
/** Fields that contain a whole object. */
const objects = ['user', 'group', 'organizationDomain', 'organization_domain', 'connection'] as const;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * List the ids of the objects that an event is about: first its subject, then the users, directory users, groups or memberships
 * that it refers to. Events that share an object must be handled in order. An object without an id is identified by its slug or
 * email address. Organizations and directories are included only in events about themselves, so that events of their users can be
 * handled in parallel.
 *
 * @example
 * objectsOf(event); // ['directory_user_01…', 'directory_group_01…'] of a dsync.group.user_added
 */
export function objectsOf(event: Event): readonly string[] {
  // Every event has an object as its data.
  const data = event.data as unknown as Readonly<Record<string, unknown>>;
  const names = ids.map((field) => data[field]).filter(isText);
  for (const field of objects) {
    const id = (data[field] as { readonly id?: unknown } | null | undefined)?.id;
    if (isText(id)) names.push(id);
  }
  if (names.length > 0) return [...new Set(names)];
  const { slug, email } = data;
  const owner = data.organizationId ?? data.organization_id;
  // A role and a permission may have the same slug, such as `admin`.
  if (isText(slug)) return [[event.event.split('.')[0], ...(isText(owner) ? [owner] : []), slug].join(':')];
  return isText(email) ? [email.toLowerCase()] : [];
}
