import {
  array,
  body,
  boolean,
  boundedMap,
  type Fields,
  maybe,
  model,
  nullable,
  oneOf,
  opaque,
  open,
  optional,
  part,
  ref,
  string,
  timestamp,
} from './describe/define.js';
import { get, list, post, room } from './describe/operation.js';
import { type DirectoryUserEmail, directoryUserEmail } from './directory-sync.js';
import { auditMetadataBounds } from './limits.js';

// The earlier interfaces: superseded, still served.

export const scimUser = model(null, {
  /** Unique id, prefix `scim_usr_`. */
  id: string,
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** Name the user signs in with at the provider. */
  username: nullable(string),
  /** Every email address. */
  emails: array(ref<DirectoryUserEmail>(directoryUserEmail)),
  /** The SCIM attributes; keys are never renamed. */
  rawAttributes: maybe(opaque),
});
/** A person behind a SCIM endpoint. */
export interface ScimUser extends Fields<typeof scimUser> {}

export const scimGroup = model(null, {
  /** Unique id, prefix `scim_grp_`. */
  id: string,
  /** Name at the provider. */
  name: string,
});
/** A group of people behind a SCIM endpoint. */
export interface ScimGroup extends Fields<typeof scimGroup> {}

export const scim = room('legacy.scim', 'legacy.scim', {
  listUsers: list('/directories/:scim_endpoint_id/users', { returns: scimUser, earlier: true }),
  listGroups: list('/directories/:scim_endpoint_id/groups', {
    returns: scimGroup,
    earlier: true,
  }),
  getUser: get('/directories/:scim_endpoint_id/users/:id', {
    argument: 'userId',
    returns: scimUser,
    earlier: true,
  }),
  listUserGroups: get('/directories/:scim_endpoint_id/users/:id/groups', {
    argument: 'userId',
    returns: array(ref<ScimGroup>(scimGroup)),
    earlier: true,
  }),
});

export const auditTrailEvent = body({
  /** Customer whose trail it belongs to. */
  group: string,
  /** IP address, hostname or device id. */
  location: string,
  /** What was done, `user.login_succeeded`; the ten that the service itself knows, or one of your own. */
  action: open<
    | 'organization.added_user'
    | 'organization.created'
    | 'user.created'
    | 'user.login_failed'
    | 'user.logged_out'
    | 'user.login_succeeded'
    | 'user.searched_api_logs'
    | 'user.searched_audit_log_events'
    | 'user.viewed_api_log_details'
    | 'user.viewed_audit_log_event_details'
  >(),
  /** Created, read, updated or deleted. */
  actionType: oneOf('C', 'R', 'U', 'D'),
  /** Name of who did it. */
  actorName: string,
  /** Id of who did it. */
  actorId: string,
  /** Name of what it was done to. */
  targetName: string,
  /** Id of what it was done to. */
  targetId: string,
  /** At most 50 keys of 40 characters, values of 500; nothing sensitive. */
  metadata: optional(boundedMap(auditMetadataBounds)),
  /** When it was done; ISO 8601 UTC with milliseconds. */
  occurredAt: timestamp,
});
/** Something that was done, in the form of the audit trail. */
export interface AuditTrailEvent extends Fields<typeof auditTrailEvent> {}

export const auditTrailPublished = part({
  /** Whether the event was taken. */
  success: boolean,
});
/** Whether an event was published. */
export interface AuditTrailPublished extends Fields<typeof auditTrailPublished> {}

export const auditTrail = room('legacy.auditTrail', 'legacy.auditTrail', {
  createEvent: post('/events', {
    body: auditTrailEvent,
    returns: auditTrailPublished,
    status: 201,
    earlier: true,
  }),
});
