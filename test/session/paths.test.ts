import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { honoSession } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { createSessions, type ProtectOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { canonicalPath, foldPath, isWithin, targetPath } from '../../src/session/guard/paths.js';

describe('the canonical path', () => {
  test.each([
    // Escapes, in up to five rounds.
    ['/private', '/private'],
    ['/%70rivate', '/private'],
    ['/%2570rivate', '/private'],
    ['/%2525252570rivate', '/private'],
    ['/caf%C3%A9', '/café'],
    // An escaped percent sign is text.
    ['/sale/100%25', '/sale/100%'],
    ['/sale/100%25%20off', '/sale/100%'],
    // Empty segments, single dots and backslashes.
    ['/', '/'],
    ['', '/'],
    ['//private', '/private'],
    ['/a//b/', '/a/b'],
    ['/./private/.', '/private'],
    ['/%2e/private', '/private'],
    ['/a\\b', '/a/b'],
    ['/a%5cb', '/a/b'],
    ['/a%2fb', '/a/b'],
    // A segment ends where any router cuts it.
    ['/private%20', '/private'],
    ['/private%c2%a0', '/private'],
    ['/private%ef%bb%bf', '/private'],
    ['/private%3f', '/private'],
    ['/private%3fx/y', '/private/y'],
    ['/private%23x', '/private'],
    ['/private;x=1', '/private'],
    ['/private%3bx', '/private'],
    ['/private;%2541', '/private'],
    // Not all routers cut at these characters.
    ['/a;x/b', '/a/b'],
    ['/%20private', '/private'],
    ['/;/private', '/private'],
  ])('of "%s" is "%s"', (path, expected) => {
    expect(canonicalPath(path)).toBe(expected);
  });

  test.each([
    // Malformed.
    ['/private/%ff'],
    ['/private/%'],
    ['/%zz'],
    ['/%c0%af'],
    ['/%u0070rivate'],
    ['/x/%25ff'],
    // Escaped six times.
    ['/%252525252570rivate'],
    // Parsers drop control characters.
    ['/pri%09vate'],
    ['/private%00'],
    ['/private%0a'],
    ['/private%c2%85'],
    // Routers resolve two dots at different times.
    ['/x/../private'],
    ['/x/..%2fprivate/s.txt'],
    ['/a%2fb/../private'],
    ['/a%252fb/..%2fprivate'],
    ['/a//../private'],
    ['/x/..;/private'],
    ['/x\\..\\private'],
    // URL parsers see a host here.
    ['//host/private'],
    ['/\\host/private'],
    ['/%2fhost/private'],
  ])('is undefined for "%s"', (path) => {
    expect(canonicalPath(path)).toBeUndefined();
  });
});

test.each([
  ['/private?x=/y', '/private'],
  ['/private#x', '/private#x'],
  ['//host/private', '//host/private'],
  ['http://host/private?x', '/private'],
  ['HTTP://host:80/private', '/private'],
  ['https://host', ''],
  ['http://host/x/../private', '/x/../private'],
  ['HTTP://x:99999/private', undefined],
  ['foo://x/private', undefined],
  ['http:///private', undefined],
  ['http:/private', undefined],
  ['private', undefined],
  ['*', undefined],
  ['', undefined],
])('the path in the request target "%s" is %j', (target, expected) => {
  expect(targetPath(target)).toBe(expected);
});

test.each([
  ['/account', '/account', true],
  ['/account/keys', '/account', true],
  ['/ACCOUNT', '/account', true],
  ['/ſtrict', '/strict', true],
  ['/account.json', '/account', true],
  ['/account:x', '/account', true],
  ['/accounts', '/account', false],
  ['/account-settings', '/account', false],
  ['/account_2', '/account', false],
  ['/accounté', '/account', false],
  ['/', '/account', false],
  ['/anything', '/', true],
  ['/', '/', true],
])("isWithin('%s', '%s') returns %s", (path, start, expected) => {
  expect(isWithin(foldPath(path), foldPath(start))).toBe(expected);
});

describe('the path options', () => {
  const sessions = createSessions({
    cookiePassword: 'a password of more than 32 characters',
    clientId: 'c',
    baseUrl: 'https://x',
  });
  const factories: Readonly<Record<string, (options: ProtectOptions) => unknown>> = {
    expressSession: (options) => expressSession(sessions, options),
    fastifySession: (options) => fastifySession(sessions, options),
    honoSession: (options) => honoSession(sessions, options),
    withSession: (options) => withSession(sessions, () => new Response(), options),
    'next.proxy': (options) => nextSessions(sessions).proxy(options),
  };

  test.each(Object.entries(factories))('of %s must not be patterns, URLs or query strings', (_, create) => {
    for (const path of [
      ...[
        '/account/*',
        '*',
        '/*',
        '/account/**',
        '/account(.*)',
        '/account/:id',
        '/:id',
        '/account/$id',
        '/account/[id]',
      ],
      ...[
        '/account/{id}',
        'account',
        '',
        'https://example.com/account',
        '//example.com/account',
        '/account?x',
        '/account#x',
      ],
      ...['/account;x', '/account/../x', '/%ff', '/a b', '/a%20b', '/a%3Fb', '/%2aa', '/account\n'],
    ]) {
      const refusal = expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringContaining(JSON.stringify(path)),
      });
      expect(() => create({ protect: [path] })).toThrow(refusal);
      expect(() => create({ protect: ['/'], open: [path] })).toThrow(refusal);
      expect(() => create({ permission: { [path]: 'docs:read' } })).toThrow(refusal);
      expect(() => create({ maxAgeMs: { [path]: 60_000 } })).toThrow(refusal);
    }
    expect(() =>
      create({ protect: ['/', '/account', '/account/', '/a-b/c_d.e~f', '/über', '/%C3%BCber'] }),
    ).not.toThrow();
  });

  test('must include a protected path if maxAgeMs is a number', () => {
    expect(() => withSession(sessions, () => new Response(), { maxAgeMs: 300_000 })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('maxAgeMs') }),
    );
  });
});
