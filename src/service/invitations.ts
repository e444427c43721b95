import {
  between,
  body,
  decisive,
  email,
  type Fields,
  idOf,
  maybe,
  model,
  nullable,
  open,
  optional,
  query,
  secret,
  string,
  timestamp,
  url,
} from './describe/define.js';
import { get, list, post, room } from './describe/operation.js';
import { roleSlug } from './roles.js';

export const invitation = model('invitation', {
  /** Unique id, prefix `invitation_`. */
  id: string,
  /** Email address of the invited person. */
  email: string,
  /** State; only a `pending` invitation can be accepted or revoked. */
  state: decisive(open<'pending' | 'accepted' | 'expired' | 'revoked'>()),
  /** Time of acceptance; ISO 8601 UTC with milliseconds. */
  acceptedAt: nullable(timestamp),
  /** Time of revocation; ISO 8601 UTC with milliseconds. */
  revokedAt: nullable(timestamp),
  /** Expiration time; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** Secret token that accepts the invitation. */
  token: secret(string),
  /** Id of the organization to join, prefix `org_`; null for none. */
  organizationId: nullable(string),
  /** Id of the inviting user, if the service sends it. */
  inviterUserId: maybe(string),
  /** Id of the user who accepted, if the service sends it. */
  acceptedUserId: maybe(string),
  /** Slug of the role to assign, if the service sends it. */
  roleSlug: maybe(roleSlug),
  /** URL where the user accepts the invitation; contains the token. */
  acceptInvitationUrl: maybe(secret(url)),
  /** Time the invitation was sent; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An invitation to sign up and, optionally, to join an organization. */
export interface Invitation extends Fields<typeof invitation> {}

export const invitationSend = body({
  /** Email address of the invited person, where the invitation is sent. */
  email,
  /** Id of the organization to join, prefix `org_`. */
  organizationId: optional(idOf('/organizations')),
  /** Days until the invitation expires, 1 to 30; default 7. */
  expiresInDays: optional(between(1, 30)),
  /** Id of the inviting user, prefix `user_`; the email mentions their name. */
  inviterUserId: optional(idOf('/user_management/users')),
  /** Slug of the role to assign. */
  roleSlug: optional(roleSlug),
});
/** Parameters of `sendInvitation`. */
export interface InvitationSend extends Fields<typeof invitationSend> {}

export const invitationFilter = query({
  /** Invitations to this email address. */
  email: optional(string),
  /** Invitations to this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Filters of `listInvitations`. */
export interface InvitationFilter extends Fields<typeof invitationFilter> {}

export const invitations = room('invitations', 'userManagement', {
  get: get('/user_management/invitations/:id', {
    client: 'getInvitation',
    returns: invitation,
  }),
  list: list('/user_management/invitations', {
    client: 'listInvitations',
    query: invitationFilter,
    returns: invitation,
  }),
  send: post('/user_management/invitations', {
    client: 'sendInvitation',
    body: invitationSend,
    returns: invitation,
  }),
  revoke: post('/user_management/invitations/:id/revoke', {
    client: 'revokeInvitation',
    returns: invitation,
  }),
  findByToken: get('/user_management/invitations/by_token/:token', {
    client: 'findInvitationByToken',
    returns: invitation,
    extension: true,
    secretParams: true,
  }),
  accept: post('/user_management/invitations/:id/accept', {
    client: 'acceptInvitation',
    returns: invitation,
    extension: true,
  }),
});
