import { describe, expect, test } from 'vitest';
import type { Script } from '../server.js';
import { say, serve } from '../server.js';
import type { Jar } from './jar.js';
import { type SignedIn, signedIn, tampered } from './signed-in.js';

const asked = (jar: Jar) => ({ headers: jar.headers });

/** Short, for outages that time out. */
const brief = { timeoutMs: 40, deadlineMs: 120, maxRetries: 1 };

describe('a service that fails keeps the session', () => {
  test.each<[string, string, () => Promise<Response>]>([
    ['is overloaded', 'service_unavailable', async () => new Response('busy', { status: 503 })],
    ['breaks', 'service_unavailable', async () => Response.json({ error: 'invalid_grant' }, { status: 500 })],
    ['times out in a proxy', 'service_unavailable', async () => new Response('<html>', { status: 504 })],
    ['gives up waiting', 'service_unavailable', async () => new Response(null, { status: 408 })],
    ['limits the rate', 'rate_limited', async () => Response.json({ error: 'invalid_grant' }, { status: 429 })],
    ['is hidden by a page', 'unexpected_answer', async () => new Response('<html>Sign in to the Wi-Fi</html>')],
    ['is hidden by a refusal', 'unexpected_answer', async () => new Response('<html>blocked</html>', { status: 403 })],
    ['cannot be reached', 'network_error', async () => Promise.reject(new TypeError('fetch failed'))],
    ['never answers', 'timeout', () => new Promise(() => undefined)],
    ['refuses our key', 'service_refused', async () => Response.json({ message: 'Unauthorized' }, { status: 401 })],
    [
      'does not know our client',
      'service_refused',
      async () => Response.json({ error: 'invalid_client' }, { status: 400 }),
    ],
    ['says something new', 'service_refused', async () => Response.json({ error: 'out_of_tea' }, { status: 400 })],
    ['has moved', 'service_refused', async () => new Response(null, { status: 302, headers: { location: '/' } })],
  ])('when it %s', async (_, reason, answer) => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');

    const result = await sessions({ fetch: tampered(emulator, answer), refresh: brief }).handle(asked(jar));

    expect(result).toMatchObject({ status: 'retry_later', session: null, reason, retryAfterMs: expect.any(Number) });
    expect([...result.headers]).toEqual([]);
    expect((await sessions().handle(asked(jar))).status).toBe('refreshed');
  });

  test('and says when to come back where the service does', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const fetch = tampered(emulator, async () => new Response(null, { status: 429, headers: { 'retry-after': '7' } }));

    const result = await sessions({ fetch }).handle(asked(jar));

    expect(result).toMatchObject({ status: 'retry_later', reason: 'rate_limited', retryAfterMs: 7_000 });
  });

  test('and does not ask again before the time the service has named', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    let requests = 0;
    const fetch = tampered(emulator, async (send) => {
      requests++;
      return requests > 1 ? send() : new Response(null, { status: 429, headers: { 'retry-after': '7' } });
    });
    const own = sessions({ fetch });

    const first = await own.handle(asked(jar));
    emulator.clock.advance('6s');
    const early = await own.handle(asked(jar));
    emulator.clock.advance('2s');
    const due = await own.handle(asked(jar));

    expect([first.status, early.status, due.status]).toEqual(['retry_later', 'retry_later', 'refreshed']);
    expect(requests).toBe(2);
  });

  test('and its cause can be logged: it holds no token, no key, no cookie', async () => {
    const { sessions, jar, emulator, tokens } = await signedIn();
    emulator.clock.advance('6m');
    const fetch = tampered(emulator, async (_, request) => new Response(await request.text(), { status: 400 }));

    const result = await sessions({ fetch, refresh: brief }).handle(asked(jar));

    const { inspect } = await import('node:util');
    const logged = inspect(result, { depth: 10 });
    for (const secret of [tokens.refreshToken, emulator.credentials.apiKey, jar.header.split('=')[1]!])
      expect(logged).not.toContain(secret);
  });
});

