// Passwords, password resets, codes by email, email verification and a new email address.
//
//   npx tsx examples/passwords.ts

import { isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos', rateLimits: true });
const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch, maxRetries: 0 });
const email = 'ada@acme.test';

// Sign up with a password. The address is not verified yet.
const ada = await userManagement.createUser({ email, password: 'a lantern on the mole', firstName: 'Ada' });

// Signing in needs a verified address. The service has mailed a code.
try {
  await userManagement.authenticateWithPassword({ email, password: 'a lantern on the mole' });
} catch (error) {
  if (!isSallyportError(error) || error.code !== 'email_verification_required') throw error;
  const { pendingAuthenticationToken } = error;
  const { code = '' } = await emulator.inbox.waitFor({ to: email, kind: 'email_verification' });
  const { user } = await userManagement.authenticateWithEmailVerification({ pendingAuthenticationToken, code });
  console.log('verified:', user.emailVerified);
}

// Forgotten password: mail a link to your page, then set the new password with the token of the link.
const { passwordResetToken } = await userManagement.createPasswordReset({ email });
const link = new URL(`https://app.acme.test/reset?token=${passwordResetToken}`);
await userManagement.resetPassword({
  token: link.searchParams.get('token') ?? '',
  newPassword: 'a quiet harbour at dawn',
});
console.log('reset by', link.origin + link.pathname);

// A wrong or a weak password is a `bad_request`. `serviceCode` says which.
for (const attempt of [
  () => userManagement.authenticateWithPassword({ email, password: 'a lantern on the mole' }),
  () => userManagement.updateUser({ userId: ada.id, password: 'short' }),
])
  try {
    await attempt();
  } catch (error) {
    if (!isSallyportError(error) || error.code !== 'bad_request') throw error;
    console.log('refused:', error.serviceCode);
  }

// Sign in without a password: mail this code of six digits, and ask for it.
const { code } = await userManagement.createMagicAuth({ email });
const { user } = await userManagement.authenticateWithMagicAuth({ email, code });
console.log('signed in:', user.email);

// Verify the address of a user who has not signed in yet.
const grace = await userManagement.createUser({ email: 'grace@acme.test' });
await userManagement.sendVerificationEmail({ userId: grace.id });
const mail = await emulator.inbox.waitFor({ to: 'grace@acme.test', kind: 'email_verification' });
await userManagement.verifyEmail({ userId: grace.id, code: mail.code ?? '' });

// A new address counts once the user has entered the code that was mailed to it.
await userManagement.sendEmailChange({ userId: ada.id, newEmail: 'ada@lovelace.test' });
const change = await emulator.inbox.waitFor({ to: 'ada@lovelace.test' });
const confirmed = await userManagement.confirmEmailChange({ userId: ada.id, code: change.code ?? '' });
console.log('now', confirmed.user.email);

// The service sends at most 3 codes per minute to one user.
const linus = await userManagement.createUser({ email: 'linus@acme.test' });
try {
  for (let sent = 0; sent < 4; sent += 1) await userManagement.sendVerificationEmail({ userId: linus.id });
} catch (error) {
  if (!isSallyportError(error) || error.code !== 'rate_limited') throw error;
  console.log('wait', Math.ceil((error.retryAfterMs ?? 0) / 1000), 'seconds');
}

await emulator.close();
