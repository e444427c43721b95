import fastify from 'fastify';
import { Hono } from 'hono';
import { fastifySession } from 'sallyport/fastify';
import { appendHeaders, honoSession } from 'sallyport/hono';
import { type Sessions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { browse } from '../session/browse.js';
import { signedIn } from '../session/signed-in.js';
import { hosts, listeningFastify } from './hosts.js';

/**
 * Serves a page behind the middleware of the sessions, and opens it with these cookies. The page sets the cookie `theme` when the gate
 * opens. Gives the headers of the response.
 */
type SlowPage = (sessions: Sessions, cookie: string, gate: Promise<void>) => Promise<Headers>;

const address = 'http://localhost:3000/';
const theme = { 'set-cookie': ['theme=dark'] };

const pages: readonly [readonly [string, SlowPage], ...(readonly [string, SlowPage])[]] = [
  [
    'a withSession handler',
    async (sessions, cookie, gate) => {
      const app = withSession(sessions, async () => {
        await gate;
        return new Response('slow', { headers: { 'set-cookie': 'theme=dark' } });
      });
      return (await app(new Request(address, { headers: { cookie } }))).headers;
    },
  ],
  [
    'Hono',
    async (sessions, cookie, gate) => {
      const app = new Hono();
      app.use(honoSession(sessions));
      app.get('/', async (c) => {
        await gate;
        c.header('set-cookie', 'theme=dark');
        return c.text('slow');
      });
      return (await app.request(address, { headers: { cookie } })).headers;
    },
  ],
  [
    'Fastify',
    async (sessions, cookie, gate) => {
      const app = fastify();
      await app.register(fastifySession(sessions));
      app.get('/', async (_, reply) => {
        await gate;
        return reply.header('set-cookie', 'theme=dark').send('slow');
      });
      return (await browse((await listeningFastify(app)).url, { cookie })).headers;
    },
  ],
  ...Object.entries(hosts).map(
    ([name, host]) =>
      [
        name,
        (sessions, cookie, gate) =>
          host([{ ...sessions, handle: () => sessions.handle({ headers: { cookie } }) }], async (_, response) => {
            await gate;
            response.writeHead(200, theme).end();
          }),
      ] as const satisfies readonly [string, SlowPage],
  ),
];

/** Pages that send their cookies in another way. */
const ownWays: readonly (readonly [string, SlowPage])[] = [
  [
    'a withSession handler that sends the session headers',
    async (sessions, cookie, gate) => {
      const app = withSession(sessions, async (_, auth) => {
        await gate;
        const headers = new Headers(auth.headers);
        headers.append('set-cookie', 'theme=dark');
        return new Response('slow', { headers });
      });
      return (await app(new Request(address, { headers: { cookie } }))).headers;
    },
  ],
  [
    'a Hono handler that appends the session headers',
    async (sessions, cookie, gate) => {
      const app = new Hono();
      app.use(honoSession({ ...sessions, handle: (request) => sessions.handle({ ...request, headers: {} }) }));
      app.get('/', async (c) => {
        appendHeaders(c, (await sessions.handle(c.req.raw)).headers);
        await gate;
        c.header('set-cookie', 'theme=dark', { append: true });
        return c.text('slow');
      });
      return (await app.request(address, { headers: { cookie } })).headers;
    },
  ],
  [
    'a node:http server that adds an attribute to the session cookie',
    (sessions, cookie, gate) =>
      hosts['node:http']!(
        [{ ...sessions, handle: () => sessions.handle({ headers: { cookie } }) }],
        async (_, response) => {
          await gate;
          const lines = [response.getHeader('set-cookie') ?? []].flat().map((line) => `${line}; Priority=High`);
          response.writeHead(200, { 'set-cookie': [...lines, 'theme=dark'] }).end();
        },
      ),
  ],
];

/** A user of two organizations, with a page that was refreshed and has not been answered yet. */
async function refreshedPage(slowPage: SlowPage) {
  const there = await signedIn({ autoApprove: true });
  const { sallyport, emulator, jar, rotations } = there;
  const { organizations, userManagement } = sallyport;
  await userManagement.createUser({ email: 'grace@example.com', emailVerified: true });
  const { id: organizationId } = await organizations.createOrganization({ name: 'Bolt' });
  await userManagement.createOrganizationMembership({ userId: there.tokens.user.id, organizationId });
  const sessions = there.sessions({ redirectUri: 'http://localhost:3000/callback' });
  const { promise: gate, resolve: open } = deferred<void>();
  await emulator.clock.advance('6m');
  const answer = slowPage(sessions, jar.header, gate);
  // Without a response, a failed page would only end this wait.
  await Promise.race([expect.poll(rotations).toBe(1), answer]);
  return { emulator, jar, sessions, organizationId, answer, open };
}

const cookiesIn = (headers: Headers) => headers.getSetCookie().map((line) => line.split('=')[0]);

describe.each([...pages, ...ownWays])('with %s, a late response', (_, slowPage) => {
  test('sets the refreshed session cookie if the session has not changed in the meantime', async () => {
    const { answer, open, jar, sessions } = await refreshedPage(slowPage);

    open();
    const headers = await answer;

    jar.keep(headers);
    expect(cookiesIn(headers).sort()).toEqual(['sallyport-session', 'theme']);
    expect(await sessions.handle(jar.request)).toMatchObject({ status: 'active' });
  });

  test('does not restore a session that has ended in the meantime', async () => {
    const { answer, open, jar, sessions } = await refreshedPage(slowPage);
    jar.keep((await sessions.signOut(jar.request)).headers);

    open();

    expect(cookiesIn(await answer)).toEqual(['theme']);
  });
});

// These changes reach the response like the end of the session.
describe('with a withSession handler, a late response', () => {
  const [[, slowPage]] = pages;

  test('does not undo an organization switch made in the meantime', async () => {
    const { answer, open, jar, sessions, organizationId } = await refreshedPage(slowPage);
    jar.keep((await sessions.switchOrganization(jar.request, organizationId)).headers);

    open();

    expect(cookiesIn(await answer)).toEqual(['theme']);
    expect(await sessions.handle(jar.request)).toMatchObject({ status: 'active', session: { organizationId } });
  });

  test('does not replace the session of a user who has signed in meanwhile', async () => {
    const { answer, open, jar, sessions, emulator } = await refreshedPage(slowPage);
    const started = await sessions.startSignIn(jar.request, { loginHint: 'grace@example.com' });
    jar.keep(started.headers);
    const { headers } = await emulator.fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
    const finished = await sessions.finishSignIn({ url: headers.get('location') ?? '', headers: jar.headers });
    jar.keep(finished.headers);

    open();

    expect(finished.status).toBe('signed_in');
    expect(cookiesIn(await answer)).toEqual(['theme']);
  });
});
