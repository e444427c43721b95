import { createServer } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { expressSession, callerOf as ofExpress, requireSession as requireExpress } from 'sallyport/express';
import { fastifySession, callerOf as ofFastify, requireSession as requireFastify } from 'sallyport/fastify';
import { honoSession, callerOf as ofHono, requireSession as requireHono, type SessionEnv } from 'sallyport/hono';
import { createSessions, type Sessions } from 'sallyport/session';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { type Listening, listening, listeningFastify, listeningFetch } from './hosts.js';

/** An application that serves two sites, chosen by a header of the request. */
type Application = (siteOf: (name: unknown) => Sessions) => Promise<Listening>;

const applications: Readonly<Record<string, Application>> = {
  Express: async (siteOf) => {
    const app = express();
    app.use(expressSession((request) => siteOf(request.headers['x-site'])));
    const required = requireExpress((request) => siteOf(request.headers['x-site']), { bearer: true });
    app.get('/', required, (req, res) => {
      res.send(ofExpress(req).userId);
    });
    return listening(createServer(app));
  },
  Fastify: async (siteOf) => {
    const app = fastify();
    await app.register(fastifySession((request) => siteOf(request.headers['x-site'])));
    const required = requireFastify((request) => siteOf(request.headers['x-site']), { bearer: true });
    app.get('/', { onRequest: required }, async (request) => ofFastify(request as never).userId);
    return listeningFastify(app);
  },
  Hono: async (siteOf) => {
    const app = new Hono<SessionEnv>();
    app.use(honoSession((request) => siteOf(request.headers.get('x-site'))));
    const required = requireHono(async (request) => siteOf(request.headers.get('x-site')), { bearer: true });
    app.get('/', required, (c) => c.text(ofHono(c).userId));
    return listeningFetch(app.fetch);
  },
};

let emulators: readonly Emulator[];
beforeAll(async () => {
  emulators = await Promise.all(['client_shop', 'client_admin'].map((clientId) => createEmulator({ clientId })));
});
afterAll(() => Promise.all(emulators.map((emulator) => emulator.close())));

describe.each(Object.entries(applications))('in one %s server,', (_, application) => {
  test("two sites reject the cookies and access tokens of each other's users", async () => {
    const sites = await Promise.all(
      emulators.map(async (emulator, at) => {
        const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
        const email = `ada${Math.random()}@acme.test`;
        const user = await userManagement.createUser({ email, password: 'correct horse battery', emailVerified: true });
        const tokens = await userManagement.authenticateWithPassword({ email, password: 'correct horse battery' });
        const sessions = createSessions({
          ...emulator.credentials,
          cookiePassword: 'a password of at least 32 characters',
          cookie: { name: `site-${at}` },
          fetch: emulator.fetch,
        });
        const [line = ''] = await sessions.create(tokens);
        return { user, sessions, cookie: line.split(';')[0]!, authorization: `Bearer ${tokens.accessToken}` };
      }),
    );
    const [shop, admin] = sites as [(typeof sites)[0], (typeof sites)[0]];
    const { url } = await application((name) => (name === 'admin' ? admin : shop).sessions);
    const answer = async (site: string, headers: Record<string, string>) => {
      const response = await browse(url, { ...headers, 'x-site': site });
      return response.status === 200 ? response.text() : response.status;
    };
    const { cookie, authorization } = admin;

    expect(await answer('shop', { cookie: shop.cookie })).toBe(shop.user.id);
    expect(await answer('admin', { cookie })).toBe(admin.user.id);
    expect(await answer('admin', { authorization })).toBe(admin.user.id);
    expect([await answer('shop', { cookie }), await answer('shop', { authorization })]).toEqual([401, 401]);
    expect(await answer('admin', { cookie: `${shop.cookie}; ${cookie}` })).toBe(admin.user.id);
  });
});
