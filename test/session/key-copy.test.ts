import type { SessionProblem, SessionsOptions } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { describe, expect, test, vi } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { captureWarnings } from '../runner/warnings.js';
import { hurry } from '../time.js';
import { issuer } from './issuer.js';
import { type SignedIn, signedIn } from './signed-in.js';

captureWarnings();

type Answer = (signal: AbortSignal | null | undefined) => Promise<Response>;

const hour = 3_600_000;

const failed = (code: string, message = code): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });

const refused: Answer = async () => {
  throw failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:4100');
};

/** Start a separate process, which has its own `fetch` and gets its keys from `answer`. */
function newProcess({ emulator, sessions }: SignedIn, options: Partial<SessionsOptions>, answer?: Answer) {
  const problems: SessionProblem[] = [];
  let asked = 0;
  let now = answer;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isKeySet = String(input instanceof Request ? input.url : input).includes('/sso/jwks/');
    if (isKeySet) asked++;
    return isKeySet && now ? now(init?.signal) : emulator.fetch(input, init);
  };
  return {
    sessions: sessions({ fetch, onProblem: (problem) => void problems.push(problem), ...options }),
    answer: (next?: Answer) => {
      now = next;
    },
    asked: () => asked,
    /** The problems reported so far, after their texts were loaded. */
    async problems() {
      await vi.dynamicImportSettled();
      return problems;
    },
  };
}

/** A store that lets the test read and replace the copies of the keys. */
function openStore(now: () => number) {
  const store = memoryStore({ now });
  const written = new Map<string, string>();
  return {
    written,
    refresh: {
      store: {
        lock: store.lock,
        get: async (key: string) => written.get(key) ?? store.get(key),
        async set(key: string, value: string, ttlMs: number) {
          if (key.startsWith('sallyport:keys:')) written.set(key, value);
          await store.set(key, value, ttlMs);
        },
      },
    },
  };
}

/** A user who has signed in, and a store with the copy of the keys that another process made. */
async function copied() {
  const world = await signedIn();
  const store = openStore(() => world.emulator.clock.now());
  const first = newProcess(world, { refresh: store.refresh });
  await first.sessions.handle(world.jar.request);
  await vi.dynamicImportSettled();
  await vi.waitFor(() => expect(store.written.size).toBe(1));
  return { world, ...store };
}

const later = { status: 'retry_later', reason: 'keys_unavailable' };

