import formBody from '@fastify/formbody';
import fastify from 'fastify';
import { appendHeaders, callerOf, requireSession, sessionOf } from 'sallyport/fastify';
import { account, home } from './pages.js';
import { session, sessions } from './sallyport.js';

const app = fastify();
app.register(formBody);
app.register(session);
app.addHook('onRequest', async (_, reply) => {
  // After signing out, the back button must not show the cached page.
  reply.header('cache-control', 'private, no-store');
});

app.get('/', (request, reply) => reply.type('text/html').send(home(request.auth.session)));

app.get('/account', (request, reply) => reply.type('text/html').send(account(sessionOf(request))));
app.post('/account/switch', async (request, reply) => {
  const result = await sessions.switchOrganization(request, request.body.organization);
  appendHeaders(reply, result.headers);
  if (result.status !== 'refused') return reply.redirect('/account', 303);
  return reply
    .code(403)
    .type('text/html')
    .send(account(sessionOf(request), `You cannot switch: ${result.reason}`));
});
app.post('/account/refresh', async (request, reply) => {
  const result = await sessions.refresh(request);
  appendHeaders(reply, result.headers);
  return reply.redirect('/account', 303);
});

// Accepts session cookies and access tokens.
app.get('/api/me', { onRequest: requireSession(sessions, { bearer: true }) }, async (request) => ({
  userId: callerOf(request).userId,
}));

app.listen({ port: Number(process.env.PORT ?? 3000) });
