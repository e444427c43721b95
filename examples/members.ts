// Members of an organization: an administrator invites Hana, who follows the link in the mail, signs up and arrives in the
// application. She then becomes an administrator, and switches to another organization.
//
//   npx tsx examples/members.ts

import { isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { type CurrentSession, createSessions, withSession } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';

const site = 'http://localhost:3000';
const emulator = await createEmulator({
  dialect: 'workos',
  seed: {
    // Invitations lead to the first registered redirect URI.
    redirect_uris: [`${site}/callback`],
    roles: [
      { slug: 'admin', name: 'Administrator', permissions: ['members:manage'] },
      { slug: 'member', name: 'Member' },
    ],
    organizations: [
      { id: 'org_acme', name: 'Acme' },
      { id: 'org_globex', name: 'Globex' },
    ],
    users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true, password: 'analytical-engine' }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'admin' }],
  },
});
const { userManagement, organizations } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: `${site}/callback`,
});

/** The words for the user, by the code of the service. */
const refusals: Readonly<Record<string, string>> = {
  email_already_invited_to_organization: 'There is an invitation for this address already.',
  user_already_organization_member: 'This person is a member already.',
};

/** Invite a person into the organization of the session. */
async function invite({ organizationId, user, has }: CurrentSession, email: string): Promise<string> {
  if (!organizationId || !has({ permission: 'members:manage' })) return 'Only administrators may invite.';
  try {
    await userManagement.sendInvitation({ email, organizationId, inviterUserId: user.id, roleSlug: 'member' });
    return `Invited ${email}.`;
  } catch (error) {
    const refusal = isSallyportError(error) && 'serviceCode' in error ? refusals[error.serviceCode ?? ''] : undefined;
    if (!refusal) throw error;
    return refusal;
  }
}

/** The members of an organization, for a page. */
async function membersOf(organizationId: string) {
  const users = await userManagement.listUsers({ organizationId }).toArray({ max: 1_000 });
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  const memberships = await userManagement.listOrganizationMemberships({ organizationId }).toArray({ max: 1_000 });
  return memberships.map(({ id, userId, role }) => ({ id, email: emails.get(userId) ?? userId, role: role.slug }));
}

/** Move the session to another organization of the user. */
async function switchTo(request: Request, organizationId: string): Promise<Response> {
  const result = await sessions.switchOrganization(request, organizationId);
  switch (result.status) {
    case 'active':
    case 'refreshed':
      return new Response(`Welcome to ${result.session.organizationId}`, { headers: result.headers });
    case 'refused':
      return new Response(`You cannot switch: ${result.reason}`, { status: 403, headers: result.headers });
    case 'signed_out':
      return new Response('Please sign in', { status: 401, headers: result.headers });
    case 'retry_later':
      return new Response('One moment, please', { status: 503 });
  }
}

/** The organizations that a user can switch to, with their names. */
async function organizationsOf(userId: string) {
  const { data } = await userManagement.listOrganizationMemberships({ userId });
  const active = data.filter(({ status }) => status === 'active');
  return Promise.all(active.map(({ organizationId }) => organizations.getOrganization(organizationId)));
}

const app = withSession(
  sessions,
  async (request, { session }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!session) return new Response('Hello stranger');
    if (request.method === 'POST' && pathname === '/invite')
      return new Response(await invite(session, searchParams.get('email') ?? ''));
    if (request.method === 'POST' && pathname === '/switch')
      return switchTo(request, searchParams.get('organization') ?? '');
    return new Response(`${session.user.email} of ${session.organizationId} as ${session.claims.role}`);
  },
  { protect: ['/team'], routes: true },
);
const sites = { [site]: app, [emulator.url]: emulator.fetch };

const ada = new TestBrowser({ sites });
await ada.open(`${site}/team`);
await ada.submit({ email: 'ada@acme.test' });
await ada.submit({ password: 'analytical-engine' });
console.log(ada.page.text);
const inviteHana = `${site}/invite?email=hana@acme.test`;
console.log((await ada.open(inviteHana, { method: 'POST' })).text);
console.log((await ada.open(inviteHana, { method: 'POST' })).text);

// Hana follows the link in the mail and signs up.
const mail = await emulator.inbox.waitFor({ to: 'hana@acme.test', kind: 'invitation' });
const hana = new TestBrowser({ sites });
await hana.open(mail.url ?? '');
await hana.submit({ way: 'sign-in' });
await hana.submit({ password: 'a lantern on the mole' });
console.log((await hana.open(`${site}/team`)).text);

// Give her another role, and add her to a second organization.
const [membership] = (await membersOf('org_acme')).filter(({ email }) => email === 'hana@acme.test');
await userManagement.updateOrganizationMembership(membership?.id ?? '', { roleSlug: 'admin' });
const { userId } = await userManagement.getOrganizationMembership(membership?.id ?? '');
await userManagement.createOrganizationMembership({ userId, organizationId: 'org_globex' });
console.log((await membersOf('org_acme')).map(({ email, role }) => `${email} (${role})`).join(', '));

console.log(
  (await organizationsOf(userId))
    .map(({ name }) => name)
    .sort()
    .join(', '),
);

// Her session moves to the other organization, and its tokens have the role there.
console.log((await hana.open(`${site}/switch?organization=org_globex`, { method: 'POST' })).text);
console.log((await hana.open(`${site}/team`)).text);

await emulator.close();
