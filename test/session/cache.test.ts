import { ConfigurationError } from 'sallyport';
import { createSessionReader, type SessionCacheOptions, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { captureWarnings } from '../runner/warnings.js';
import { serve } from '../servers/server.js';
import { type Claims, issuer, noon, service, userId } from './issuer.js';

captureWarnings();

const password = 'correct horse battery staple, twice over';
const user = { id: userId, email: 'ada@acme.test', metadata: { team: 'engines' } };

/** A reader with a stopped clock. It returns the same object for a cookie that it remembers. */
function remembering(bounds?: SessionCacheOptions) {
  let time = noon;
  const options = {
    cookiePassword: password,
    clientId: 'client_1',
    baseUrl: 'https://api.example.com',
    keys: service.keys,
  };
  const cache = sessionCache(bounds);
  const reader = createSessionReader({ ...options, now: () => time, cache });
  return {
    read: (header: string) => reader.read(header),
    forward(ms: number) {
      time += ms;
    },
    /** Whether the session of this cookie is remembered, and not checked again. */
    async remembers(header: string) {
      const [once, again] = [await reader.read(header), await reader.read(header)];
      return once === again;
    },
    other: createSessionReader({ ...options, now: () => time, cache }),
  };
}

let count = 0;
const cookie = async (claims: Claims = {}, more: Parameters<typeof seal>[2] = {}) => {
  const refreshToken = `refresh_${count++}`;
  return `sallyport-session=${await seal({ accessToken: service.token(claims), refreshToken, user }, passwordRing(password), more)}`;
};

describe('a cache of verified sessions', () => {
  test('is off by default', async () => {
    const reader = createSessionReader({
      cookiePassword: password,
      clientId: 'client_1',
      baseUrl: 'https://api.example.com',
      keys: service.keys,
      now: () => noon,
    });
    const header = await cookie();

    expect(await reader.read(header)).not.toBe(await reader.read(header));
  });

  test('returns one session object for repeated reads of a cookie', async () => {
    const { read } = remembering();
    const header = await cookie();

    const once = await read(header);

    expect(await read(header)).toBe(once);
    expect(once).toMatchObject({ status: 'active', session: { user: { email: 'ada@acme.test' } } });
  });

  test('distinguishes cookies that differ only at the end', async () => {
    const { read } = remembering();
    const header = await cookie();
    await read(header);

    const changed = header.replace(/.~2$/, (end) => (end === 'A~2' ? 'E~2' : 'A~2'));

    expect(await read(changed)).toEqual({ status: 'signed_out', session: null, reason: 'forged' });
    expect(await read(`${header}x`)).toEqual({ status: 'signed_out', session: null, reason: 'malformed' });
  });

  test('distinguishes cookies with the same ending', async () => {
    const { read } = remembering();
    const header = await cookie();
    await read(header);

    const changed = header.replace(/[0-9a-f](?=[0-9a-f]{63}\*)/, (digit) => (digit === '0' ? '1' : '0'));

    expect(await read(changed)).toEqual({ status: 'signed_out', session: null, reason: 'forged' });
    expect(await read(header.replace('*1*', '*2*'))).toMatchObject({ reason: 'unknown_password' });
  });

  test('frees the bytes of a cookie when a cookie with the same ending replaces the entry', () => {
    const cache = sessionCache({ maxBytes: 1_000 })({ keys: { generation: 0 } });
    const alike = (start: string) => start.padEnd(100, '.');
    const nobody = () => ({ session: null });
    const [four, five] = [nobody(), nobody()];

    for (const start of ['one', 'two', 'three']) cache.keep(alike(start), nobody(), 0, noon, noon + 1);
    cache.keep(alike('four'), four, 0, noon, noon + 1);
    cache.keep('another', five, 0, noon, noon + 1);

    expect(cache.find(alike('three'), noon)).toBeUndefined();
    expect(cache.find(alike('four'), noon)).toBe(four);
    expect(cache.find('another', noon)).toBe(five);
    cache.forget(alike('four'));
    expect(cache.find(alike('four'), noon)).toBeUndefined();
  });

  test('returns deeply frozen sessions', async () => {
    const { read } = remembering();
    const result = await read(await cookie({ permissions: ['read'] }));
    if (result.status !== 'active') throw new Error('not active');
    const { session } = result;

    expect(() => Object.assign(session.user, { id: 'user_root' })).toThrow(TypeError);
    expect(() => Object.assign(session.claims, { role: 'admin' })).toThrow(TypeError);
    expect(() => (session.permissions as string[]).push('write')).toThrow(TypeError);
    expect(() => Object.assign(session.user.metadata ?? {}, { team: 'x' })).toThrow(TypeError);
  });

  test('is separate for each reader, even if two readers receive the same cache option', async () => {
    const { read, other } = remembering();
    const header = await cookie();

    expect(await other.read(header)).not.toBe(await read(header));
  });

  test('does not extend the lifetime of a token', async () => {
    const { read, forward } = remembering({ maxAgeMs: 3_600_000 });
    const header = await cookie();
    await read(header);

    forward(304_999);
    expect(await read(header)).toMatchObject({ status: 'active' });
    forward(1);
    expect(await read(header)).toMatchObject({ status: 'expired' });
  });

  test('does not extend the lifetime of a seal', async () => {
    const { read, forward } = remembering({ maxAgeMs: 3_600_000 });
    const header = await cookie({ exp: noon / 1000 + 9000 }, { ttlMs: 600_000, now: noon });
    await read(header);

    forward(659_999);
    expect(await read(header)).toMatchObject({ status: 'active' });
    forward(1);
    expect(await read(header)).toEqual({ status: 'signed_out', session: null, reason: 'seal_expired' });
  });

  test('checks a cookie again after a minute', async () => {
    const { read, forward } = remembering();
    const header = await cookie();
    const once = await read(header);

    forward(59_999);
    expect(await read(header)).toBe(once);
    forward(1);
    expect(await read(header)).not.toBe(once);
  });

  test('checks a cookie again after the clock is set back', async () => {
    const { read, forward } = remembering();
    const header = await cookie({ nbf: noon / 1000 });
    await read(header);

    forward(-60_000);

    expect(await read(header)).toEqual({ status: 'signed_out', session: null, reason: 'not_yet_valid' });
  });

  test('stores only valid sessions', async () => {
    const { remembers } = remembering();

    expect(await remembers(await cookie())).toBe(true);
    expect(await remembers(await cookie({ exp: noon / 1000 - 60 }))).toBe(false);
    expect(await remembers(await cookie({ sub: 'user_2' }))).toBe(false);
    expect(await remembers('sallyport-session=Fe26.2')).toBe(false);
    expect(await remembers('')).toBe(false);
  });

  test('does not store a cookie that must be resealed', async () => {
    const list = [
      { id: '2', secret: 'the password that follows, long enough' },
      { id: '1', secret: password },
    ];
    const reader = createSessionReader({
      cookiePassword: list,
      clientId: 'client_1',
      baseUrl: 'https://api.example.com',
      keys: service.keys,
      now: () => noon,
      cache: sessionCache(),
    });
    const header = await cookie();

    expect(await reader.read(header)).not.toBe(await reader.read(header));
  });

  test('drops the least recently used cookies when it is full', async () => {
    const { read } = remembering({ maxEntries: 2 });
    const [a, b, c] = [await cookie(), await cookie(), await cookie()];
    const [first, second] = [await read(a), await read(b)];
    await read(a);

    await read(c);

    expect(await read(a)).toBe(first);
    expect(await read(b)).not.toBe(second);
  });

  test('holds at most maxBytes bytes', async () => {
    const header = await cookie();
    const { remembers: tight } = remembering({ maxBytes: header.length });
    const { remembers: roomy } = remembering({ maxBytes: header.length * 4 });

    expect(await tight(header)).toBe(false);
    expect(await roomy(header)).toBe(true);
  });

  test("counts a cookie's bytes only once if the cookie is checked again", async () => {
    const [a, b] = [await cookie(), await cookie()];
    const { read } = remembering({ maxBytes: a.length * 6 });
    const first = await read(a);
    expect(await read(a)).toBe(first);

    await read(b);

    expect(await read(a)).not.toBe(first);
  });

  test('stores nothing if maxEntries is zero', async () => {
    const { remembers } = remembering({ maxEntries: 0 });

    expect(await remembers(await cookie())).toBe(false);
  });

  test('is emptied when the keys are fetched again', async () => {
    const next = issuer('key_2');
    const server = await serve({ body: service.keys }, { body: next.keys });
    const options = {
      cookiePassword: password,
      clientId: 'client_1',
      baseUrl: server.url,
      now: () => noon,
      cache: sessionCache(),
    };
    const reader = createSessionReader(options);
    const [old, later] = [await cookie(), await cookie()];
    await reader.read(later);
    const once = await reader.read(old);
    expect(await reader.read(old)).toBe(once);

    const renewed = await seal({ accessToken: next.token(), refreshToken: 'r', user }, passwordRing(password));
    expect(await reader.read(`sallyport-session=${renewed}`)).toMatchObject({ status: 'active' });

    expect(await reader.read(old)).toEqual({ status: 'signed_out', session: null, reason: 'unknown_key' });
  });

  test.each<[string, string, SessionCacheOptions]>([
    ['a negative maxAgeMs', 'maxAgeMs', { maxAgeMs: -1 }],
    ['NaN as maxEntries', 'maxEntries', { maxEntries: Number.NaN }],
    ['a string as maxBytes', 'maxBytes', { maxBytes: 'many' as unknown as number }],
  ])('rejects %s with an error that names the option', (_, name, bounds) => {
    expect(() => sessionCache(bounds)).toThrow(ConfigurationError);
    expect(() => sessionCache(bounds)).toThrow(`The option ${name} must be a number, 0 or more`);
  });
});
