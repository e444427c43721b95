import { acceptInvitation, type InvitationRecord, invitations, stateOf } from '../rooms/invitations/records.js';
import { ensureVerified, users } from '../rooms/users/records.js';
import { badRequest } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { nextStep, type SignIn } from './sign-in.js';

/**
 * The invitation that a sign-in is to accept.
 *
 * @throws {Refusal} 400 `invalid_invitation_token` for one that is unknown, revoked or expired.
 */
export function invitationBy(world: World, token: string): InvitationRecord {
  const invitation = world.of(invitations).by('token', token);
  const state = invitation && stateOf(world, invitation);
  if (invitation && (state === 'pending' || state === 'accepted')) return invitation;
  throw badRequest(
    'invalid_invitation_token',
    `This invitation ${state === undefined ? 'is unknown' : `is ${state}`}. Send a new one`,
  );
}

/** The invitation that an authorization URL names, while it can be accepted. */
export function invitationOf(
  world: World,
  { invitationToken }: { readonly invitationToken: string | null },
): InvitationRecord | undefined {
  const invitation = invitationToken === null ? undefined : world.of(invitations).by('token', invitationToken);
  return invitation && stateOf(world, invitation) === 'pending' ? invitation : undefined;
}

/**
 * Accept an invitation, if there is one, by signing in: the session will be in its organization. Whoever has the token
 * has read the mail it was in, so the address is verified. One that this user has accepted before is as good.
 *
 * @throws {Refusal} 400 when it is somebody else's, or cannot be accepted any more.
 */
export function acceptBySignIn(world: World, signIn: SignIn, invitation: InvitationRecord | undefined): SignIn {
  if (!invitation) return signIn;
  // Looked at again: while a proof was checked it may have been accepted, by this user even, or revoked.
  const { id, state, emailKey, ...rest } = invitationBy(world, invitation.token);
  const user = world.of(users).get(signIn.userId);
  if (state === 'accepted' ? rest.acceptedUserId !== user.id : emailKey !== user.emailKey)
    throw badRequest('invitation_email_mismatch', 'This invitation is for another person than the one who signs in');
  const { kind } = nextStep(world, signIn);
  // Somebody who may not sign in this way accepts nothing.
  if (kind === 'sso_required' || kind === 'methods_required') return signIn;
  if (state === 'pending') acceptInvitation(world, id);
  if (emailKey === user.emailKey) ensureVerified(world, user);
  return rest.organizationId === null ? signIn : { ...signIn, organizationId: rest.organizationId };
}