describe('a key set that cannot be had keeps the session', () => {
  /** Sessions whose key set comes from a server of the test. */
  async function withKeysFrom(world: SignedIn, script: Script) {
    const keys = await serve(script);
    const fetch: typeof globalThis.fetch = (input, init) =>
      String(input).includes('/sso/jwks/')
        ? globalThis.fetch(`${keys.url}/keys`, init)
        : world.emulator.fetch(input, init);
    return { sessions: world.sessions({ fetch }), keys };
  }

  test.each<[string, number, Script]>([
    ['is down', 5_000, { status: 503 }],
    ['is cut off', 500, (_, response) => response.destroy()],
    ['is a page', 5_000, { body: '<html>It works</html>', headers: { 'content-type': 'text/html' } }],
    ['is empty', 5_000, { body: { keys: [] } }],
  ])('when it %s, with a good token and an expired one, and asks for no refresh', async (_, retryAfterMs, script) => {
    const world = await signedIn();
    const { sessions } = await withKeysFrom(world, script);

    const good = await sessions.handle(asked(world.jar));
    world.emulator.clock.advance('6m');
    const expired = await sessions.handle(asked(world.jar));

    const later = { status: 'retry_later', reason: 'keys_unavailable', retryAfterMs };
    expect([good, expired]).toEqual([expect.objectContaining(later), expect.objectContaining(later)]);
    expect([...good.headers, ...expired.headers]).toEqual([]);
    expect(world.rotations()).toBe(0);
    expect((await world.sessions().handle(asked(world.jar))).status).toBe('refreshed');
  });

  test.each([
    ['at the start of a process', false],
    ['when the service has changed its key', true],
  ])('when one fetch of it is reset, %s, which costs nobody their session', async (_, rotated) => {
    const world = await signedIn();
    const url = `${world.emulator.url}/sso/jwks/${world.emulator.credentials.clientId}`;
    const published = async () => (await world.emulator.fetch(url)).text();
    const { sessions, keys: server } = await withKeysFrom(world, { body: await published() });
    if (rotated) {
      await sessions.handle(asked(world.jar));
      await world.emulator.keys.rotate();
      world.emulator.clock.advance('6m');
    }
    server.answer((_, response) => response.destroy(), { body: await published() });

    const results = await Promise.all(Array.from({ length: 10 }, () => sessions.handle(asked(world.jar))));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([rotated ? 'refreshed' : 'active']));
    expect(world.rotations()).toBe(rotated ? 1 : 0);
  });

  test('when it goes down after the first look, without anyone noticing', async () => {
    const world = await signedIn();
    const keys = await (
      await world.emulator.fetch(`${world.emulator.url}/sso/jwks/${world.emulator.credentials.clientId}`)
    ).text();
    const { sessions, keys: server } = await withKeysFrom(world, { body: keys });
    await sessions.handle(asked(world.jar));
    server.answer({ status: 503 });
    world.emulator.clock.advance('1h');

    const result = await sessions.handle(asked(world.jar));

    expect(result.status).toBe('refreshed');
  });

  test('when the new token has a key that is not published yet, and its tokens are not lost', async () => {
    const world = await signedIn();
    const url = `${world.emulator.url}/sso/jwks/${world.emulator.credentials.clientId}`;
    const before = await (await world.emulator.fetch(url)).text();
    const { sessions, keys: server } = await withKeysFrom(world, { body: before });
    await sessions.handle(asked(world.jar));
    await world.emulator.keys.rotate();
    world.emulator.clock.advance('6m');

    const early = await sessions.handle(asked(world.jar));
    server.answer((_, response) =>
      world.emulator.fetch(url).then(async (found) => say(response, { body: await found.text() })),
    );
    world.emulator.clock.advance('6s');
    const due = await sessions.handle(asked(world.jar));

    expect(early).toMatchObject({ status: 'retry_later', reason: 'keys_unavailable' });
    expect(due.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });

  test('when the key of the token was retired before its time: the session is refreshed', async () => {
    const world = await signedIn();
    await world.emulator.keys.rotate({ retire: true });

    const result = await world.sessions().handle(asked(world.jar));

    expect(result.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });
});

describe('when all is over', () => {
  test('no timer is left behind', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();

    await sessions().handle(asked(jar));

    // Those of earlier tests may end meanwhile.
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
