import { createServer } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import { expressSession, respond } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import type { Sessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { signedIn } from '../session/signed-in.js';
import { listening, listeningFastify } from './hosts.js';

// Browsers apply form-action to each redirect after a form.
const withFormAction = (...formAction: string[]): HelmetOptions => ({
  contentSecurityPolicy: { directives: { formAction } },
});

const frameworks: readonly [
  string,
  (sessions: Sessions, options: HelmetOptions) => Promise<{ readonly url: string }>,
][] = [
  [
    'expressSession routes',
    (sessions, options) =>
      listening(
        createServer(
          express()
            .use(helmet(options))
            .use(expressSession(sessions, { routes: true })),
        ),
      ),
  ],
  [
    'respond() from sallyport/express',
    (sessions, options) => {
      const app = express().use(helmet(options));
      app.post('/sign-out', async (req, res) => respond(res, await sessions.signOut(req)));
      return listening(createServer(app));
    },
  ],
  [
    'fastifySession routes',
    async (sessions, options) => {
      const app = fastify();
      // @fastify/helmet sets its headers in the same way.
      app.addHook('onRequest', (request, reply, done) => helmet(options)(request.raw, reply.raw, () => done()));
      await app.register(fastifySession(sessions, { routes: true }));
      return listeningFastify(app);
    },
  ],
];

const page = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'same-origin',
};
const script = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' };

describe.each(frameworks)('with %s, the response to a sign-out form', (_, serve) => {
  async function signedOut(options: HelmetOptions, headers: Record<string, string> = page) {
    const { sessions, jar, emulator } = await signedIn();
    const { url } = await serve(sessions({ redirectUri: 'http://localhost:3000/callback' }), options);
    const response = await browse(`${url}/sign-out`, { ...headers, ...jar.headers }, 'POST');
    jar.keep(response.headers);
    expect(jar.names).toEqual([]);
    return { response, service: emulator.url };
  }

  test.each([
    ["helmet's default", {}],
    ["a list without the service's host", withFormAction("'self'", 'https://other.test')],
    ['a list with only a similar host name', withFormAction("'self'", 'http://emulator.localhost.evil.test')],
    ["'none'", withFormAction("'none'")],
  ])('is a page with a meta refresh to the service if the CSP directive form-action is %s', async (_, options) => {
    const { response, service } = await signedOut(options);

    expect([response.status, response.headers.get('location')]).toEqual([200, null]);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const text = await response.text();
    expect(text).toContain(`<meta http-equiv="refresh" content="0;url=${service}/user_management/sessions/logout?`);
    expect(text).toContain(`<a href="${service}/user_management/sessions/logout?`);
  });

  test.each<[string, HelmetOptions, Record<string, string>]>([
    [
      'the CSP directive form-action names the service',
      withFormAction("'self'", 'http://emulator.localhost', 'http://localhost:3000'),
      page,
    ],
    ['the policy has no form-action', { contentSecurityPolicy: { directives: { formAction: null } } }, page],
    ['no Content-Security-Policy is set', { contentSecurityPolicy: false }, page],
    ['a script sends the form', {}, script],
  ])('is a redirect to the service if %s', async (_, options, headers) => {
    const { response, service } = await signedOut(options, headers);

    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toContain(`${service}/user_management/sessions/logout?`);
  });
});
