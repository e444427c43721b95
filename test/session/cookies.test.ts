import { type AuthenticationResponse, dialects } from 'sallyport';
import { createSessionReader, createSessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import {
  type CookieOptions,
  clearCookies,
  cookieSettings,
  maxChunks,
  readCookies,
  withAllNames,
  writeCookies,
} from '../../src/session/cookie/cookies.js';
import fc, { anyText } from '../runner/property.js';

const settings = cookieSettings();
const readCookie = (header: string | null | undefined, called: string) => readCookies(header, called)[0]?.text;
const name = 'sallyport-session';

/** Keeps, replaces and drops cookies as a browser does for these `Set-Cookie` values. */
function browser() {
  const jar = new Map<string, string>();
  return {
    jar,
    take(lines: readonly string[]) {
      for (const line of lines) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        if (/; Max-Age=0(;|$)/.test(line)) jar.delete(name!);
        else jar.set(name!, value!);
      }
    },
    get header() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    },
  };
}

describe('the cookie reader', () => {
  test.each([
    ['in a header with no other cookies', `${name}=abc`, 'abc'],
    ['among other cookies', `theme=dark; ${name}=abc; lang=en`, 'abc'],
    ['in a header without spaces', `theme=dark;${name}=abc;lang=en`, 'abc'],
    ['with a quoted value', `${name}="abc"`, 'abc'],
    ['with equals signs in the value', `${name}=a=b==`, 'a=b=='],
    ['before a second cookie with the same name', `${name}=first; ${name}=second`, 'first'],
    ['after malformed pairs', `; =; lonely; ${name}=abc`, 'abc'],
    ['with a seal as the value', `${name}=Fe26.2*1*a_-b*c~2`, 'Fe26.2*1*a_-b*c~2'],
  ])('finds the cookie %s', (_, header, value) => {
    expect(readCookie(header, name)).toBe(value);
  });

  test.each([
    ['a missing header', undefined],
    ['a null header', null],
    ['an empty header', ''],
    ['a header with only other cookies', 'theme=dark'],
    ['a header with a longer cookie name that ends with the session cookie name', `x-${name}=abc`],
    ['a header with the cookie name in upper case', `${name.toUpperCase()}=abc`],
    ['a header with an empty cookie value', `${name}=`],
    ['a header with only quotation marks as the cookie value', `${name}=""`],
    ['a header with only the cookie name', name],
  ])('finds no session cookie in %s', (_, header) => {
    expect(readCookie(header, name)).toBeUndefined();
  });

  test('does not decode percent escapes', () => {
    expect(readCookie(`${name}=a%62c`, name)).toBe('a%62c');
  });

  test('joins chunks in any order', () => {
    expect(readCookie(`${name}.1=def; ${name}.0=2~abc`, name)).toBe('abcdef');
  });

  test('reads only as many chunks as the first chunk announces', () => {
    expect(readCookie(`${name}.0=2~abc; ${name}.1=def; ${name}.2=stale`, name)).toBe('abcdef');
  });

  test.each([
    ['incomplete chunks', `${name}.0=3~abc; ${name}.1=def`],
    ['a set of chunks that includes an empty chunk', `${name}.0=2~abc; ${name}.1=`],
    ['chunks without the first chunk', `${name}.1=def`],
    ['chunks without a count', `${name}.0=abc; ${name}.1=def`],
    ['chunks with a count of two digits', `${name}.0=02~abc; ${name}.1=def`],
    ['a single chunk with the count 1', `${name}.0=1~abc`],
  ])('finds no value in %s', (_, header) => {
    expect(readCookie(header, name)).toBeUndefined();
  });

  test('falls back to the whole cookie if the chunks are incomplete', () => {
    expect(readCookie(`${name}=whole; ${name}.0=2~abc`, name)).toBe('whole');
  });

  test("finds every cookie with the session cookie's name", () => {
    expect(readCookies(`${name}=first; theme=dark; ${name}=second`, name)).toEqual([
      { text: 'first', names: [name] },
      { text: 'second', names: [name] },
    ]);
  });

  test('tries the chunks of two cookies in header order before all other combinations', () => {
    const header = `${name}.0=2~a; ${name}.0=2~b; ${name}.1=1; ${name}.1=2; ${name}=whole`;

    expect(readCookies(header, name).map(({ text }) => text)).toEqual(['a1', 'b2', 'whole', 'a2', 'b1']);
    expect(readCookies(header, name)[0]?.names).toEqual([`${name}.0`, `${name}.1`]);
  });

  test('returns a repeated value only once', () => {
    const header = `${name}.0=2~a; ${name}.1=1; ${name}=whole; ${name}.0=2~a; ${name}.1=1; ${name}=whole`;

    expect(readCookies(header, name).map(({ text }) => text)).toEqual(['a1', 'whole']);
  });

  test('does not throw for arbitrary headers', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyText(), fc.anything()), (header) => {
        // Callers in JavaScript may pass anything.
        const value = readCookie(header as string, name);

        expect(['string', 'undefined']).toContain(typeof value);
      }),
    );
  });
});

