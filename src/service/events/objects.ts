import type { Event } from '../events.js';
import type { DescribedEventName } from './names.js';
import type { EventData } from './payloads.js';

// Streams read these tables instead of the descriptions, which would double their size. A test compares the two.

type DataField = { [Name in DescribedEventName]: keyof EventData[Name] }[DescribedEventName];

/** Fields with the id of an object that an event is about, in the order of `objectsOf`. */
export const idFields = [
  'id',
  'userId',
  'groupId',
  'organizationMembershipId',
  'agentRegistrationId',
] as const satisfies readonly DataField[];

/** Fields that contain a whole object. */
export const objectFields = [
  'user',
  'group',
  'organizationDomain',
  'connection',
] as const satisfies readonly DataField[];

type ObjectField = (typeof idFields)[number] | (typeof objectFields)[number];

/** Events that report a link between two objects, by type without the verb, with the fields of both objects. */
const links: Readonly<Record<string, readonly ObjectField[]>> = {
  'dsync.group.user': ['group', 'user'],
  'group.member': ['groupId', 'organizationMembershipId'],
};

/** Event families that report an occurrence instead of the state of an object. */
const occurrences = /^(?:authentication|session|radar|email_verification|magic_auth|password_reset|action|vault)\./;

type Data = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Return the value of a field. Data that was not decoded has wire names. */
const fieldOf = (data: Data, field: string): unknown =>
  data[field] ?? data[field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

function idIn(data: Data, field: ObjectField): string | undefined {
  const value = fieldOf(data, field);
  const isObject = (objectFields as readonly string[]).includes(field);
  const id = isObject ? (Object(value) as { readonly id?: unknown }).id : value;
  return isText(id) ? id : undefined;
}

/** Identify a role, which has no id in events, by its organization, if any, and its slug. */
function roleIn(data: Data): readonly string[] {
  return isText(data.slug) ? [fieldOf(data, 'organizationId'), data.slug].filter(isText) : [];
}

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
  // The data of an event that could not be read may be missing or null.
  const data = Object(event.data) as Data;
  const ids = [...idFields, ...objectFields].map((field) => idIn(data, field)).filter(isText);
  if (ids.length > 0) return [...new Set(ids)];
  const role = roleIn(data);
  // A role and a permission may have the same slug, such as `admin`.
  if (role.length > 0) return [[event.event.split('.')[0], ...role].join(':')];
  return isText(data.email) ? [data.email.toLowerCase()] : [];
}

/**
 * The object whose state an event of this type reports: its family and id, such as `user/user_01H…`, or both ids for a group
 * membership. Undefined for an event that reports an occurrence.
 */
export function reportedObject(type: string, data: Data): string | undefined {
  if (occurrences.test(type)) return undefined;
  const link = links[type.replace(/_[a-z]+$/, '')];
  const id = idIn(data, 'id') ?? idIn(data, 'organizationDomain');
  const ids = link ? link.map((field) => idIn(data, field)) : id === undefined ? roleIn(data) : [id];
  const family = type.slice(0, type.lastIndexOf('.'));
  return ids.length > 0 && ids.every(isText) ? [family, ...ids].join('/') : undefined;
}
