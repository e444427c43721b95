import { Readable } from 'node:stream';
import fastify from 'fastify';
import {
  accessOf,
  fastifySession,
  requireRecent,
  requireSession,
  respond,
  sessionOf,
  type WithSession,
} from 'sallyport/fastify';
import type { HandleResult } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { conformance } from './conformance.js';
import { noTokens } from './no-tokens.js';

declare module 'fastify' {
  interface FastifyRequest extends WithSession {}
}

describe('fastify', () => {
  conformance(async (sessions, gate) => {
    const app = fastify();
    app.addHook('onRequest', async (_, reply) => {
      reply.header('set-cookie', 'theme=dark');
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
      userId: accessOf(request).userId,
      cookie: request.auth.status,
    }));
    app.get('/recent', { onRequest: requireRecent(sessions, { maxAgeSec: 300, signIn: true }) }, async (request) => ({
      userId: accessOf(request).userId,
    }));
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
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  });
});

test('sessionOf throws with instructions if no session is required', () => {
  expect(() => sessionOf({})).toThrow(/No user is signed in here\. Add requireSession before this handler/);
});

test('an answer of requireSession is never cached, even if another hook allows it', async () => {
  const app = fastify();
  app.addHook('onRequest', async (_, reply) => {
    reply.header('cache-control', 'max-age=60');
  });
  const signedOut: HandleResult = {
    status: 'signed_out',
    session: null,
    reason: 'no_cookie',
    headers: new Headers(),
  };
  const sessions = { handle: async () => signedOut, startSignIn: async () => Promise.reject(), ...noTokens };
  app.get('/', { onRequest: requireSession(sessions) }, async () => 'for those who are signed in');

  const response = await app.inject('/');

  expect([response.statusCode, response.headers['cache-control']]).toEqual([401, 'no-store']);
});
