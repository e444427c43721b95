// Fastify: read the session of every request, require sign-in for a page, and sign users out.
//
//   npx tsx examples/fastify.ts

import fastify from 'fastify';
import { createEmulator } from 'sallyport/emulator';
import { fastifySession, requireSession, respond, sessionOf, type WithSession } from 'sallyport/fastify';
import { createSessions } from 'sallyport/session';
import { TestBrowser } from 'sallyport/testing';
import { visit } from './session/visit.js';

declare module 'fastify' {
  interface FastifyRequest extends WithSession {}
}

const emulator = await createEmulator({ dialect: 'workos', autoApprove: true });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: 'http://localhost:3000/callback',
});

const app = fastify();
await app.register(fastifySession(sessions));
app.get('/', async (request) => `Hello ${request.auth.session?.user.email ?? 'stranger'}`);
app.get(
  '/account',
  { onRequest: requireSession(sessions, { signIn: true }) },
  async (request) => `The account of ${sessionOf(request).user.email}`,
);
app.get('/callback', async (request, reply) => respond(reply, await sessions.finishSignIn(request)));
app.post('/sign-out', async (request, reply) =>
  respond(reply, await sessions.signOut(request, { returnTo: 'http://localhost:3000/' })),
);

const ada = new TestBrowser({
  loginHint: 'ada@acme.test',
  sites: {
    'http://localhost:3000': await app.listen({ port: 0, host: '127.0.0.1' }),
    [emulator.url]: emulator.fetch,
  },
});
await visit(ada, 'http://localhost:3000');

await app.close();
await emulator.close();
