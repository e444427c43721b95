import { runInNewContext } from 'node:vm';
import { requireSession as expressRequire, expressSession } from 'sallyport/express';
import { requireSession as fastifyRequire, fastifySession } from 'sallyport/fastify';
import { requireSession as honoRequire, honoSession } from 'sallyport/hono';
import { nextSessions } from 'sallyport/next';
import { createSessionReader, createSessions, requireSession, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';

const options = {
  cookiePassword: 'a password of more than 32 characters',
  clientId: 'client_1',
  baseUrl: 'https://api.example.com',
};
const sessions = createSessions(options);
const done = () => new Response();

// Callers without types.
type Options = never;
const middleware: Readonly<Record<string, (options: unknown) => unknown>> = {
  expressSession: (options) => expressSession(sessions, options as Options),
  fastifySession: (options) => fastifySession(sessions, options as Options),
  honoSession: (options) => honoSession(sessions, options as Options),
  withSession: (options) => withSession(sessions, done, options as Options),
  'next.proxy': (options) => nextSessions(sessions).proxy(options as Options),
};
const requiring: Readonly<Record<string, (options: unknown) => unknown>> = {
  'requireSession of sallyport/session': (options) => requireSession(sessions, done, options as Options),
  'requireSession of sallyport/express': (options) => expressRequire(sessions, options as Options),
  'requireSession of sallyport/fastify': (options) => fastifyRequire(sessions, options as Options),
  'requireSession of sallyport/hono': (options) => honoRequire(sessions, options as Options),
};
class Settings {
  '/a' = 'docs:read';
  protect = ['/a'];
  maxAgeMs = 60_000;
}

/** Values of each kind, by name. */
const values: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  'an empty string': '',
  'a string': 'docs:read',
  'a path': '/a',
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  zero: 0,
  'a negative number': -1,
  'a number': 60_000,
  'a number as a string': '60000',
  true: true,
  false: false,
  'an empty list': [],
  'a list': ['/a'],
  'a list with a gap': new Array(1),
  'an empty object': {},
  'a Map': new Map([['/a', 'docs:read']]),
  'a Set': new Set(['/a']),
  'an instance of a class': new Settings(),
  'an object that inherits': Object.create({ '/a': 'docs:read' }),
  'a String object': new String('/a'),
  'a function': () => ['/a'],
  'a symbol': Symbol('/a'),
  'a bigint': 60_000n,
  'a promise': Promise.resolve(['/a']),
  'a date': new Date(60_000),
};

/** An option or a part of one, and the names of the values that it accepts. */
const places: readonly (readonly [
  place: string,
  optionsWith: (value: unknown) => object,
  accepted: readonly string[],
])[] = [
  ['the protect option', (value) => ({ protect: value }), ['undefined', 'an empty list', 'a list']],
  ['an item of the protect option', (value) => ({ protect: ['/b', value] }), ['a path']],
  ['the open option', (value) => ({ protect: ['/'], open: value }), ['undefined', 'an empty list', 'a list']],
  ['an item of the open option', (value) => ({ protect: ['/'], open: ['/b', value] }), ['a path']],
  ['the permission option', (value) => ({ permission: value }), ['undefined', 'an empty object']],
  [
    'a value in the permission option',
    (value) => ({ permission: { '/b': value } }),
    ['a string', 'a path', 'a number as a string'],
  ],
  [
    'the maxAgeMs option',
    (value) => ({ protect: ['/b'], maxAgeMs: value }),
    ['undefined', 'a number', 'an empty object'],
  ],
  ['a value in the maxAgeMs option', (value) => ({ maxAgeMs: { '/b': value } }), ['a number']],
  [
    'the signIn option',
    (value) => ({ protect: ['/b'], signIn: value }),
    ['undefined', 'true', 'false', 'an empty object'],
  ],
  ['the routes option', (value) => ({ routes: value }), ['undefined', 'true', 'false', 'an empty object']],
  ['the routes.signIn option', (value) => ({ routes: { signIn: value } }), ['undefined', 'a path']],
  ['the routes.signUp option', (value) => ({ routes: { signUp: value } }), ['undefined', 'a path']],
  ['the routes.signOut option', (value) => ({ routes: { signOut: value } }), ['undefined', 'a path']],
  ['the routes.callback option', (value) => ({ routes: { callback: value } }), ['undefined', 'a path']],
  ['the routes.session option', (value) => ({ routes: { session: value } }), ['undefined', 'a path']],
  ['the routes.accessToken option', (value) => ({ routes: { accessToken: value } }), ['undefined', 'a path']],
  ['the routes.accessToken.path option', (value) => ({ routes: { accessToken: { path: value } } }), ['a path']],
  [
    'the routes.accessToken.impersonators option',
    (value) => ({ routes: { accessToken: { path: '/token', impersonators: value } } }),
    ['undefined', 'true', 'false'],
  ],
  ['the csrf option', (value) => ({ csrf: value }), ['undefined', 'true', 'false', 'an empty object']],
  ['the csrf.origins option', (value) => ({ csrf: { origins: value } }), ['undefined', 'an empty list']],
  ['an item of the csrf.origins option', (value) => ({ csrf: { origins: ['https://b.test', value] } }), []],
  ['the options argument', (value) => value as object, ['undefined', 'an empty object']],
];

