import { Readable } from 'node:stream';
import fastify from 'fastify';
import { callerOf, fastifySession, requireSession, respond, sessionOf, type WithSession } from 'sallyport/fastify';
import { describe } from 'vitest';
import { conformance, instructs } from './conformance.js';
import { listeningFastify } from './hosts.js';

declare module 'fastify' {
  interface FastifyRequest extends WithSession {}
}

describe('in Fastify,', () => {
  conformance(async (sessions, gate) => {
    const app = fastify();
    app.addHook('onRequest', async ({ url }, reply) => {
      reply.header('set-cookie', 'theme=dark');
      if (url === '/private') reply.header('cache-control', 'max-age=60');
    });
    await app.register(fastifySession(sessions));
    for (const path of ['/who', '/twice'])
      app.get(path, async ({ auth }) => ({ status: auth.status, email: auth.session?.user.email ?? null }));
    app.get<{ Querystring: { caching?: string } }>('/news', async ({ query }, reply) =>
      reply.header('cache-control', query.caching ?? 'max-age=60').send('news'),
    );
    app.get('/private', { onRequest: requireSession(sessions) }, async (request) => ({
      email: sessionOf(request).user.email,
    }));
    app.get('/api', { onRequest: requireSession(sessions, { bearer: true, signIn: true }) }, async (request) => ({
      userId: callerOf(request).userId,
      cookie: request.auth.status,
    }));
    app.get(
      '/recent',
      { onRequest: requireSession(sessions, { maxAgeMs: 300_000, signIn: true }) },
      async (request) => ({
        userId: callerOf(request).userId,
      }),
    );
    app.register(
      async (pages) => {
        pages.get(
          '/reports',
          { preHandler: requireSession(sessions, { signIn: true }) },
          async (request) => `for ${sessionOf(request).user.email}`,
        );
      },
      { prefix: '/pages' },
    );
    app.get('/stream', (_, reply) =>
      reply.send(
        Readable.from(
          (async function* () {
            for (const chunk of ['one', 'two', 'three']) {
              yield chunk;
              await gate.passed();
            }
          })(),
        ),
      ),
    );
    app.get('/sign-out', async (request, reply) => respond(reply, await sessions.signOut(request)));
    app.get('/callback', async (request, reply) => respond(reply, await sessions.finishSignIn(request)));
    await app.register(fastifySession(sessions));
    return listeningFastify(app);
  });

  instructs(() => sessionOf({}));
});
