import { describe, expect, test } from 'vitest';
import { isPublicSuffix } from '../../src/emulator/rooms/redirect-uris/public-suffix.js';
import { matchesRedirectUri } from '../../src/redirect-uris/match.js';
import fc, { runs } from '../runner/property.js';

const matches = (registered: string, uri: string) =>
  matchesRedirectUri(registered, uri, { environment: 'staging', isPublicSuffix });

describe('the registered redirect URI https://app.acme.test/callback?from=mail', () => {
  const registered = 'https://app.acme.test/callback?from=mail';

  test('matches the identical URI', () => {
    expect(matches(registered, registered)).toBe(true);
  });

  test.each([
    'https://app.acme.test/callback',
    'https://app.acme.test/callback/?from=mail',
    'https://app.acme.test/callback?from=mail&x=1',
    'https://app.acme.test/callback?from=mail#',
    'https://app.acme.test/Callback?from=mail',
    'https://app.acme.test/a/../callback?from=mail',
    'https://app.acme.test:443/callback?from=mail',
    'https://APP.acme.test/callback?from=mail',
    'http://app.acme.test/callback?from=mail',
    'https://app.acme.test.evil.test/callback?from=mail',
    'https://evil@app.acme.test/callback?from=mail',
    ' https://app.acme.test/callback?from=mail',
    '',
  ])('does not match %j', (uri) => {
    expect(matches(registered, uri)).toBe(false);
  });
});

