'use server';

import { revalidatePath } from 'next/cache';
import { isSallyportError } from 'sallyport';
import { sallyport } from '../../../client';
import { next } from '../../../sallyport';

const { userManagement } = sallyport;

// Anyone can call an action, so each one checks the permission itself.
async function requireAdmin() {
  const session = await next.requireSession();
  const { user, organizationId } = session;
  if (!organizationId || !session.has({ permission: 'members:manage' })) throw new Error('You may not manage members');
  return { user, organizationId };
}

// The id comes from the browser, and may belong to another organization.
async function requireMembership(id: string) {
  const { organizationId } = await requireAdmin();
  const membership = await userManagement.getOrganizationMembership(id);
  if (membership.organizationId !== organizationId) throw new Error('This membership belongs to another organization');
}

export async function invite(_: string | null, form: FormData) {
  const { user, organizationId } = await requireAdmin();
  const email = String(form.get('email'));
  try {
    await userManagement.sendInvitation({ email, organizationId, inviterUserId: user.id, roleSlug: 'member' });
  } catch (error) {
    if (!isSallyportError(error) || error.code !== 'bad_request') throw error;
    return `${email} is a member already, or has an invitation.`;
  }
  revalidatePath('/account/team');
  return null;
}

export async function changeRole(membershipId: string, form: FormData) {
  await requireMembership(membershipId);
  await userManagement.updateOrganizationMembership(membershipId, { roleSlug: String(form.get('role')) });
  revalidatePath('/account/team');
}

export async function removeMember(membershipId: string) {
  await requireMembership(membershipId);
  await userManagement.deleteOrganizationMembership(membershipId);
  revalidatePath('/account/team');
}

export async function signOutEverywhere() {
  const { user, sessionId } = await next.requireSession();
  for await (const { id, status } of userManagement.listSessions(user.id))
    if (status === 'active' && id !== sessionId) await userManagement.revokeSession({ sessionId: id });
  await next.signOut();
}
