// Passwordless sessions: deprecated magic links. They need the dialect `spec`, because the public service no longer has them. New
// applications send the code of userManagement.createMagicAuth.
//
//   npx tsx examples/passwordless.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'spec', seed: 'examples/company.yaml' });
const { passwordless } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

const session = await passwordless.createSession({
  email: 'ada@northwind.test',
  type: 'MagicLink',
  redirectURI: 'http://localhost:3000/callback',
  state: 'from the newsletter',
  expiresIn: 900,
});
console.log('not mailed yet; the link works until', session.expiresAt);
const { success } = await passwordless.sendSession(session.id);
console.log('mailed:', success);

const followed = await emulator.fetch(session.link, { redirect: 'manual' });
const target = new URL(followed.headers.get('location') ?? '');
console.log('the user returns to', target.origin + target.pathname, 'with a code:', target.searchParams.has('code'));

await emulator.close();
