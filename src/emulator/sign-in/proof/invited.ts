import { acceptInvitation, type InvitationRecord, invitations, stateOf } from '../../rooms/invitations/records.js';
import { ensureVerified, users } from '../../rooms/users/records.js';
import { badRequest } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import { nextStep, type SignIn } from './sign-in.js';

/**
 * Find the invitation that a sign-in accepts. An accepted invitation is valid, so that the same user can use its token again.
 *
 * @throws {EmulatorRefusal} 400 `invalid_invitation_token` if it is unknown, revoked or expired.
 */
export function invitationBy(memory: Memory, token: string): InvitationRecord {
  const invitation = memory.of(invitations).by('token', token);
  const state = invitation && stateOf(memory, invitation);
  if (invitation && (state === 'pending' || state === 'accepted')) return invitation;
  throw badRequest(
    'invalid_invitation_token',
    `This invitation ${state === undefined ? 'is unknown' : `is ${state}`}. Send a new one`,
  );
}

/** Find the pending invitation that an authorization URL names. Returns undefined if there is none. */
export function invitationOf(
  memory: Memory,
  { invitationToken }: { readonly invitationToken: string | null },
): InvitationRecord | undefined {
  const invitation = invitationToken === null ? undefined : memory.of(invitations).by('token', invitationToken);
  return invitation && stateOf(memory, invitation) === 'pending' ? invitation : undefined;
}

/**
 * Accept an invitation, if there is one, for the user who signs in. The session will be in its organization. The address is
 * verified, because the user has received the mail with the token. An invitation that this user has already accepted works again.
 *
 * @throws {EmulatorRefusal} 400 if it belongs to another user, or can no longer be accepted.
 */
export function acceptBySignIn(memory: Memory, signIn: SignIn, invitation: InvitationRecord | undefined): SignIn {
  if (!invitation) return signIn;
  // Read again, because the invitation may have been accepted or revoked while a proof was checked.
  const { id, state, emailKey, ...rest } = invitationBy(memory, invitation.token);
  const user = memory.of(users).get(signIn.userId);
  if (state === 'accepted' ? rest.acceptedUserId !== user.id : emailKey !== user.emailKey)
    throw badRequest('invitation_email_mismatch', 'This invitation is for a different user than the one signing in');
  const { kind } = nextStep(memory, signIn);
  // A sign-in that the policy refuses must not accept the invitation.
  if (kind === 'sso_required' || kind === 'organization_authentication_methods_required') return signIn;
  if (state === 'pending') acceptInvitation(memory, id);
  if (emailKey === user.emailKey) ensureVerified(memory, user);
  return rest.organizationId === null ? signIn : { ...signIn, organizationId: rest.organizationId };
}
