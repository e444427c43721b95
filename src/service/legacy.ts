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
import { auditMetadataBounds } from './rates/limits.js';

// Superseded interfaces that the service still supports.

export const scimUser = model(null, {
  /** Unique id, prefix `scim_usr_`. */
  id: string,
  /** Given name. */
  firstName: nullable(string),
  /** Family name. */
  lastName: nullable(string),
  /** Username at the provider. */
  username: nullable(string),
  /** All email addresses. */
  emails: array(ref<DirectoryUserEmail>(directoryUserEmail)),
  /** SCIM attributes; keys are never renamed. */
  rawAttributes: maybe(opaque),
});
/** A user of a SCIM endpoint. */
export interface ScimUser extends Fields<typeof scimUser> {}

export const scimGroup = model(null, {
  /** Unique id, prefix `scim_grp_`. */
  id: string,
  /** Name at the provider. */
  name: string,
});
/** A group of a SCIM endpoint. */
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
  /** Customer whose audit trail receives the event. */
  group: string,
  /** IP address, hostname or device id. */
  location: string,
  /** Name of the action: one of the service's ten, such as `user.login_succeeded`, or your own. */
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
  /** Type of action: create, read, update or delete. */
  actionType: oneOf('C', 'R', 'U', 'D'),
  /** Name of the actor. */
  actorName: string,
  /** Id of the actor. */
  actorId: string,
  /** Name of the target. */
  targetName: string,
  /** Id of the target. */
  targetId: string,
  /** Up to 50 keys of up to 40 characters, with values of up to 500 characters; must not contain sensitive data. */
  metadata: optional(boundedMap(auditMetadataBounds)),
  /** Time of the action; ISO 8601 UTC with milliseconds. */
  occurredAt: timestamp,
});
/** An event of the audit trail. */
export interface AuditTrailEvent extends Fields<typeof auditTrailEvent> {}

export const auditTrailPublished = part({
  /** Whether the event was accepted. */
  success: boolean,
});
/** The result of publishing an event. */
export interface AuditTrailPublished extends Fields<typeof auditTrailPublished> {}

export const auditTrail = room('legacy.auditTrail', 'legacy.auditTrail', {
  createEvent: post('/events', {
    body: auditTrailEvent,
    returns: auditTrailPublished,
    status: 201,
    earlier: true,
  }),
});
