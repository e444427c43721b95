// User management: users, memberships, invitations, email verification, password reset.
//
//   npx tsx examples/user-management.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos', seed: 'examples/company.yaml' });
const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const grace = await userManagement.createUser({ email: 'grace@northwind.test', firstName: 'Grace' });
const membership = await userManagement.createOrganizationMembership({
  userId: grace.id,
  organizationId: 'org_northwind',
  roleSlug: 'analyst',
});
await userManagement.updateOrganizationMembership(membership.id, { roleSlug: 'admin' });
console.log('members of Northwind:');
for await (const { email } of userManagement.listUsers({ organizationId: 'org_northwind' })) console.log('-', email);

// The code is sent by email. The emulator puts the message in its inbox.
await userManagement.sendVerificationEmail({ userId: grace.id });
const code = emulator.inbox.latest('grace@northwind.test')?.code ?? '';
const { user } = await userManagement.verifyEmail({ userId: grace.id, code });
console.log('verified:', user.emailVerified);

// Send the token in a link to your own page.
const { passwordResetToken: token } = await userManagement.createPasswordReset({ email: 'grace@northwind.test' });
await userManagement.resetPassword({ token, newPassword: 'a lantern on the mole' });
console.log('password set with the token of the link');

const invitation = await userManagement.sendInvitation({
  email: 'hana@northwind.test',
  organizationId: 'org_northwind',
  inviterUserId: grace.id,
  expiresInDays: 3,
});
console.log('invited', invitation.email, 'until', invitation.expiresAt);
await emulator.clock.advance('4d');
console.log('four days later the invitation is', (await userManagement.getInvitation(invitation.id)).state);

// Send the user's browser here to sign in. It returns with a code for authenticateWithCode.
console.log(
  userManagement.getAuthorizationUrl({
    organizationId: 'org_northwind',
    redirectUri: 'http://localhost:3000/callback',
    state: 'where the user was going',
  }),
);

await emulator.close();