describe('the cookie writer', () => {
  test('sets the default attributes of a session cookie', () => {
    expect(writeCookies('abc', null, settings)).toEqual([
      'sallyport-session=abc; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=34560000',
    ]);
  });

  test('writes the attributes from the options', () => {
    const options: CookieOptions = {
      name: 'app',
      domain: 'example.com',
      path: '/app',
      sameSite: 'none',
      maxAgeMs: 3_600_000,
    };

    expect(writeCookies('abc', null, cookieSettings(options))).toEqual([
      'app=abc; Path=/app; Domain=example.com; HttpOnly; Secure; SameSite=None; Max-Age=3600',
    ]);
  });

  test('omits Max-Age for a cookie that lasts until the browser closes, except when clearing the cookie', () => {
    const session = cookieSettings({ maxAgeMs: 'session' });

    expect(writeCookies('abc', `${name}.0=old`, session)).toEqual([
      'sallyport-session=abc; Path=/; HttpOnly; Secure; SameSite=Lax',
      'sallyport-session.0=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
    ]);
  });

  test('adds Partitioned when setting and when clearing a cookie', () => {
    const partitioned = cookieSettings({ sameSite: 'none', partitioned: true });

    expect(writeCookies('abc', `${name}.0=old`, partitioned)).toEqual([
      'sallyport-session=abc; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=34560000',
      'sallyport-session.0=; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=0',
    ]);
    expect(cookieSettings({ partitioned: false })).toEqual(cookieSettings());
  });

  test('omits Secure if the service has an http: URL, unless the secure option is true', () => {
    expect(writeCookies('abc', null, cookieSettings({}, true))?.[0]).not.toContain('Secure');
    expect(writeCookies('abc', null, cookieSettings({ secure: true }, true))?.[0]).toContain('; Secure');
    expect(writeCookies('abc', null, cookieSettings({ secure: false }))?.[0]).not.toContain('Secure');
  });

  test('splits a Set-Cookie line of more than 3,800 bytes', () => {
    const most = 3_800 - '; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=34560000'.length - `${name}.0=`.length;

    expect(writeCookies('x'.repeat(most), null, settings)).toHaveLength(1);
    expect(writeCookies('x'.repeat(most + 1), null, settings)).toHaveLength(2);
  });

  test('splits a value of any length into cookies that a browser returns unchanged', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14_000 }), (length) => {
        const value = Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
        const chrome = browser();

        const lines = writeCookies(value, '', settings)!;
        chrome.take(lines);

        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(3_800);
        expect(readCookie(chrome.header, name)).toBe(value);
      }),
      { numRuns: 200 },
    );
  });

  test('rejects a value that needs more cookies than servers accept', () => {
    expect(maxChunks * 3_800).toBeLessThan(16_384 - 1_000);
    expect(writeCookies('x'.repeat(14_700), null, settings)).toHaveLength(4);
    expect(writeCookies('x'.repeat(15_000), null, settings)).toBeUndefined();
  });

  test('clears leftover chunks when a value becomes shorter', () => {
    const chrome = browser();
    chrome.take(writeCookies('x'.repeat(10_000), '', settings)!);

    const lines = writeCookies('y'.repeat(4_000), chrome.header, settings)!;
    chrome.take(lines);

    expect(lines[2]).toBe('sallyport-session.2=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0');
    expect([...chrome.jar.keys()]).toEqual([`${name}.0`, `${name}.1`]);
    expect(readCookie(chrome.header, name)).toBe('y'.repeat(4_000));
  });

  test.each([
    ['one cookie replaces chunks', 'x'.repeat(10_000), 'short', [name]],
    ['chunks replace one cookie', 'short', 'x'.repeat(5_000), [`${name}.0`, `${name}.1`]],
  ])('clears unused cookies when %s', (_, before, after, left) => {
    const chrome = browser();
    chrome.take(writeCookies(before, '', settings)!);

    chrome.take(writeCookies(after, chrome.header, settings)!);

    expect([...chrome.jar.keys()].sort()).toEqual(left);
    expect(readCookie(chrome.header, name)).toBe(after);
  });

  test.each([
    ['x'.repeat(10_000), 'short'],
    ['x'.repeat(10_000), 'x'.repeat(5_000)],
    ['short', 'x'.repeat(5_000)],
  ])('replaces old session cookies in the browser even if no Cookie header is passed', (before, after) => {
    const chrome = browser();
    chrome.take(writeCookies(before, '', settings)!);

    chrome.take(writeCookies(after, withAllNames(undefined, settings), settings)!);

    expect(readCookie(chrome.header, name)).toBe(after);
  });

  test('leaves cookies with similar names unchanged', () => {
    const header = `${name}.x=1; ${name}2=1; ${name}.=1; x${name}.0=1`;

    expect(writeCookies('abc', header, settings)).toHaveLength(1);
    expect(clearCookies(header, settings)).toEqual([]);
  });
});

