import { createServer } from 'node:http';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { expressSession, respond as respondInExpress } from 'sallyport/express';
import { fastifySession, respond as respondInFastify } from 'sallyport/fastify';
import { honoSession, respond as respondInHono } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { respond, type Sessions, type SessionsOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { application } from '../session/application.js';
import { browse } from '../session/browse.js';
import { type Listening, listening, listeningFastify, listeningFetch } from './hosts.js';

const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const script = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

/** A callback of Ada that waits for its answer: path and query, and her headers. */
async function returning(options: Partial<SessionsOptions> = {}, returnTo = '/account?a=1&b="2"') {
  const app = await application({}, { cookie: { sameSite: 'strict' }, ...options });
  await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
  const { pathname, search } = new URL(await app.approve(await app.start({ returnTo })));
  return { ...app, path: pathname + search, cookie: app.browser.header };
}

type Serve = (sessions: Sessions) => Promise<Listening>;
const express = (handle: (sessions: Sessions) => Parameters<typeof createServer>[1]): Serve => {
  return async (sessions) => listening(createServer(handle(sessions)));
};
const onFastify = (register: (app: ReturnType<typeof fastify>, sessions: Sessions) => unknown): Serve => {
  return async (sessions) => {
    const app = fastify();
    await register(app, sessions);
    return listeningFastify(app);
  };
};
const fetching = (handler: (sessions: Sessions) => (request: Request) => Response | Promise<Response>): Serve => {
  return (sessions) => listeningFetch(handler(sessions));
};
const never = () => new Response('not reached');
const problems = { page: () => 'a page for problems' };

const answers: Readonly<Record<string, Serve>> = {
  'the withSession callback route': fetching((sessions) => withSession(sessions, never, { routes: true, ...problems })),
  'respond() from sallyport/session': fetching((sessions) => async (request) => {
    return respond(await sessions.finishSignIn(request), problems);
  }),
  'the expressSession callback route': express((sessions) => {
    const run = expressSession(sessions, { routes: true });
    return (request, response) => run(request, response, () => response.end());
  }),
  'respond() from sallyport/express': express((sessions) => async (request, response) => {
    respondInExpress(response, await sessions.finishSignIn(request), problems);
  }),
  'the fastifySession callback route': onFastify((app, sessions) =>
    app.register(fastifySession(sessions, { routes: true })),
  ),
  'respond() from sallyport/fastify': onFastify((app, sessions) =>
    app.get('/callback', async (request: FastifyRequest, reply: FastifyReply) =>
      respondInFastify(reply, await sessions.finishSignIn(request)),
    ),
  ),
  'the honoSession callback route': fetching((sessions) => {
    return new Hono().use(honoSession(sessions, { routes: true })).fetch;
  }),
  'respond() from sallyport/hono': fetching((sessions) => {
    return new Hono().get('/callback', async (c) => respondInHono(await sessions.finishSignIn(c.req.raw))).fetch;
  }),
  'the Next proxy': fetching((sessions) => nextSessions(sessions).proxy({ routes: true })),
  'handleCallback() for Next': fetching((sessions) => nextSessions(sessions).handleCallback(problems)),
};

describe("with sameSite: 'strict',", () => {
  test.each(Object.entries(answers))(
    '%s ends a sign-in with an HTML page that redirects the browser',
    async (_, serve) => {
      const { sessions, path, cookie } = await returning();
      const { url } = await serve(sessions);

      const response = await browse(url + path, { ...page, cookie });

      expect(response.status).toBe(200);
      expect(response.headers.get('location')).toBeNull();
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(response.headers.getSetCookie()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^sallyport-session=.+; SameSite=Strict;/)]),
      );
      const html = await response.text();
      expect(html).toContain('<meta http-equiv="refresh" content="0;url=/account?a=1&#38;b=%222%22">');
      expect(html).toContain('<a href="/account?a=1&#38;b=%222%22">Continue</a>');
      expect(html).not.toContain('<script');
    },
  );

  test.each(Object.entries(answers))(
    '%s answers a reloaded callback with an HTML page that redirects the browser',
    async (_, serve) => {
      const { sessions, browser, finish, path } = await returning();
      await finish(`http://localhost:3000${path}`);
      const { url } = await serve(sessions);

      const response = await browse(url + path, { ...page, ...browser.headers });

      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<meta http-equiv="refresh" content="0;url=/account?a=1&#38;b=%222%22">');
    },
  );

  test.each([
    ['a script', script],
    ['a client without fetch metadata', {}],
  ])('%s gets a Location header instead of an HTML page', async (_, headers) => {
    const { sessions, path, cookie } = await returning();

    const { headers: sent } = respond(await sessions.finishSignIn({ url: path, headers: { ...headers, cookie } }));

    expect([sent.get('location'), sent.get('refresh')]).toEqual(['/account?a=1&b=%222%22', null]);
  });

  test('a redirect URL from onSignedIn is escaped in the HTML page', async () => {
    const redirectTo = `https://shop.example.com/?'><script>alert(1)</script>`;
    const onSignedIn = () => ({ redirectTo, allow: ['https://shop.example.com'] });
    const { sessions, path, cookie } = await returning({ onSignedIn });

    const html = await respond(await sessions.finishSignIn({ url: path, headers: { ...page, cookie } })).text();

    expect(html).toContain('content="0;url=https://shop.example.com/?%27%3E%3Cscript%3Ealert(1)%3C/script%3E">');
  });

  test('a failed sign-in ends with the error page', async () => {
    const { sessions } = await returning();

    const result = await sessions.finishSignIn({ url: '/callback?code=x&state=y', headers: page });

    expect(await respond(result, problems).text()).toBe('a page for problems');
  });
});

test.each(['lax', 'none'] as const)("with sameSite: '%s', a sign-in ends with an HTTP redirect", async (sameSite) => {
  const { sessions, path, cookie } = await returning({ cookie: { sameSite, secure: true } });

  const response = respond(await sessions.finishSignIn({ url: path, headers: { ...page, cookie } }));

  expect([response.status, response.headers.get('location')]).toEqual([302, '/account?a=1&b=%222%22']);
  expect(response.headers.get('referrer-policy')).toBeNull();
});
