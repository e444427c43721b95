import { body, type Fields, nullable, oneOf, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { type Invitation, invitationSend } from '../../../service/invitations.js';
import { emailKeyOf } from '../../store/email-key.js';
import { pinned } from '../../store/pinned.js';
import { badRequest } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import { collection, type World } from '../../world/world.js';
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

/** An invitation as the emulator stores it. The state `expired` is not stored: see `stateOf`. */
export interface InvitationRecord extends Required<Omit<Invitation, 'object' | 'state' | 'acceptInvitationUrl'>> {
  readonly state: 'pending' | 'accepted' | 'revoked';
  /** The address, normalized for comparison. */
  readonly emailKey: string;
}

/** The invitations to the application and to organizations. */
export const invitations = collection<InvitationRecord>({
  object: 'invitation',
  prefix: 'invitation',
  unique: ['token'],
  index: ['emailKey', 'organizationId', 'acceptedUserId'],
  record: ref<InvitationRecord>(
    part({
      id: string,
      email: string,
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
    }),
  ),
});

export const newInvitation = body({ ...pinned, ...invitationSend.shape });
/** The fields of a new invitation. */
export interface NewInvitation extends Fields<typeof newInvitation> {}

const dayMs = 86_400_000;
const defaultDays = 7;

/** Get the current state of an invitation. */
export const stateOf = (world: World, { state, expiresAt }: InvitationRecord): InvitationRecord['state'] | 'expired' =>
  state === 'pending' && world.isPast(expiresAt) ? 'expired' : state;

/** Get the URL of the page that accepts an invitation. */
export const acceptUrlOf = (world: World, token: string): string => world.pageUrl(`/invitations/accept?token=${token}`);

/** Convert an invitation to the API format. */
export function invitationView(world: World, record: InvitationRecord): View<Invitation> {
  const { id, email, acceptedAt, revokedAt, expiresAt, token, organizationId, createdAt, updatedAt } = record;
  const state = stateOf(world, record);
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
  if (!world.settings.dialect.extraResponseFields) return invitation;
  const { inviterUserId, acceptedUserId, roleSlug } = record;
  return { ...invitation, inviterUserId, acceptedUserId, roleSlug, acceptInvitationUrl: acceptUrlOf(world, token) };
}

/** Convert an invitation to its form in events, without the secret token and URL. */
function eventView(world: World, record: InvitationRecord) {
  const { token: _, acceptInvitationUrl: __, ...rest } = invitationView(world, record);
  return rest;
}

/**
 * Add an invitation to a world without mail or events.
 *
 * @throws {Refusal} 404 for an unknown organization or inviter, 422 for an unknown role, 400 if the address is
 * already invited, belongs to a member or, without an organization, to a user.
 */
export const addInvitation = (world: World, fields: NewInvitation): InvitationRecord =>
  storeInvitation(world, fields).invitation;

/** Create an invitation, send it by mail and emit the event. @throws {Refusal} As `addInvitation`. */
export function sendInvitation(world: World, fields: NewInvitation): InvitationRecord {
  const { invitation, membership } = storeInvitation(world, fields);
  const { inviterUserId, organizationId, token } = invitation;
  const inviter = inviterUserId === null ? undefined : nameOf(world.of(users).get(inviterUserId));
  const destination = organizationId === null ? '' : ` to ${world.of(organizations).get(organizationId).name}`;
  const subject = inviter ? `${inviter} has invited you${destination}` : `You have been invited${destination}`;
  const url = acceptUrlOf(world, token);
  world.mail({
    kind: 'invitation',
    to: invitation.email,
    subject,
    text: `${subject}. Accept at ${url} by ${invitation.expiresAt}.`,
    token,
    url,
  });
  world.emit('invitation.created', eventView(world, invitation));
  if (membership) world.emit('organization_membership.created', membershipView(world, membership));
  return invitation;
}

/** Store an invitation. In some dialects, an existing user also gets a pending membership. */
function storeInvitation(world: World, fields: NewInvitation) {
  const { id, email, organizationId = null, inviterUserId = null, roleSlug = null } = fields;
  const { expiresInDays = defaultDays } = fields;
  if (organizationId !== null) world.of(organizations).get(organizationId);
  if (inviterUserId !== null) world.of(users).get(inviterUserId);
  if (roleSlug !== null) refuseUnknownRole(world, roleSlug, organizationId);
  refuseSecondInvitation(world, email, organizationId);
  const user = userByEmail(world, email);
  const membership = user && prepareMembership(world, user.id, organizationId, roleSlug);
  const { now } = world;
  const invitation = world.of(invitations).insert({
    ...(id === undefined ? {} : { id }),
    email,
    emailKey: emailKeyOf(email),
    state: 'pending',
    acceptedAt: null,
    revokedAt: null,
    expiresAt: world.fromNow(expiresInDays * dayMs),
    token: world.ids.token(32),
    organizationId,
    inviterUserId,
    acceptedUserId: null,
    roleSlug,
    createdAt: now,
    updatedAt: now,
  });
  return { invitation, membership };
}

/** List the pending invitations that would still create a user or an active membership. */
export const openInvitations = (world: World): readonly InvitationRecord[] =>
  world.of(invitations).filter((one) => {
    const user = userByEmail(world, one.email);
    const { organizationId } = one;
    const isDone =
      user && (organizationId === null || membershipOf(world, user.id, organizationId)?.status === 'active');
    return stateOf(world, one) === 'pending' && !isDone;
  });

/** Count the days until a time, rounded up. */
export const daysUntil = (world: World, timestamp: string): number =>
  Math.ceil((Date.parse(timestamp) - world.clock.now()) / dayMs);

/** Revoke an invitation and emit the event. Its pending membership is deleted. @throws {Refusal} 404; 400 if it is not pending. */
export function revokeInvitation(world: World, id: string): InvitationRecord {
  const { organizationId, email } = pendingInvitation(world, id);
  const { now } = world;
  const invitation = world.of(invitations).update(id, { state: 'revoked', revokedAt: now, updatedAt: now });
  world.emit('invitation.revoked', eventView(world, invitation));
  const user = userByEmail(world, email);
  const mayHaveMembership = world.settings.dialect.membershipFromInvitation && organizationId !== null;
  const membership = mayHaveMembership && user && membershipOf(world, user.id, organizationId);
  if (membership && membership.status === 'pending') deleteMembership(world, membership.id);
  return invitation;
}

/**
 * Accept an invitation and emit the event. Creates the user and an active membership if needed.
 *
 * @throws {Refusal} 404; 400 if it is not pending.
 */
export function acceptInvitation(world: World, id: string): InvitationRecord {
  const { email, organizationId, roleSlug } = pendingInvitation(world, id);
  const user = userByEmail(world, email) ?? createUserAtOnce(world, { email, emailVerified: true });
  const { now } = world;
  const invitation = world
    .of(invitations)
    .update(id, { state: 'accepted', acceptedAt: now, acceptedUserId: user.id, updatedAt: now });
  world.emit('invitation.accepted', eventView(world, invitation));
  if (organizationId === null) return invitation;
  const membership = membershipOf(world, user.id, organizationId);
  const role = roleSlug === null ? {} : { roleSlug };
  if (!membership) createMembership(world, { userId: user.id, organizationId, ...role });
  else if (membership.status === 'pending') updateMembership(world, membership.id, { ...role, status: 'active' });
  return invitation;
}

const isInvited = (world: World, email: string): boolean =>
  world
    .of(invitations)
    .where('emailKey', emailKeyOf(email))
    .find((one) => stateOf(world, one) === 'pending') !== undefined;

/** Check whether an address may sign up. Invited addresses always may. */
export const canSignUp = (world: World, email: string): boolean =>
  world.settings.allowSignUp || isInvited(world, email);

/**
 * Delete the invitations to a user's address and those that the user has accepted. Pending ones are revoked first, with an event.
 */
export const deleteInvitationsTo = (world: World, { emailKey, id }: UserRecord): void =>
  deleteInvitations(world, [
    ...world.of(invitations).where('emailKey', emailKey).values(),
    ...world
      .of(invitations)
      .where('acceptedUserId', id)
      .filter((other) => other.emailKey !== emailKey),
  ]);

/** Delete the invitations to an organization. Pending ones are revoked first, with an event. */
export const deleteInvitationsInto = (world: World, organizationId: string): void =>
  deleteInvitations(world, world.of(invitations).where('organizationId', organizationId).values());

function deleteInvitations(world: World, targets: readonly InvitationRecord[]): void {
  for (const { id } of targets) {
    if (stateOf(world, world.of(invitations).get(id)) === 'pending') revokeInvitation(world, id);
    world.of(invitations).delete(id);
  }
}

function pendingInvitation(world: World, id: string): InvitationRecord {
  const invitation = world.of(invitations).get(id);
  const state = stateOf(world, invitation);
  if (state !== 'pending')
    throw badRequest(
      'invite_not_pending',
      `This invitation is ${state}; only pending invitations can be accepted or revoked`,
    );
  return invitation;
}

function refuseSecondInvitation(world: World, email: string, organizationId: string | null): void {
  const other = world
    .of(invitations)
    .where('emailKey', emailKeyOf(email))
    .find((one) => one.organizationId === organizationId && stateOf(world, one) === 'pending');
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
  world: World,
  userId: string,
  organizationId: string | null,
  roleSlug: string | null,
): MembershipRecord | undefined {
  if (organizationId === null)
    throw badRequest(
      'user_already_exists',
      'A user already has this address, and the invitation has no organization_id',
    );
  const before = membershipOf(world, userId, organizationId);
  if (before?.status === 'active') throw alreadyMember(before.status);
  // An expired invitation may have left a pending membership. Its role is set when this invitation is accepted.
  if (before || !world.settings.dialect.membershipFromInvitation) return undefined;
  const role = roleSlug === null ? {} : { roleSlug };
  return addMembership(world, { userId, organizationId, status: 'pending', ...role });
}
