import { createServer } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import type { Sessions } from 'sallyport/session';
import { expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { signedIn } from '../session/signed-in.js';
import { listening, listeningFastify } from './hosts.js';

/** Headers that an earlier middleware sets for all pages. A cache that obeys one of them ignores `Cache-Control` (RFC 9213). */
const cached = { 'CDN-Cache-Control': 'public, max-age=60', 'Surrogate-Control': 'max-age=60' };
const options = { protect: ['/account'], routes: { session: '/session' } };

const frameworks: readonly [string, (sessions: Sessions) => Promise<{ readonly url: string }>][] = [
  [
    'Express',
    (sessions) => {
      const app = express();
      app.use((_, res, next) => {
        res.set(cached);
        next();
      });
      app.use(expressSession(sessions, options));
      app.get('/news', (_, res) => void res.send('news'));
      return listening(createServer(app));
    },
  ],
  [
    'Fastify',
    async (sessions) => {
      const app = fastify();
      app.addHook('onRequest', async (_, reply) => {
        reply.headers(cached);
      });
      await app.register(fastifySession(sessions, options));
      app.get('/news', async () => 'news');
      return listeningFastify(app);
    },
  ],
];

test.each(frameworks)(
  'the %s middleware prevents shared caching of session responses and redirects',
  async (_, serve) => {
    const { sessions, jar } = await signedIn();
    const { url } = await serve(sessions({ redirectUri: 'http://localhost:3000/callback' }));
    const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

    const session = await browse(`${url}/session`, jar.headers);
    const redirect = await browse(`${url}/account`, page);
    const news = await browse(`${url}/news`);

    for (const { status, headers } of [session, redirect]) {
      expect([200, 302]).toContain(status);
      expect(headers.get('cache-control')).toBe('no-store');
      expect([headers.get('cdn-cache-control'), headers.get('surrogate-control')]).toEqual([null, null]);
    }
    expect(news.headers.get('cdn-cache-control')).toBe('public, max-age=60');
  },
);
