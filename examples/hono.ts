// Hono: read the session of every request, require sign-in for a page, and sign users out.
//
//   npx tsx examples/hono.ts

import { Hono } from 'hono';
import { createEmulator } from 'sallyport/emulator';
import { honoSession, requireSession, respond, type SessionEnv, sessionOf } from 'sallyport/hono';
import { createSessions } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';
import { visit } from './session/visit.js';

const emulator = await createEmulator({ dialect: 'workos', autoApprove: true });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: 'http://localhost:3000/callback',
});

const app = new Hono<SessionEnv>();
app.use(honoSession(sessions));
app.get('/', (c) => c.text(`Hello ${c.var.auth.session?.user.email ?? 'stranger'}`));
app.get('/account', requireSession(sessions, { signIn: true }), (c) =>
  c.text(`The account of ${sessionOf(c).user.email}`),
);
app.get('/callback', async (c) => respond(await sessions.finishSignIn(c.req.raw)));
app.post('/sign-out', async (c) => respond(await sessions.signOut(c.req.raw, { returnTo: 'http://localhost:3000/' })));

const ada = new TestBrowser({
  loginHint: 'ada@acme.test',
  sites: {
    'http://localhost:3000': app.fetch,
    [emulator.url]: emulator.fetch,
  },
});
await visit(ada, 'http://localhost:3000');

await emulator.close();
