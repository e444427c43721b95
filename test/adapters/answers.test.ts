import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import fastify from 'fastify';
import { appendHeaders } from 'sallyport/express';
import { appendHeaders as appendToReply, fastifySession } from 'sallyport/fastify';
import type { SessionHandler } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { hosts } from './hosts.js';
import { knowing, signedOut } from './knowing.js';

const cookie = 'sallyport-session=new; Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000';
const cleared = 'sallyport-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0';

const refreshing = (line = cookie) => knowing(signedOut(['cache-control', 'private, no-store'], ['set-cookie', line]));

const caching = 'public, max-age=600';
const frozen = Object.freeze({ 'Cache-Control': caching, 'Set-Cookie': 'theme=dark' });

describe.each(Object.entries(hosts))('with %s, the session middleware', (name, host) => {
  /** The headers of a response that ends when its handler returns. */
  const answerOf = (handler: (response: ServerResponse) => unknown, ...sessions: SessionHandler[]) =>
    host(sessions.length > 0 ? sessions : [refreshing()], (_, response) => {
      if (handler(response) !== 'ended') response.end();
    });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['sets no Cache-Control header', () => undefined],
    ['calls setHeader', (response) => response.setHeader('Cache-Control', caching)],
    ['calls writeHead with an object', (response) => response.writeHead(200, { 'Cache-Control': caching })],
    [
      'calls writeHead with a status message',
      (response) => response.writeHead(200, 'Fine', { 'cache-control': caching }),
    ],
    ['calls writeHead with a frozen object', (response) => response.writeHead(200, frozen)],
    ['calls writeHead with a flat list of headers', (response) => response.writeHead(200, ['Cache-Control', caching])],
    [
      'calls writeHead with a list of header pairs',
      (response) => response.writeHead(200, [['Cache-Control', caching]] as never),
    ],
    [
      'writes a first chunk',
      (response) => {
        response.setHeader('cache-control', caching);
        response.write('a');
      },
    ],
    [
      'calls flushHeaders',
      (response) => {
        response.setHeader('cache-control', caching);
        response.flushHeaders();
      },
    ],
  ])('prevents shared caching of the session cookie if the handler %s', async (_, handler) => {
    const headers = await answerOf(handler);

    expect(headers.getSetCookie()).toContain(cookie);
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  test.each([
    'CDN-Cache-Control',
    'Cloudflare-CDN-Cache-Control',
    'Surrogate-Control',
    'Edge-Control',
    'X-Accel-Expires',
  ])("removes the handler's %s header from a response with the session cookie", async (field) => {
    const headers = await answerOf((response) => response.setHeader(field, 'max-age=600'));

    expect(headers.getSetCookie()).toEqual([cookie]);
    expect(headers.get(field)).toBeNull();
  });

  test.each([
    ['private, max-age=60', 'private, max-age=60'],
    ['private, no-store', 'must-understand, no-store'],
  ])('sends the session cookie with Cache-Control "%s" if the handler sets "%s"', async (says, said) => {
    const headers = await answerOf((response) => response.writeHead(200, { 'cache-control': said }));

    expect(headers.get('cache-control')).toBe(says);
  });

  test('does not modify the headers object that the handler passes to writeHead', async () => {
    const shared = { 'Cache-Control': caching, 'Set-Cookie': 'theme=dark' };

    const headers = await answerOf((response) => response.writeHead(200, shared));

    expect(headers.getSetCookie()).toEqual([cookie, 'theme=dark']);
    expect(shared).toEqual({ 'Cache-Control': caching, 'Set-Cookie': 'theme=dark' });
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['setHeader', (response) => response.setHeader('Set-Cookie', ['theme=dark', 'size=2'])],
    ['appendHeader', (response) => response.appendHeader('set-cookie', ['theme=dark', 'size=2'])],
    ['writeHead with an object', (response) => response.writeHead(200, { 'set-cookie': ['theme=dark', 'size=2'] })],
    [
      'writeHead with a flat list',
      (response) => response.writeHead(200, ['Set-Cookie', 'theme=dark', 'Set-Cookie', 'size=2']),
    ],
    [
      'writeHead with a list of pairs',
      (response) => {
        const pairs = [
          ['Set-Cookie', 'theme=dark'],
          ['set-cookie', 'size=2'],
        ];
        response.writeHead(200, pairs as never);
      },
    ],
  ])('keeps the cookies that the handler sets through %s', async (_, handler) => {
    const headers = await answerOf(handler);

    expect(headers.getSetCookie()).toEqual([cookie, 'theme=dark', 'size=2']);
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  test('keeps both values of a header that the handler sets twice', async () => {
    const headers = await answerOf((response) => response.writeHead(200, ['Link', '</a>', 'Link', '</b>']));

    expect(headers.get('link')).toBe('</a>, </b>');
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['setHeader', (response) => response.setHeader('set-cookie', cleared)],
    ['writeHead', (response) => response.writeHead(302, { location: '/', 'set-cookie': [cleared] })],
    [
      'appendHeaders',
      (response) => {
        appendHeaders(response, new Headers([['set-cookie', cleared]]));
      },
    ],
  ])('does not restore a session cookie that the handler clears through %s', async (_, handler) => {
    const headers = await answerOf(handler);

    expect(headers.getSetCookie()).toEqual([cleared]);
  });

  test('still clears the session cookie if the handler sets a theme cookie after a sign-out', async () => {
    const headers = await answerOf((response) => {
      appendHeaders(response, new Headers([['set-cookie', cleared]]));
      response.writeHead(200, { 'Set-Cookie': 'theme=dark' });
    });

    expect(headers.getSetCookie()).toEqual([cleared, 'theme=dark']);
  });

  test("keeps the handler's Cache-Control header if the handler removes all cookies", async () => {
    const headers = await answerOf((response) => {
      response.removeHeader('set-cookie');
      response.setHeader('cache-control', caching);
    });

    expect(headers.getSetCookie()).toEqual([]);
    expect(headers.get('cache-control')).toBe(caching);
  });

  test('sets each of two session cookies only once', async () => {
    const users = refreshing();
    const staff = refreshing('staff-session=new; Path=/');

    const headers = await answerOf((response) => response, users, staff, users, staff);

    expect(headers.getSetCookie()).toEqual([cookie, 'staff-session=new; Path=/']);
    expect([users.asked, staff.asked]).toEqual([1, 1]);
  });

  test('sets only one cookie for two sessions with the same cookie name', async () => {
    const headers = await answerOf((response) => response, refreshing(), refreshing());

    expect(headers.getSetCookie()).toEqual([cookie]);
  });

  test.runIf(name.includes('HTTP/2')).each([
    ['stream.respond', 'object'],
    ['stream.respondWithFile', 'respondWithFile'],
  ])('adds the session cookie if the handler responds through %s', async (_, way) => {
    const headers = await answerOf((response) => {
      // Over HTTP/2 a response has its stream.
      const { stream } = response as unknown as { readonly stream: ServerHttp2Stream };
      const fields = Object.freeze({ ':status': 200, 'Cache-Control': caching, 'Set-Cookie': 'theme=dark' });
      if (way === 'object') stream.respond(fields, { endStream: true });
      else stream.respondWithFile('package.json', fields);
      return 'ended';
    });

    expect(headers.getSetCookie()).toEqual([cookie, 'theme=dark']);
    expect(headers.get('cache-control')).toBe('private, no-store');
  });
});

describe('fastifySession', () => {
  const answerOf = async (handler: (reply: import('fastify').FastifyReply) => unknown) => {
    const app = fastify();
    await app.register(fastifySession(refreshing()));
    app.get('/', (_, reply) => handler(reply));
    const { headers } = await app.inject('/');
    return { cookies: [headers['set-cookie']].flat(), caching: headers['cache-control'] };
  };

  test.each<[string, (reply: import('fastify').FastifyReply) => unknown]>([
    ['reply.header', (reply) => reply.header('set-cookie', 'theme=dark').header('cache-control', caching).send('')],
    [
      'reply.raw.setHeader',
      (reply) => {
        reply.raw.setHeader('set-cookie', 'theme=dark');
        return reply.header('cache-control', caching).send('');
      },
    ],
  ])('keeps a cookie that the handler sets through %s', async (_, handler) => {
    expect(await answerOf(handler)).toEqual({ cookies: [cookie, 'theme=dark'], caching: 'private, no-store' });
  });

  test('does not restore a session cookie that the handler clears', async () => {
    const { cookies } = await answerOf((reply) => {
      appendToReply(reply, new Headers([['set-cookie', cleared]]));
      return reply.header('set-cookie', 'theme=dark').send('');
    });

    expect(cookies).toEqual([cleared, 'theme=dark']);
  });
});
