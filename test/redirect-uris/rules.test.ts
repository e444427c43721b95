import { describe, expect, test } from 'vitest';
import { isPublicSuffix } from '../../src/emulator/rooms/redirect-uris/public-suffix.js';
import { redirectUriProblem } from '../../src/redirect-uris/rules.js';

const ruleOf = (uri: string, environment: 'production' | 'staging' = 'production') =>
  redirectUriProblem(uri, { environment, isPublicSuffix })?.rule;

describe('the redirect URI', () => {
  test.each([
    'https://app.acme.test/callback',
    'https://app.acme.test',
    'https://app.acme.test:8443/callback?from=mail',
    'https://bücher.example/callback'.replace('bücher', 'xn--bcher-kva'),
    'https://exa_mple.acme.test/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:3000/callback',
    'https://*.example.com',
    'https://*.example.com:8443/callback?x=1',
    'https://*.eu.example.com/callback',
    'https://prefix-*-suffix.example.com',
    'https://prefix-*.example.com',
    'https://*_suffix.example.com',
    'https://*.example.co.uk/callback',
    'https://*.acme.github.io/callback',
    'https://*.acme.ngrok-free.app/callback',
  ])('"%s" can be registered in production', (uri) => {
    expect(ruleOf(uri)).toBeUndefined();
  });

  test.each([
    'http://localhost:3000/callback',
    'http://app.localhost/callback',
    'http://app.acme.test/callback',
    'http://*.acme.test/callback',
    'http://[::1]:3000/callback',
  ])('"%s" can be registered in staging, but not in production', (uri) => {
    expect(ruleOf(uri, 'staging')).toBeUndefined();
    expect(ruleOf(uri, 'production')).toBe('https_required');
  });
});

describe('the redirect URI', () => {
  test.each([
    ['', 'not_absolute'],
    ['/callback', 'not_absolute'],
    ['//app.acme.test/callback', 'not_absolute'],
    ['localhost:3000/callback', 'not_absolute'],
    ['https:app.acme.test', 'not_absolute'],
    ['https://', 'not_absolute'],
    ['https://app..acme.test', 'not_absolute'],
    ['https://app.acme.test\\@evil.test/', 'not_absolute'],
    ['https://app.acme.test/a b', 'not_absolute'],
    ['https://app.acme.test/a\nb', 'not_absolute'],
    ['https://app.acme.test/\u0000', 'not_absolute'],
    [' https://app.acme.test', 'not_absolute'],
    ['https://*.0.0.1/callback', 'not_absolute'],
    ['javascript://app.acme.test/%0aalert(1)', 'scheme_not_allowed'],
    ['acme://callback', 'scheme_not_allowed'],
    ['HTTPS://app.acme.test/callback', 'scheme_not_allowed'],
    ['*://app.acme.test/callback', 'not_absolute'],
    ['https://ada@acme.test/callback', 'userinfo_not_allowed'],
    ['https://*@acme.test/callback', 'userinfo_not_allowed'],
    ['https://app.acme.test/callback#here', 'fragment_not_allowed'],
    ['https://app.acme.test/callback#', 'fragment_not_allowed'],
    ['https://App.acme.test/callback', 'host_not_canonical'],
    ['https://app.acme.test:443/callback', 'host_not_canonical'],
    ['https://app.acme.test./callback', 'host_not_canonical'],
    ['https://bücher.example/callback', 'host_not_canonical'],
    ['https://%2A.acme.test/callback', 'host_not_canonical'],
    ['https://*.ｃｏｍ', 'host_not_canonical'],
    ['https://127.1/callback', 'host_not_canonical'],
    ['https://app.acme.test/*', 'wildcard_outside_host'],
    ['https://app.acme.test/callback?next=*', 'wildcard_outside_host'],
    ['https://app.acme.test:*/callback', 'wildcard_outside_host'],
    ['https://*.acme.test/*', 'wildcard_outside_host'],
    ['https://*.*.example.com', 'wildcard_repeated'],
    ['https://*-*.example.com', 'wildcard_repeated'],
    ['https://**.example.com', 'wildcard_repeated'],
    ['https://sub.*.example.com', 'wildcard_after_label'],
    ['https://sub.pre-*.example.com', 'wildcard_after_label'],
    ['https://example.*', 'wildcard_after_label'],
    ['https://*.com', 'wildcard_beside_top_level_domain'],
    ['https://acme-*.com/callback', 'wildcard_beside_top_level_domain'],
    ['https://*', 'wildcard_beside_top_level_domain'],
    ['https://*.co.uk', 'wildcard_on_public_suffix'],
    ['https://acme-*.co.uk', 'wildcard_on_public_suffix'],
    // Every name under kawasaki.jp is a suffix, because the list has the rule *.kawasaki.jp.
    ['https://*.kawasaki.jp', 'wildcard_on_public_suffix'],
    ['https://*.github.io/callback', 'wildcard_on_public_suffix'],
    ['https://*.ngrok-free.app/callback', 'wildcard_on_public_suffix'],
    ['https://*.trycloudflare.com', 'wildcard_on_public_suffix'],
    ['https://*.loca.lt', 'wildcard_on_public_suffix'],
    ['https://*.euw.devtunnels.ms', 'wildcard_on_public_suffix'],
  ])('%j is rejected by the %s rule', (uri, rule) => {
    expect(ruleOf(uri)).toBe(rule);
    expect(ruleOf(uri, 'staging')).toBe(rule);
  });

  test('"http://*.com" cannot be registered in staging, although staging allows http://', () => {
    expect(ruleOf('http://*.com', 'staging')).toBe('wildcard_beside_top_level_domain');
    expect(ruleOf('http://*.localhost:3000', 'staging')).toBe('wildcard_beside_top_level_domain');
    expect(ruleOf('http://*.com', 'production')).toBe('https_required');
  });

  test('"http://127.0.0.1.evil.test/" cannot be registered in production, unlike "http://127.0.0.1/"', () => {
    expect(ruleOf('http://127.0.0.1.evil.test/')).toBe('https_required');
    expect(ruleOf('http://127.0.0.2/')).toBe('https_required');
  });
});