describe('clearCookies', () => {
  test('uses the original attributes to clear the session cookie and all chunks', () => {
    const own = cookieSettings({ domain: 'example.com', path: '/app' });

    expect(clearCookies(`theme=dark; ${name}=abc; ${name}.3=x`, own)).toEqual([
      'sallyport-session=; Path=/app; Domain=example.com; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
      'sallyport-session.3=; Path=/app; Domain=example.com; HttpOnly; Secure; SameSite=Lax; Max-Age=0',
    ]);
  });

  test('clears at most 32 cookies, starting with the session cookie and the first chunks', () => {
    const stale = Array.from({ length: 100 }, (_, at) => `${name}.${at + 100}=x`);

    const lines = clearCookies([...stale, `${name}.1=x`, `${name}=x`].join('; '), settings);

    expect(lines).toHaveLength(32);
    expect(lines.slice(0, 2).map((line) => line.split('=')[0])).toEqual([name, `${name}.1`]);
    expect(writeCookies('abc', stale.join('; '), settings)).toHaveLength(33);
  });

  test('returns an empty list if the browser does not have the session cookie', () => {
    expect(clearCookies('theme=dark', settings)).toEqual([]);
    expect(clearCookies(null, settings)).toEqual([]);
  });
});

describe('cookieSettings()', () => {
  test.each<[string, CookieOptions]>([
    ['name', { name: '' }],
    ['name', { name: 'a b' }],
    ['name', { name: 'a;b' }],
    ['name', { name: 'session.0' }],
    ['name', { name: '__Host-session', domain: 'example.com' }],
    ['name', { name: '__Host-session', path: '/app' }],
    ['name', { name: '__Host-session', secure: false }],
    ['name', { name: '__Secure-session', secure: false }],
    ['domain', { domain: 'https://example.com' }],
    ['domain', { domain: 'example.com; HttpOnly' }],
    ['domain', { domain: '' }],
    ['path', { path: 'app' }],
    ['path', { path: '/; Domain=evil.test' }],
    ['path', { path: '/\n' }],
    ['sameSite', { sameSite: 'Lax' as 'lax' }],
    ['sameSite', { sameSite: 'none', secure: false }],
    ['secure', { secure: 'yes' as unknown as boolean }],
    ['maxAgeMs', { maxAgeMs: 0 }],
    ['maxAgeMs', { maxAgeMs: 1.5 }],
    ['maxAgeMs', { maxAgeMs: Number.POSITIVE_INFINITY }],
    ['maxAgeMs', { maxAgeMs: 'Session' as 'session' }],
    ['partitioned', { sameSite: 'none', partitioned: 'yes' as unknown as boolean }],
    ['partitioned', { partitioned: true }],
    ['partitioned', { sameSite: 'strict', partitioned: true }],
    ['partitioned', { sameSite: 'none', secure: false, partitioned: true }],
  ])('rejects an invalid cookie.%s in the options %o', (option, options) => {
    expect(() => cookieSettings(options)).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringContaining(`The option cookie.${option} `),
      }),
    );
  });

  test.each<CookieOptions>([
    { name: '__Host-session' },
    { name: '__Secure-session', domain: 'example.com' },
    { name: 'session.v2' },
    { domain: '.example.com' },
    { path: '/app' },
    { sameSite: 'strict', secure: false },
    { maxAgeMs: 1_000 },
    { maxAgeMs: 'session' },
    { name: '__Host-session', sameSite: 'none', partitioned: true },
    { partitioned: false, secure: false },
  ])('accepts the options %o', (options) => {
    expect(() => cookieSettings(options)).not.toThrow();
  });
});

