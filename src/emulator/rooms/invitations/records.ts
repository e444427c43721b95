import { body, type Fields, nullable, oneOf, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { type Invitation, invitation, invitationSend } from '../../../service/invitations.js';
import { emailKeyOf } from '../../store/email-key.js';
import { pinned } from '../../store/pinned.js';
import { badRequest } from '../../store/refusal.js';
import type { Stored, View } from '../../store/view.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import {
  addMembership,
  alreadyMember,
  createMembership,
  deleteMembership,
  type MembershipRecord,
  membershipOf,
  membershipView,
  refuseUnknownRole,
  updateMembership,
} from '../memberships/records.js';
import { organizations } from '../organizations/records.js';
import { createUserAtOnce, nameOf, type UserRecord, userByEmail, users } from '../users/records.js';

const invitationRecord = part({
  id: string,
  email: string,
  /** The address, normalized for comparison. */
  emailKey: string,
  state: oneOf('pending', 'accepted', 'revoked'),
  acceptedAt: nullable(timestamp),
  revokedAt: nullable(timestamp),
  expiresAt: timestamp,
  token: string,
  organizationId: nullable(string),
  inviterUserId: nullable(string),
  acceptedUserId: nullable(string),
  roleSlug: nullable(string),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** An invitation as the emulator stores it. The state `expired` is not stored: see `stateOf`. */
export interface InvitationRecord extends Stored<typeof invitationRecord> {}

/** The invitations to the application and to organizations. */
export const invitations = collection<InvitationRecord>({
  object: 'invitation',
  prefix: 'invitation',
  unique: ['token'],
  publicToken: 'token',
  index: ['emailKey'],
  refersTo: { organizationId: 'organization', inviterUserId: 'user', acceptedUserId: 'user' },
  record: ref(invitationRecord),
});

export const newInvitation = body({ ...pinned, ...invitationSend.shape });
/** The fields of a new invitation. */
export interface NewInvitation extends Fields<typeof newInvitation> {}

const dayMs = 86_400_000;
const defaultDays = 7;

/** Get the current state of an invitation. */
export const stateOf = (
  memory: Memory,
  { state, expiresAt }: InvitationRecord,
): InvitationRecord['state'] | 'expired' => (state === 'pending' && memory.isPast(expiresAt) ? 'expired' : state);

/** Get the URL of the page that accepts an invitation. */
/** Path of the page where an invitation is accepted. The link in the mail leads there. */
export const invitationPath = '/invitations/accept';

const acceptUrlOf = (memory: Memory, token: string): string => memory.pageUrl(`${invitationPath}?token=${token}`);

/** Convert an invitation to the API format. */
export function invitationView(memory: Memory, record: InvitationRecord): View<Invitation> {
  const { id, email, acceptedAt, revokedAt, expiresAt, token, organizationId, createdAt, updatedAt } = record;
  const state = stateOf(memory, record);
  const invitation = {
    id,
    email,
    state,
    acceptedAt,
    revokedAt,
    expiresAt,
    token,
    organizationId,
    createdAt,
    updatedAt,
  };
  if (!memory.settings.dialect.extraResponseFields) return invitation;
  const { inviterUserId, acceptedUserId, roleSlug } = record;
  return { ...invitation, inviterUserId, acceptedUserId, roleSlug, acceptInvitationUrl: acceptUrlOf(memory, token) };
}

/** Convert an invitation to its form in events, without the secret token and URL. */
function eventView(memory: Memory, record: InvitationRecord) {
  const { token: _, acceptInvitationUrl: __, ...rest } = invitationView(memory, record);
  return rest;
}

/**
 * Add an invitation to a world without mail or events.
 *
 * @throws {EmulatorRefusal} 404 for an unknown organization or inviter, 422 for an unknown role, 400 if the address is
 * already invited, belongs to a member or, without an organization, to a user.
 */
export const addInvitation = (memory: Memory, fields: NewInvitation): InvitationRecord =>
  storeInvitation(memory, fields).invitation;

/** Create an invitation, send it by mail and emit the event. @throws {EmulatorRefusal} As `addInvitation`. */
export function sendInvitation(memory: Memory, fields: NewInvitation): InvitationRecord {
  const { invitation, membership } = storeInvitation(memory, fields);
  const { inviterUserId, organizationId, token } = invitation;
  const inviter = inviterUserId === null ? undefined : nameOf(memory.of(users).get(inviterUserId));
  const destination = organizationId === null ? '' : ` to ${memory.of(organizations).get(organizationId).name}`;
  const subject = inviter ? `${inviter} has invited you${destination}` : `You have been invited${destination}`;
  const url = acceptUrlOf(memory, token);
  memory.mail({
    kind: 'invitation',
    to: invitation.email,
    subject,
    text: `${subject}. Accept at ${url} by ${invitation.expiresAt}.`,
    token,
    url,
  });
  memory.emit('invitation.created', eventView(memory, invitation));
  if (membership) memory.emit('organization_membership.created', membershipView(memory, membership));
  return invitation;
}

/** Store an invitation. In some dialects, an existing user also gets a pending membership. */
function storeInvitation(memory: Memory, fields: NewInvitation) {
  const { id, email, organizationId = null, inviterUserId = null, roleSlug = null } = fields;
  const { expiresInDays = defaultDays } = fields;
  if (organizationId !== null) memory.of(organizations).get(organizationId);
  if (inviterUserId !== null) memory.of(users).get(inviterUserId);
  if (roleSlug !== null) refuseUnknownRole(memory, roleSlug, organizationId);
  refuseSecondInvitation(memory, email, organizationId);
  const user = userByEmail(memory, email);
  const membership = user && prepareMembership(memory, user.id, organizationId, roleSlug);
  const invitation = memory.of(invitations).insert({
    id,
    email,
    emailKey: emailKeyOf(email),
    state: 'pending',
    acceptedAt: null,
    revokedAt: null,
    expiresAt: memory.fromNow(expiresInDays * dayMs),
    token: memory.ids.token(32),
    organizationId,
    inviterUserId,
    acceptedUserId: null,
    roleSlug,
  });
  return { invitation, membership };
}

/** List the pending invitations that would still create a user or an active membership. */
export const openInvitations = (memory: Memory): readonly InvitationRecord[] =>
  memory.of(invitations).filter((one) => {
    const user = userByEmail(memory, one.email);
    const { organizationId } = one;
    const isDone =
      user && (organizationId === null || membershipOf(memory, user.id, organizationId)?.status === 'active');
    return stateOf(memory, one) === 'pending' && !isDone;
  });

/** Count the days until a time, rounded up. */
export const daysUntil = (memory: Memory, timestamp: string): number =>
  Math.ceil((Date.parse(timestamp) - memory.clock.now()) / dayMs);

/** Revoke an invitation and emit the event. Its pending membership is deleted. @throws {EmulatorRefusal} 404; 400 if it is not pending. */
export function revokeInvitation(memory: Memory, id: string): InvitationRecord {
  const { organizationId, email } = pendingInvitation(memory, id);
  const { now } = memory;
  const invitation = memory.of(invitations).update(id, { state: 'revoked', revokedAt: now, updatedAt: now });
  memory.emit('invitation.revoked', eventView(memory, invitation));
  const user = userByEmail(memory, email);
  const mayHaveMembership = memory.settings.dialect.isPublicService && organizationId !== null;
  const membership = mayHaveMembership && user && membershipOf(memory, user.id, organizationId);
  if (membership && membership.status === 'pending') deleteMembership(memory, membership.id);
  return invitation;
}

/**
 * Accept an invitation and emit the event. Creates the user and an active membership if needed.
 *
 * @throws {EmulatorRefusal} 404; 400 if it is not pending.
 */
export function acceptInvitation(memory: Memory, id: string): InvitationRecord {
  const { email, organizationId, roleSlug } = pendingInvitation(memory, id);
  const user = userByEmail(memory, email) ?? createUserAtOnce(memory, { email, emailVerified: true });
  const { now } = memory;
  const invitation = memory
    .of(invitations)
    .update(id, { state: 'accepted', acceptedAt: now, acceptedUserId: user.id, updatedAt: now });
  memory.emit('invitation.accepted', eventView(memory, invitation));
  if (organizationId === null) return invitation;
  const membership = membershipOf(memory, user.id, organizationId);
  const role = roleSlug === null ? {} : { roleSlug };
  if (!membership) createMembership(memory, { userId: user.id, organizationId, ...role });
  else if (membership.status === 'pending') updateMembership(memory, membership.id, { ...role, status: 'active' });
  return invitation;
}

const isInvited = (memory: Memory, email: string): boolean =>
  memory
    .of(invitations)
    .where('emailKey', emailKeyOf(email))
    .find((one) => stateOf(memory, one) === 'pending') !== undefined;

/** Check whether an address may sign up. Invited addresses always may. */
export const canSignUp = (memory: Memory, email: string): boolean =>
  memory.settings.allowSignUp || isInvited(memory, email);

/**
 * Delete the invitations to a user's address and those that the user has accepted. Pending ones are revoked first, with an event.
 */
export const deleteInvitationsTo = (memory: Memory, { emailKey, id }: UserRecord): void =>
  deleteInvitations(memory, [
    ...memory.of(invitations).where('emailKey', emailKey).values(),
    ...memory
      .of(invitations)
      .where('acceptedUserId', id)
      .filter((other) => other.emailKey !== emailKey),
  ]);

/** Delete the invitations to an organization. Pending ones are revoked first, with an event. */
export const deleteInvitationsInto = (memory: Memory, organizationId: string): void =>
  deleteInvitations(memory, memory.of(invitations).where('organizationId', organizationId).values());

function deleteInvitations(memory: Memory, targets: readonly InvitationRecord[]): void {
  for (const { id } of targets) {
    if (stateOf(memory, memory.of(invitations).get(id)) === 'pending') revokeInvitation(memory, id);
    memory.delete(invitations, id);
  }
}

function pendingInvitation(memory: Memory, id: string): InvitationRecord {
  const invitation = memory.of(invitations).get(id);
  const state = stateOf(memory, invitation);
  if (state !== 'pending')
    throw badRequest(
      'invite_not_pending',
      `This invitation is ${state}; only pending invitations can be accepted or revoked`,
    );
  return invitation;
}

function refuseSecondInvitation(memory: Memory, email: string, organizationId: string | null): void {
  const other = memory
    .of(invitations)
    .where('emailKey', emailKeyOf(email))
    .find((one) => one.organizationId === organizationId && stateOf(memory, one) === 'pending');
  if (!other) return;
  throw organizationId === null
    ? badRequest('email_already_invited', 'This address already has a pending invitation. Revoke it first')
    : badRequest(
        'email_already_invited_to_organization',
        'This address already has a pending invitation to this organization. Revoke it first',
      );
}

/**
 * Create a pending membership for an existing user. Returns undefined if the user already has one, or if the dialect does not
 * create one.
 */
function prepareMembership(
  memory: Memory,
  userId: string,
  organizationId: string | null,
  roleSlug: string | null,
): MembershipRecord | undefined {
  if (organizationId === null)
    throw badRequest(
      'user_already_exists',
      'A user already has this address, and the invitation has no organization_id',
    );
  const before = membershipOf(memory, userId, organizationId);
  if (before?.status === 'active') throw alreadyMember(before.status);
  // An expired invitation may have left a pending membership. Its role is set when this invitation is accepted.
  if (before || !memory.settings.dialect.isPublicService) return undefined;
  const role = roleSlug === null ? {} : { roleSlug };
  return addMembership(memory, { userId, organizationId, status: 'pending', ...role });
}

export const invitationFacts: Facts<InvitationRecord> = {
  model: invitation,
  all: (memory) => memory.of(invitations),
  columns: [['email', 'To'], 'state', 'expiresAt'],
  empty: 'No invitations.',
};
