import { createServer, type RequestListener } from 'node:http';
import fastify from 'fastify';
import { Hono } from 'hono';
import { expressSession, requireSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { honoSession } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import {
  createSessions,
  type SessionProblem,
  type Sessions,
  type SessionsOptions,
  withSession,
} from 'sallyport/session';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import { browse } from '../session/browse.js';
import { type Listening, listening, listeningFastify, listeningFetch } from './hosts.js';

const warnings = captureWarnings();

const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const options = { protect: ['/account'], routes: true, csrf: true };
const settings = {
  cookiePassword: 'a password of more than 32 characters',
  clientId: 'client_42',
  apiKey: 'sk_test_42',
  baseUrl: 'https://api.example.com',
  redirectUri: 'https://app.example.com/callback',
};

beforeEach(() => {
  for (const name of ['API_KEY', 'BASE_URL', 'CLIENT_ID', 'COOKIE_PASSWORD', 'REDIRECT_URI'])
    vi.stubEnv(`SALLYPORT_${name}`, undefined);
});

/** An error of a handler becomes status 500. */
const or500 = (handler: (request: Request) => Promise<Response>) => (request: Request) =>
  handler(request).catch(() => new Response(null, { status: 500 }));

const adapters: Readonly<Record<string, (sessions: Sessions) => Promise<Listening>>> = {
  withSession: (sessions) =>
    listeningFetch(or500(withSession(sessions, (_, auth) => new Response(auth.status), options))),
  expressSession(sessions) {
    const run = expressSession(sessions, options);
    const listener: RequestListener = (request, response) =>
      run(request, response, (error) => {
        if (error) response.statusCode = 500;
        response.end();
      });
    return listening(createServer(listener));
  },
  'requireSession for Express'(sessions) {
    const run = requireSession(sessions, { signIn: true });
    const listener: RequestListener = (request, response) => {
      if (!request.url?.startsWith('/account')) return response.end();
      return run(request, response, () => {
        response.statusCode = 500;
        response.end();
      });
    };
    return listening(createServer(listener));
  },
  async fastifySession(sessions) {
    const app = fastify();
    await app.register(fastifySession(sessions, options));
    app.all('/*', async () => 'page');
    return listeningFastify(app);
  },
  honoSession: (sessions) =>
    listeningFetch(new Hono().use(honoSession(sessions, options)).all('/*', (c) => c.text('page')).fetch),
  'the Next proxy': (sessions) => listeningFetch(or500(nextSessions(sessions).proxy(options))),
};

/** Sessions without settings, and the problems that they report. */
function unset(more: SessionsOptions = {}) {
  const problems: SessionProblem[] = [];
  const sessions = createSessions({ onProblem: (problem) => void problems.push(problem), ...more });
  return { sessions, problems };
}

describe.each(Object.entries(adapters))('without settings, %s', (name, serve) => {
  const asking = async () => {
    const { url } = await serve(unset().sessions);
    return async (path: string, headers: Record<string, string> = page, method = 'GET') =>
      (await browse(url + path, headers, method)).status;
  };

  test('serves open pages to requests without a session cookie', async () => {
    const ask = await asking();

    expect(await ask('/about')).toBe(200);
    expect(await ask('/about', { ...page, cookie: 'theme=dark' })).toBe(200);
    expect(await ask('/about', page, 'POST')).toBe(200);
  });

  test('responds to requests for protected pages with status 500', async () => {
    const ask = await asking();

    expect([await ask('/account'), await ask('/account', {})]).toEqual([500, 500]);
  });

  test.skipIf(name.startsWith('requireSession'))(
    'responds with status 500 to sign-in requests and to requests with a session cookie',
    async () => {
      const ask = await asking();

      expect([await ask('/sign-in'), await ask('/sign-out', page, 'POST')]).toEqual([500, 500]);
      expect(await ask('/about', { ...page, cookie: 'wos-session=x' })).toBe(500);
      expect(await ask('/about', { ...page, cookie: 'wos-session.0=x' })).toBe(500);
    },
  );
});

describe('a sessions object with missing settings', () => {
  test.each(['cookiePassword', 'clientId', 'baseUrl'] as const)(
    'throws an error for a request with a session cookie, but not for a signed-out request (%s is missing)',
    async (missing) => {
      const { sessions } = unset({ ...settings, [missing]: undefined, cookie: { name: 'own' } });
      const cookie = 'own=x';

      expect(await sessions.handle({ headers: {} })).toMatchObject({ status: 'signed_out', reason: 'no_cookie' });
      expect(await sessions.read('sallyport-session=x')).toMatchObject({ status: 'signed_out', reason: 'no_cookie' });
      await expect(sessions.handle({ headers: { cookie } })).rejects.toThrow(`The option ${missing} is missing`);
      await expect(sessions.read(cookie)).rejects.toThrow(`The option ${missing} is missing`);
    },
  );

  test('recognizes the session cookie name of the configured dialect', async () => {
    const workos = unset({ dialect: 'workos' }).sessions;
    const own = unset({
      dialect: { hostedProvider: 'hosted', authorizeOrganizationParam: 'organization', cookieName: 'sid' },
    }).sessions;

    await expect(workos.handle({ headers: { cookie: 'wos-session=x' } })).rejects.toThrow('is missing');
    await expect(own.handle({ headers: { cookie: 'sid=x' } })).rejects.toThrow('is missing');
    expect((await workos.handle({ headers: { cookie: 'sallyport-session=x' } })).status).toBe('signed_out');
  });

  test('throws an error for a request to the path of the redirect URI', async () => {
    const { sessions } = unset({ redirectUri: 'https://app.example.com/back' });
    const ask = (url: string) => sessions.route({ url, headers: {} });

    await expect(ask('/back')).rejects.toThrow('is missing');
    expect(await ask('/callback')).toBeUndefined();
  });

  test('reports a missing setting to onProblem only once', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { sessions, problems } = unset();
    const before = warnings.length;

    for (let request = 0; request < 3; request++) await sessions.handle({ headers: {} });
    await vi.dynamicImportSettled();

    expect(problems).toEqual([
      {
        code: 'missing_setting',
        message:
          'A setting is missing, so users cannot sign in. The option cookiePassword is missing. Pass cookiePassword or set SALLYPORT_COOKIE_PASSWORD or WORKOS_COOKIE_PASSWORD. Set it where the application runs: only a build works without it.',
        cause: expect.objectContaining({ code: 'missing_cookie_password' }),
      },
    ]);
    expect(warnings.slice(before)).toEqual([]);
  });

  test('prints a missing setting only once during development', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const before = warnings.length;

    for (let copy = 0; copy < 2; copy++)
      await unset({ baseUrl: 'https://printed.example.com' }).sessions.handle({ headers: {} });
    await vi.dynamicImportSettled();

    expect(warnings.slice(before)).toEqual([
      expect.stringMatching(
        /^sallyport: A setting is missing, so users cannot sign in \(https:\/\/printed\.example\.com\)\. /,
      ),
    ]);
  });

  test('starts a sign-in as soon as the missing setting is available', async () => {
    const { sessions } = unset({ ...settings, cookiePassword: undefined });
    await sessions.handle({ headers: {} });

    vi.stubEnv('SALLYPORT_COOKIE_PASSWORD', settings.cookiePassword);

    expect((await sessions.startSignIn({ headers: {} })).status).toBe('redirect');
  });
});

test('createSessions rejects an invalid setting before the first request', () => {
  expect(() => createSessions({ ...settings, cookiePassword: 'short' })).toThrow('32 characters');
  expect(() => createSessions({ ...settings, baseUrl: 'nonsense' })).toThrow('baseUrl');
});

describe.each([
  ['with all settings', settings],
  ['without settings', {}],
])('a SvelteKit build %s', (_, more) => {
  test.each(['/sign-in', '/sign-up', '/callback?code=x&state=y', '/account'])('does not prerender %s', async (path) => {
    const redirectUri = 'https://app.example.com/callback';
    const handler = withSession(unset({ redirectUri, ...more }).sessions, () => new Response('page'), options);

    const response = await handler(new Request(`http://sveltekit-prerender${path}`));

    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([204, null, '']);
  });
});
