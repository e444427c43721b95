// Multi-factor authentication: enroll an authenticator app or a phone, create a challenge, verify the code, and recover a user.
//
//   npx tsx examples/mfa.ts

import { TOTP } from 'otpauth';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos' });
const { mfa, userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

// The settings page of a user of the service: the first code proves that the app is set up.
const ada = await userManagement.createUser({ email: 'ada@northwind.test', emailVerified: true });
const { authenticationFactor, authenticationChallenge } = await userManagement.enrollAuthFactor({
  userId: ada.id,
  type: 'totp',
  totpIssuer: 'Harbour',
});
const newApp = new TOTP({ secret: authenticationFactor.totp?.secret ?? '' });
const firstCode = await mfa.verifyChallenge({
  authenticationChallengeId: authenticationChallenge.id,
  code: newApp.generate({ timestamp: emulator.clock.now() }),
});
// Without a correct first code, the user could not sign in later.
if (!firstCode.valid) await mfa.deleteFactor(authenticationFactor.id);

// A user who exists only in your application.
const factor = await mfa.enrollFactor({ type: 'totp', issuer: 'Harbour', user: 'ada@northwind.test' });
// In a test, this is the user's authenticator app.
const app = new TOTP({ secret: factor.totp?.secret ?? '' });
const challenge = await mfa.challengeFactor({ authenticationFactorId: factor.id });
const wrong = await mfa.verifyChallenge({ authenticationChallengeId: challenge.id, code: '000000' });
console.log('a guess is valid:', wrong.valid);
const right = await mfa.verifyChallenge({
  authenticationChallengeId: challenge.id,
  code: app.generate({ timestamp: emulator.clock.now() }),
});
console.log('the code of the app is valid:', right.valid);

await mfa.deleteFactor(factor.id);

// A phone gets the code by text message.
const phone = await mfa.enrollFactor({ type: 'sms', phoneNumber: '+15005550006' });
const sent = await mfa.challengeFactor({
  authenticationFactorId: phone.id,
  smsTemplate: 'Harbour: your code is {{code}}',
});
const { code = '' } = await emulator.inbox.waitFor({ to: '+15005550006' });
const { valid } = await mfa.verifyChallenge({ authenticationChallengeId: sent.id, code });
console.log('the code of the message is valid:', valid);

// The user has lost the phone: your support team removes the factors, and the user enrolls a new one at the next sign-in.
for await (const { id } of userManagement.listAuthFactors({ userId: ada.id })) await mfa.deleteFactor(id);
console.log('factors left:', (await userManagement.listAuthFactors({ userId: ada.id })).data.length);

await emulator.close();
