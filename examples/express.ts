// Express: read the session of every request, require sign-in for a page, and sign users out.
//
//   npx tsx examples/express.ts

import type { AddressInfo } from 'node:net';
import express from 'express';
import { createEmulator } from 'sallyport/emulator';
import { expressSession, requireSession, respond, sessionOf } from 'sallyport/express';
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

const app = express();
app.use(expressSession(sessions));
app.get('/', (req, res) => {
  res.send(`Hello ${req.auth.session?.user.email ?? 'stranger'}`);
});
app.get('/account', requireSession(sessions, { signIn: true }), (req, res) => {
  res.send(`The account of ${sessionOf(req).user.email}`);
});
app.get('/callback', async (req, res) => respond(res, await sessions.finishSignIn(req)));
app.post('/sign-out', async (req, res) => {
  respond(res, await sessions.signOut(req, { returnTo: 'http://localhost:3000/' }));
});

const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;

const ada = new TestBrowser({
  loginHint: 'ada@acme.test',
  sites: {
    'http://localhost:3000': `http://127.0.0.1:${port}`,
    [emulator.url]: emulator.fetch,
  },
});
await visit(ada, 'http://localhost:3000');

server.close();
await emulator.close();
