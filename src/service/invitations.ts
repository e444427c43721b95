import {
  between,
  body,
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

export const invitation = model('invitation', {
  /** Unique id, prefix `invitation_`. */
  id: string,
  /** Who is invited. */
  email: string,
  /** Only a pending invitation can be accepted or revoked. */
  state: open<'pending' | 'accepted' | 'expired' | 'revoked'>(),
  /** When it was accepted; ISO 8601 UTC with milliseconds. */
  acceptedAt: nullable(timestamp),
  /** When it was revoked; ISO 8601 UTC with milliseconds. */
  revokedAt: nullable(timestamp),
  /** When it stops working; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** What the invited person proves the invitation with. */
  token: secret(string),
  /** Organization the invited person will belong to; null for none. */
  organizationId: nullable(string),
  /** User on whose behalf it was sent, where the service says so. */
  inviterUserId: maybe(string),
  /** User who accepted it, where the service says so. */
  acceptedUserId: maybe(string),
  /** Slug of the role the invited person will have, where the service says so. */
  roleSlug: maybe(string),
  /** Address at which it is accepted; holds the token. */
  acceptInvitationUrl: maybe(secret(url)),
  /** When the invitation was sent; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An invitation to become a user, and a member of an organization. */
export interface Invitation extends Fields<typeof invitation> {}

export const invitationSend = body({
  /** Who is invited; the invitation is mailed there. */
  email,
  /** Organization the invited person will belong to. */
  organizationId: optional(idOf('/organizations')),
  /** Days until it stops working, 1 to 30; default 7. */
  expiresInDays: optional(between(1, 30)),
  /** User on whose behalf it is sent; the email mentions the name. */
  inviterUserId: optional(idOf('/user_management/users')),
  /** Slug of the role the invited person will have. */
  roleSlug: optional(string),
});
/** What `sendInvitation` takes. */
export interface InvitationSend extends Fields<typeof invitationSend> {}

export const invitationFilter = query({
  /** Invitations to this address. */
  email: optional(string),
  /** Invitations into this organization. */
  organizationId: optional(idOf('/organizations')),
});
/** Which invitations to list. */
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
