import { createServer, type Server } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import fastify from 'fastify';
import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { createSessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { stage } from '../stage.js';
import { type Listening, listening, listeningFastify } from './hosts.js';

const opening = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const options = { protect: ['/account'], routes: true };

async function sessions() {
  const { emulator } = await stage();
  return createSessions({
    ...emulator.credentials,
    cookiePassword: 'a password of more than 32 characters',
    redirectUri: 'https://www.example.com/callback',
    redirectUris: ['https://app.example.com/callback'],
  });
}

/** The redirect URI of the sign-in that a request for a protected page starts. */
const redirectUriIn = (location: unknown) => new URL(String(location)).searchParams.get('redirect_uri');

const over1 = async ({ url }: Listening, host: string) =>
  redirectUriIn((await browse(`${url}/account`, { ...opening, host })).headers.get('location'));

const over2 = ({ url }: Listening, host: string): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const client = connect(url);
    client.on('error', reject);
    const stream = client.request({ ':path': '/account', ':authority': host, ...opening });
    stream.on('response', ({ location }) => {
      client.close();
      resolve(redirectUriIn(location));
    });
    stream.resume();
  });

const ofExpress = async (create: (listener: never) => unknown) => {
  const run = expressSession(await sessions(), options);
  // The types of the servers differ from those of the middleware.
  return listening(create(((request: never, response: never) => run(request, response, () => {})) as never) as Server);
};

const ofFastify = async (more: object) => {
  const app = fastify(more) as unknown as ReturnType<typeof fastify>;
  await app.register(fastifySession(await sessions(), options));
  return listeningFastify(app);
};

describe.each([
  ['Express over HTTP/1.1', () => ofExpress(createServer), over1],
  ['Express over HTTP/2', () => ofExpress(createHttp2Server), over2],
  ['Fastify over HTTP/1.1', () => ofFastify({}), over1],
  ['Fastify over HTTP/2', () => ofFastify({ http2: true }), over2],
] as const)('with %s, a sign-in', (_, start, ask) => {
  test.each(['app.example.com', 'app.example.com:443', 'APP.example.com.'])(
    'on the host "%s" uses the redirect URI of app.example.com',
    async (host) => {
      expect(await ask(await start(), host)).toBe('https://app.example.com/callback');
    },
  );

  test('on an unknown host uses the default redirect URI', async () => {
    expect(await ask(await start(), 'evil.example')).toBe('https://www.example.com/callback');
  });
});