describe("an application's session cookie", () => {
  const tokens = { accessToken: 'a', refreshToken: 'b', organizationId: null, user: { id: 'user_1' } };
  const required = {
    cookiePassword: 'a cookie password of thirty-two characters',
    clientId: 'client_42',
    baseUrl: 'https://api.example.com',
  };
  const cookieOf = async (options: object) => {
    const sessions = createSessions({ ...required, ...options });
    // Of the tokens, only what is sealed matters here.
    const [line = ''] = await sessions.create(tokens as unknown as AuthenticationResponse);
    return line;
  };

  test.each([
    [
      'is Secure for an https: redirect URI, even if the service uses plain HTTP',
      { redirectUri: 'https://app.example.com/cb', baseUrl: 'http://10.0.0.7', allowInsecure: true },
      true,
    ],
    ['is not Secure for an http: redirect URI', { redirectUri: 'http://localhost:3000/cb' }, false],
    ['is Secure if redirectUri is missing and the service uses HTTPS', {}, true],
    [
      'is not Secure if redirectUri is missing and the service is the emulator',
      { baseUrl: 'http://127.0.0.1:4100' },
      false,
    ],
    [
      'is Secure if the name starts with __Host-, even on localhost',
      { redirectUri: 'http://localhost:3000/cb', cookie: { name: '__Host-session' } },
      true,
    ],
  ])('%s', async (_, options, secure) => {
    expect((await cookieOf(options)).includes('; Secure')).toBe(secure);
  });

  test.each([
    ['sallyport-session', {}],
    ['wos-session', { dialect: 'workos' }],
    ['acme-session', { dialect: { ...dialects.spec, cookieName: 'acme-session' } }],
    ['mine', { dialect: 'workos', cookie: { name: 'mine' } }],
  ] as const)('named "%s" is found by a session reader with the same options', async (name, given) => {
    const line = await cookieOf(given);
    const reader = createSessionReader({ ...required, ...given });

    const result = await reader.read(line.split(';')[0]);

    expect(line.startsWith(`${name}=`)).toBe(true);
    // The cookie is found and opened, but its token comes from another service.
    expect(result).toMatchObject({ status: 'signed_out', reason: 'invalid_token' });
    expect(await reader.read('other-session=1')).toMatchObject({ reason: 'no_cookie' });
  });

  test('with the path /app makes /app the default return path', async () => {
    const sessions = createSessions({
      cookiePassword: 'a cookie password of thirty-two characters',
      clientId: 'client_42',
      baseUrl: 'https://api.example.com',
      cookie: { path: '/app' },
    });

    expect((await sessions.signOut({ headers: {} })).location).toBe('/app');
    expect(await sessions.finishSignIn({ url: '/app/callback?code=1&state=2', headers: {} })).toMatchObject({
      status: 'failed',
      returnTo: '/app',
    });
  });
});
