// Troubleshooting: make three common mistakes, and print what the package says about them.
//
//   npx tsx examples/troubleshooting.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions, type SessionsOptions } from 'sallyport/session';
import { receive, signWebhook } from 'sallyport/webhooks';

// In production, problems go to onProblem only. During development, the console shows them too.
process.env.NODE_ENV = 'production';

const emulator = await createEmulator({
  dialect: 'workos',
  seed: { users: [{ email: 'ada@acme.test', email_verified: true }] },
});
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const options: SessionsOptions = {
  ...emulator.credentials,
  fetch: emulator.fetch,
  redirectUri: 'http://localhost:3000/callback',
  onProblem: ({ code, message }) => console.log(`${code}: ${message}`),
};

// Two replicas have different cookie passwords.
const first = createSessions({ ...options, cookiePassword: 'the password of the first replica' });
const second = createSessions({ ...options, cookiePassword: 'the password of the second replica' });
const { code } = await sallyport.userManagement.createMagicAuth({ email: 'ada@acme.test' });
const tokens = await sallyport.userManagement.authenticateWithMagicAuth({ email: 'ada@acme.test', code });
const cookie = (await first.create(tokens)).map((line) => line.split(';')[0]).join('; ');
const result = await second.handle({ headers: { cookie } });
console.log(result.status, 'reason' in result ? result.reason : '');

// A user opens 127.0.0.1, but the redirect URI is on localhost, where the cookie of the sign-in is missing.
const finished = await first.finishSignIn({ url: 'http://localhost:3000/callback?code=1&state=2', headers: {} });
console.log(finished.status, 'reason' in finished ? finished.reason : '');

// A webhook is checked with the secret of another endpoint.
const body = JSON.stringify({ event: 'user.created' });
const signature = await signWebhook({ payload: body, secret: 'whsec_of_one_endpoint', timestamp: Date.now() });
const request = new Request('http://localhost:3000/webhooks', {
  method: 'POST',
  headers: { 'workos-signature': signature },
  body,
});
const { httpStatus, text, error } = await receive(request, { secret: 'whsec_of_another_endpoint' });
console.log(httpStatus, text);
console.log(String(error));

await emulator.close();