describe('during an outage, a new process with a shared store', () => {
  test.each<[string, Answer]>([
    ['refuses connections', refused],
    ['responds with status 503', async () => new Response('', { status: 503 })],
    ['responds with status 500', async () => new Response('', { status: 500 })],
    ['does not accept the connection in time', async () => Promise.reject(failed('UND_ERR_CONNECT_TIMEOUT'))],
  ])('keeps users signed in if the service %s', async (_, answer) => {
    const { world, refresh } = await copied();
    const second = newProcess(world, { refresh }, answer);

    const results = await Promise.all([1, 2, 3].map(() => second.sessions.handle(world.jar.request)));

    expect(results.map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  });

  test('keeps users signed in if the service never responds', async () => {
    const { world, refresh } = await copied();
    const never: Answer = (signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const second = newProcess(world, { refresh }, never);

    const { value } = await hurry(() => second.sessions.handle(world.jar.request));

    expect(value.status).toBe('active');
  });

  test.each<[string, Answer]>([
    ['responds with status 404', async () => new Response('', { status: 404 })],
    ['returns an HTML page', async () => new Response('<html>')],
    ['returns no keys', async () => Response.json({ keys: [] })],
    [
      'redirects the request',
      async () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
    ],
    ['has an untrusted certificate', async () => Promise.reject(failed('SELF_SIGNED_CERT_IN_CHAIN'))],
    ['has an unknown host name', async () => Promise.reject(failed('ENOTFOUND'))],
  ])('does not use the stored keys if the service %s', async (_, answer) => {
    const { world, refresh } = await copied();
    const second = newProcess(world, { refresh }, answer);

    expect(await second.sessions.handle(world.jar.request)).toMatchObject(later);
  });

  test('uses the stored keys for a day without storing them again', async () => {
    const { world, refresh, written } = await copied();
    const before = [...written];
    let token = await world.sessions().handle(world.jar.request);
    const statusAfter = async (ms: number): Promise<string> => {
      await world.emulator.clock.advance(ms);
      token = await world.sessions().handle(world.jar.request);
      world.jar.keep(token.headers.getSetCookie());
      return (await newProcess(world, { refresh }, refused).sessions.handle(world.jar.request)).status;
    };

    expect([await statusAfter(23 * hour), await statusAfter(2 * hour)]).toEqual(['active', 'retry_later']);
    expect([...written]).toEqual(before);
  });

  test('accepts no session when the stored keys are a day old', async () => {
    const { world, refresh } = await copied();
    const second = newProcess(world, { refresh }, refused);
    await world.emulator.clock.advance(23 * hour);
    world.jar.keep((await world.sessions().handle(world.jar.request)).headers.getSetCookie());

    const early = await second.sessions.handle(world.jar.request);
    await world.emulator.clock.advance(hour);
    world.jar.keep((await world.sessions().handle(world.jar.request)).headers.getSetCookie());

    expect([early.status, await second.sessions.handle(world.jar.request)]).toMatchObject(['active', later]);
  });

  test('tries to fetch the keys again while using the stored keys', async () => {
    const { world, refresh } = await copied();
    await world.emulator.clock.advance(6 * 60_000);
    world.jar.keep((await world.sessions().handle(world.jar.request)).headers.getSetCookie());
    const second = newProcess(world, { refresh }, refused);
    await second.sessions.handle(world.jar.request);
    const before = second.asked();
    second.answer();
    await world.emulator.clock.advance(6_000);

    await second.sessions.handle(world.jar.request);

    expect(second.asked()).toBeGreaterThan(before);
  });

  test.each<[string, Partial<SessionsOptions>]>([
    ['a different password', { cookiePassword: 'another-password-of-32-characters!' }],
    ['a different client id', { clientId: 'client_of_another_application' }],
    ['a different base URL', { baseUrl: 'https://elsewhere.test' }],
  ])('ignores the stored keys of a process with %s', async (_, options) => {
    const { world, refresh, written } = await copied();
    const [copy] = written.values();
    const lookup = {
      ...refresh.store,
      get: async (key: string) => (key.startsWith('sallyport:keys:') ? copy : undefined),
    };
    const own = newProcess(world, { refresh: { store: lookup }, ...options }, refused);

    expect(await own.sessions.verifyAccessToken(world.tokens.accessToken)).toMatchObject(later);
  });

  test.each<[string, () => Promise<string | undefined>]>([
    ['is empty', async () => undefined],
    ['returns garbage', async () => 'Fe26.2**nonsense'],
    ['fails', async () => Promise.reject(new Error('the store is down'))],
    ['never responds', () => new Promise(() => {})],
  ])('returns retry_later if the store %s', async (_, get) => {
    const { world, refresh } = await copied();
    const own = newProcess(world, { refresh: { store: { ...refresh.store, get } } }, refused);

    expect(await own.sessions.handle(world.jar.request)).toMatchObject(later);
  });
});

describe('an attacker who can write to the store', () => {
  const evil = issuer('key_evil');

  /** Values that an attacker can store in place of the copy. */
  const planted: readonly (readonly [string, (copy: string, world: SignedIn) => Promise<string>])[] = [
    ['an unsealed key set', async () => JSON.stringify(evil.keys)],
    [
      'a key set sealed with a password other than the cookie password',
      async (_, { emulator }) => {
        const { baseUrl, clientId } = emulator.credentials;
        const url = `${baseUrl}/sso/jwks/${clientId}`;
        const now = emulator.clock.now();
        const content = { purpose: 'key_set', url, clientId, fetchedAt: now, keys: evil.keys.keys };
        return seal(content, passwordRing('another-password-of-32-characters!'), { ttlMs: hour, now });
      },
    ],
    ['a session cookie', async (_, { jar }) => decodeURIComponent(jar.header.slice(jar.header.indexOf('=') + 1))],
    ['a modified copy of the keys', async (copy) => `${copy.slice(0, -8)}AAAAAAAA`],
  ];

  test.each(planted)('cannot sign a user in by storing %s', async (_, plant) => {
    const { world, refresh, written } = await copied();
    const [[key, copy] = ['', '']] = written;
    written.set(key, await plant(copy, world));
    const now = Math.floor(world.emulator.clock.now() / 1000);
    const forged = evil.token({ iss: world.emulator.credentials.baseUrl, iat: now, exp: now + 300 });
    const second = newProcess(world, { refresh }, refused);

    expect(await second.sessions.verifyAccessToken(forged)).toMatchObject(later);
    expect(await second.sessions.handle(world.jar.request)).toMatchObject(later);
  });

  test('cannot read the stored keys', async () => {
    const { written } = await copied();

    expect([...written.values()].join()).toMatch(/^Fe26\.2\*/);
  });
});

describe('an outage of the key set', () => {
  const codes = async (process: ReturnType<typeof newProcess>) => (await process.problems()).map(({ code }) => code);

  test('is reported once when it begins and once when it ends', async () => {
    const world = await signedIn();
    const process = newProcess(world, {}, refused);
    const requests = async () => {
      for (let request = 0; request < 3; request++) await process.sessions.handle(world.jar.request);
      await process.sessions.handle({ headers: {} });
    };

    await requests();
    expect(await codes(process)).toEqual(['keys_unavailable']);
    await world.emulator.clock.advance(6_000);
    await requests();
    expect(await codes(process)).toEqual(['keys_unavailable']);
    process.answer();
    await world.emulator.clock.advance(6_000);
    await requests();
    expect(await codes(process)).toEqual(['keys_unavailable', 'keys_restored']);
  });

  test('is reported again if a second outage follows', async () => {
    const world = await signedIn();
    const process = newProcess(world, {}, refused);
    await process.sessions.handle(world.jar.request);
    process.answer();
    await world.emulator.clock.advance(1_000);
    await process.sessions.handle(world.jar.request);
    process.answer(refused);
    await world.emulator.clock.advance(6 * 60_000);
    world.jar.keep((await process.sessions.handle(world.jar.request)).headers.getSetCookie());
    await vi.waitFor(async () => {
      await process.sessions.handle(world.jar.request);
      expect(await codes(process)).toEqual(['keys_unavailable', 'keys_restored', 'keys_unavailable']);
    });
  });

  test('is reported even while the stored keys keep users signed in', async () => {
    const { world, refresh } = await copied();
    const second = newProcess(world, { refresh }, refused);

    expect((await second.sessions.handle(world.jar.request)).status).toBe('active');
    expect(await codes(second)).toEqual(['keys_unavailable']);
  });

  test('is reported even if only access tokens are verified', async () => {
    const world = await signedIn();
    const process = newProcess(world, {}, refused);

    for (let request = 0; request < 3; request++) await process.sessions.verifyAccessToken(world.tokens.accessToken);

    expect(await codes(process)).toEqual(['keys_unavailable']);
  });

  test.each<[string, Answer, RegExp]>([
    ['refused connections', refused, /ECONNREFUSED.*Check that the service runs, and that no firewall/],
    ['status 503', async () => new Response('', { status: 503 }), /status 503\. The service is down/],
    [
      'a timeout',
      async () => Promise.reject(failed('UND_ERR_CONNECT_TIMEOUT')),
      /Check the network and the proxies on the way/,
    ],
    [
      'an untrusted certificate',
      async () => Promise.reject(failed('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain')),
      /trust the authority that signed it/,
    ],
  ])('is attributed to %s, not to a wrong baseUrl', async (_, answer, message) => {
    const world = await signedIn();
    const process = newProcess(world, {}, answer);

    await process.sessions.handle(world.jar.request);

    const [problem] = await process.problems();
    expect(problem?.message).toMatch(message);
    expect(problem?.message).not.toContain('Check baseUrl');
  });

  test('is reported with advice to check baseUrl if the service responds without a key set', async () => {
    const world = await signedIn();
    const process = newProcess(world, {}, async () => new Response('', { status: 404 }));

    await process.sessions.handle(world.jar.request);

    expect((await process.problems())[0]?.message).toContain('Check baseUrl and clientId');
  });
});