const refusal = expect.objectContaining({ name: 'ConfigurationError', code: 'invalid_option' });

/** Return the names of the values that a function accepts. The others must be refused by the same kind of error. */
const acceptedBy = (create: (value: unknown) => unknown): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    try {
      create(value);
      return [name];
    } catch (error) {
      expect(error, name).toEqual(refusal);
      return [];
    }
  });

describe.each(Object.entries(middleware))('%s', (_, create) => {
  test.each(places)('accepts only documented types for %s', (_, optionsWith, accepted) => {
    expect(acceptedBy((value) => create(optionsWith(value)))).toEqual(accepted);
  });

  test('rejects an invalid option with an error that names the option and the received type, but not the value', () => {
    expect(() => create({ permission: { '/reports': undefined } })).toThrow(
      'The option permission must name a permission for each path, not undefined.',
    );
    expect(() => create({ permission: new Map([['/reports', 'sk_test_1234567890']]) })).toThrow(
      'The option permission must be an object with a value for each path, not Map.',
    );
    expect(() => create({ maxAgeMs: { '/password': 'sk_test_1234567890' } })).toThrow(
      'The option maxAgeMs must be a number of milliseconds above 0, not string.',
    );
  });

  test('accepts objects and arrays from another JavaScript realm', () => {
    const foreign: unknown = runInNewContext(
      `({ protect: ['/a'], permission: { '/b': 'docs:read' }, maxAgeMs: { '/c': 60000 }, routes: { signIn: '/d' } })`,
    );

    expect(() => create(foreign)).not.toThrow();
  });

  test('accepts a csrf origin only in the exact form that browsers send', () => {
    const allowing = (origin: string) => () => create({ csrf: { origins: [origin] } });

    expect(allowing('https://admin.example.com')).not.toThrow();
    expect(allowing('http://localhost:4000')).not.toThrow();
    for (const origin of ['https://admin.example.com/', 'https://Admin.example.com', 'admin.example.com', 'null', '*'])
      expect(allowing(origin), origin).toThrow(refusal);
  });
});

describe.each(Object.entries(requiring))('%s', (_, create) => {
  test.each<[string, (value: unknown) => object, readonly string[]]>([
    ['the bearer option', (bearer) => ({ bearer }), ['undefined', 'true', 'false']],
    ['the maxAgeMs option', (maxAgeMs) => ({ maxAgeMs }), ['a number']],
    ['the signIn option', (signIn) => ({ signIn }), ['undefined', 'true', 'false', 'an empty object']],
    ['the options argument', (value) => value as object, ['undefined', 'an empty object']],
  ])('accepts only documented types for %s', (_, optionsWith, accepted) => {
    expect(acceptedBy((value) => create(optionsWith(value)))).toEqual(accepted);
  });
});

test('a later change to the options object does not affect withSession or requireSession', async () => {
  const options = {
    protect: ['/a'],
    open: ['/a/open'],
    permission: { '/b': 'docs:read' },
    signIn: false,
    routes: { signIn: '/login', accessToken: { path: '/token', impersonators: false } },
    csrf: { origins: ['https://b.test'] },
  };
  const handler = withSession(sessions, done, options);
  const recently = { maxAgeMs: 1_000, bearer: false };
  const password = requireSession(sessions, done, recently);
  const statusOf = async (path: string) => (await handler(new Request(`https://a.test${path}`))).status;
  const before = [
    await statusOf('/a'),
    await statusOf('/b'),
    await statusOf('/c'),
    (await password(new Request('https://a.test/'))).status,
  ];

  Object.assign(options, { protect: [], permission: {}, open: ['/a'], csrf: false });
  options.routes.accessToken.impersonators = true;
  Object.assign(recently, { maxAgeMs: undefined, bearer: true });

  expect([
    await statusOf('/a'),
    await statusOf('/b'),
    await statusOf('/c'),
    (await password(new Request('https://a.test/'))).status,
  ]).toEqual(before);
  expect(before).toEqual([401, 401, 200, 401]);
});

describe.each<[string, (options: object) => unknown]>([
  ['createSessions', createSessions],
  ['createSessionReader', createSessionReader],
])('the limits option of %s', (_, create) => {
  const withLimits = (limits: unknown) => create({ ...options, limits });

  test('must be an object of numbers', () => {
    expect(acceptedBy(withLimits)).toEqual(['undefined', 'an empty object']);
    expect(acceptedBy((lifetimeMs) => withLimits({ lifetimeMs }))).toEqual(['undefined', 'a number']);
    expect(acceptedBy((idleMs) => withLimits({ idleMs: idleMs === 60_000 ? 120_000 : idleMs }))).toEqual([
      'undefined',
      'a number',
    ]);
  });
});

test('createSessions accepts only a boolean as trustProxy and only a list as redirectUris', () => {
  expect(acceptedBy((trustProxy) => createSessions({ ...options, trustProxy: trustProxy as Options }))).toEqual([
    'undefined',
    'true',
    'false',
  ]);
  expect(acceptedBy((redirectUris) => createSessions({ ...options, redirectUris: redirectUris as Options }))).toEqual([
    'undefined',
    'an empty list',
    'a list',
    'a list with a gap',
  ]);
});
