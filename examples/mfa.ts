// Multi-factor authentication: enroll an authenticator app, create a challenge, verify the code.
//
//   npx tsx examples/mfa.ts

import { TOTP } from 'otpauth';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator();
const { mfa } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const factor = await mfa.enrollFactor({ type: 'totp', issuer: 'Harbour', user: 'ada@northwind.test' });
console.log('enrolled', factor.id, 'with a QR code of', factor.totp?.qrCode?.length, 'characters');

// Simulates the user's authenticator app.
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
await emulator.close();