describe('a redirect URI with a wildcard', () => {
  test.each([
    ['https://*.example.com', 'https://sub1.example.com'],
    ['https://*.example.com/callback', 'https://a_b-9.example.com/callback'],
    ['https://*.example.com/callback', 'https://A.example.com/callback'],
    ['https://prefix-*-suffix.example.com', 'https://prefix-x-suffix.example.com'],
    ['https://prefix-*-suffix.example.com', 'https://prefix-a-suffix-b-suffix.example.com'],
    ['http://*.acme.test:3000/callback', 'http://eu.acme.test:3000/callback'],
  ])('registered as %s matches %s', (registered, uri) => {
    expect(matches(registered, uri)).toBe(true);
  });

  test.each([
    ['two labels in place of the wildcard', 'https://*.example.com', 'https://sub1.sub2.example.com'],
    ['no label in place of the wildcard', 'https://*.example.com', 'https://example.com'],
    ['an empty label in place of the wildcard', 'https://*.example.com', 'https://.example.com'],
    ['no text in place of the wildcard', 'https://a-*-b.example.com', 'https://a--b.example.com'],
    ['overlapping text around the wildcard', 'https://a-*-b.example.com', 'https://a-b.example.com'],
    ['a literal wildcard', 'https://*.example.com', 'https://*.example.com'],
    ['a user name', 'https://*.example.com', 'https://user@x.example.com'],
    ['a user name and a password', 'https://*.example.com', 'https://user:secret@x.example.com'],
    ['a foreign host before the registered domain', 'https://*.example.com/', 'https://evil.test/.example.com/'],
    ['a foreign host before a query string', 'https://*.example.com', 'https://evil.test?.example.com'],
    ['a foreign host before a fragment', 'https://*.example.com', 'https://evil.test#.example.com'],
    ['a foreign host before a backslash', 'https://*.example.com', 'https://evil.test\\.example.com'],
    ['a port', 'https://*.example.com', 'https://x:1.example.com'],
    ['an escaped character', 'https://*.example.com', 'https://%65.example.com'],
    ['non-ASCII letters', 'https://*.example.com', 'https://ü.example.com'],
    ['a line break', 'https://*.example.com', 'https://a\n.example.com'],
    ['a different path', 'https://*.example.com/callback', 'https://x.example.com/callback2'],
    ['a different port', 'http://*.acme.test:3000', 'http://x.acme.test:3001'],
    ['a different scheme', 'https://*.example.com', 'http://x.example.com'],
  ])('does not match a URI with %s', (_what, registered, uri) => {
    expect(matches(registered, uri)).toBe(false);
  });

  // The URL parser of Node 24 and later accepts this host.
  test.skipIf(URL.canParse('https://xn--.example.com'))('does not match a URI with an invalid host', () => {
    expect(matches('https://*.example.com', 'https://xn--.example.com')).toBe(false);
  });

  test.each([
    ['https://*.com', 'https://evil.com'],
    ['https://sub.*.example.com', 'https://sub.x.example.com'],
    ['https://*.*.example.com', 'https://a.b.example.com'],
    ['https://*.ngrok-free.app', 'https://evil.ngrok-free.app'],
    ['https://app.acme.test/*', 'https://app.acme.test/*'],
  ])('that breaks a rule, such as %s, matches nothing', (registered, uri) => {
    expect(matches(registered, uri)).toBe(false);
  });

  test('matches only one label of letters, digits, hyphens and underscores', () => {
    const suffix = '.example.com/callback';
    const nearLabels = fc.string({ unit: fc.constantFrom(...'aZ09-_.@:/\\?#%*ü\n\t '), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.oneof(nearLabels, fc.string({ unit: 'binary' }), fc.webUrl(), fc.webAuthority()), (text) => {
        const uri = `https://${text}${suffix}`;

        if (!matches(`https://*${suffix}`, uri)) return;
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(new URL(uri)).toMatchObject({ host: `${text.toLowerCase()}.example.com`, username: '', password: '' });
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('a loopback redirect URI', () => {
  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback'],
    ['http://127.0.0.1', 'http://127.0.0.1:1'],
    ['http://127.0.0.1/callback?x=1', 'http://127.0.0.1:65535/callback?x=1'],
    ['http://[::1]/callback', 'http://[::1]:49152/callback'],
  ])('registered as %s matches %s', (registered, uri) => {
    expect(matches(registered, uri)).toBe(true);
  });

  test.each([
    [
      'a port that differs from the registered port',
      'http://127.0.0.1:3000/callback',
      'http://127.0.0.1:3001/callback',
    ],
    ['an invalid port', 'http://127.0.0.1/callback', 'http://127.0.0.1:65536/callback'],
    ['a port that is not a number', 'http://127.0.0.1/callback', 'http://127.0.0.1:1@evil.test/callback'],
    ['a different host', 'http://127.0.0.1', 'http://127.0.0.1.evil.test'],
    ['a different path', 'http://127.0.0.1/callback', 'http://127.0.0.1:3000/other'],
    ['the scheme https and an unregistered port', 'https://127.0.0.1/callback', 'https://127.0.0.1:3000/callback'],
    ['the host localhost and an unregistered port', 'http://localhost/callback', 'http://localhost:3000/callback'],
  ])('does not match a URI with %s', (_what, registered, uri) => {
    expect(matches(registered, uri)).toBe(false);
  });
});

describe('the native redirect URI com.example.app:/callback', () => {
  const matchesNative = (uri: string) =>
    matchesRedirectUri('com.example.app:/callback', uri, { dialect: 'workos', isPublicSuffix });

  test('matches the identical URI only in the workos dialect', () => {
    expect(matchesNative('com.example.app:/callback')).toBe(true);
    expect(matches('com.example.app:/callback', 'com.example.app:/callback')).toBe(false);
  });

  test.each([
    'com.example.app:/callback/',
    'com.example.app:/callback?x=1',
    'com.example.app:/Callback',
    'com.example.app://callback',
    'COM.example.app:/callback',
    'com.example.app:/a/../callback',
    'com.example.app:/call%62ack',
    'com.example.app2:/callback',
    'https://com.example.app/callback',
    ' com.example.app:/callback',
  ])('does not match %j', (uri) => {
    expect(matchesNative(uri)).toBe(false);
  });
});