test('the error for a rejected redirect URI states the requirement', () => {
  expect(redirectUriProblem('https://App.Acme.test:443/callback')?.message).toBe(
    'must have its host in the form that browsers send: app.acme.test',
  );
  expect(redirectUriProblem('https://*.github.io', { isPublicSuffix })?.message).toBe(
    'must not have a wildcard under github.io, where anyone can register a name',
  );
});

test('the wildcard check rejects only top-level domains if no list of public suffixes is passed', () => {
  expect(redirectUriProblem('https://*.github.io')).toBeUndefined();
  expect(redirectUriProblem('https://*.io')?.rule).toBe('wildcard_beside_top_level_domain');
});

describe("a native application's redirect URI", () => {
  const nativeRuleOf = (uri: string) => redirectUriProblem(uri, { dialect: 'workos', isPublicSuffix })?.rule;

  test.each([
    'com.example.app:/callback',
    'com.example.app://callback?from=mail',
    'com.example.app:/',
    'harbour://callback',
    'harbour://localhost/callback',
    'web+harbour:/callback',
  ])('such as %s can be registered only in the workos dialect', (uri) => {
    expect(nativeRuleOf(uri)).toBeUndefined();
    expect(redirectUriProblem(uri, { dialect: 'spec' })?.rule).toMatch(/^(?:scheme_not_allowed|not_absolute)$/);
    expect(redirectUriProblem(uri)?.rule).toMatch(/^(?:scheme_not_allowed|not_absolute)$/);
  });

  test.each(
    ['javascript', 'data', 'vbscript', 'blob', 'file', 'about', 'filesystem'].flatMap((scheme) => [
      [`${scheme}://app.acme.test/%0aalert(1)`],
      [`${scheme}:/callback`],
      [`${scheme}:alert(1)`],
      [`${scheme.toUpperCase()}:/callback`],
      [`${scheme[0]?.toUpperCase()}${scheme.slice(1)}://callback`],
    ]),
  )('cannot be %s, which uses a built-in browser scheme', (uri) => {
    expect(nativeRuleOf(uri)).toBe('scheme_not_allowed');
  });

  test.each([
    ' javascript:/callback',
    '\tjavascript:/callback',
    '\u0000javascript:/callback',
    'java\nscript:/callback',
    'java\tscript:/callback',
    'javascript\r:/callback',
    'javascript :/callback',
    '\u00a0javascript:/callback',
    'com.example.app:/call back',
    'com.example.app:/callback\n',
    'com.example.app:\\callback',
    'java%73cript:/callback',
    ':/callback',
    '1password:/callback',
    '',
  ])('must be a valid absolute URI, unlike %j', (uri) => {
    expect(nativeRuleOf(uri)).toBe('not_absolute');
  });

  test.each(['localhost:3000/callback', 'app.acme.test:8443/callback', 'localhost:3000', 'com.example.app:callback'])(
    'cannot be %s, which could be read as a host and a port',
    (uri) => {
      expect(nativeRuleOf(uri)).toBe('not_absolute');
    },
  );

  test.each([
    ['Com.example.app:/callback', 'scheme_not_allowed'],
    ['harbour://ada@callback', 'userinfo_not_allowed'],
    ['harbour://ada:secret@callback/', 'userinfo_not_allowed'],
    ['com.example.app:/callback#here', 'fragment_not_allowed'],
    ['com.example.app:/*', 'wildcard_outside_host'],
    ['harbour://*.acme.test/', 'wildcard_outside_host'],
  ])('cannot be %s because of the %s rule', (uri, rule) => {
    expect(nativeRuleOf(uri)).toBe(rule);
  });

  test.each(['http:/callback', 'https:callback', 'HTTPS://app.acme.test/'])(
    'cannot be %s, which breaks a rule for web redirect URIs',
    (uri) => {
      expect(nativeRuleOf(uri)).toBe(ruleOf(uri));
      expect(nativeRuleOf(uri)).toBeDefined();
    },
  );
});
