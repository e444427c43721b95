import { describe, expect, onTestFinished, test } from 'vitest';
import { type BrowserClientOptions, createBrowserClient } from './client.js';
import { Shelf, site } from './surroundings.js';

const good = { clientId: 'client_42', baseUrl: 'https://api.example.com', redirectUri: '/callback' };
const codeOf = (options: object): string => {
  try {
    // Callers without types may pass these values.
    createBrowserClient(options as BrowserClientOptions);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('createBrowserClient rejects an API key', () => {
  test.each([
    ['in the option apiKey', { apiKey: 'sk_test_0123456789abcdef' }],
    ['in the option apiKey, even without the prefix sk_', { apiKey: 'secret' }],
    ['in the option clientSecret', { clientSecret: 'secret' }],
    ['in the option clientId', { clientId: 'sk_test_0123456789abcdef' }],
    ['in the option redirectUri', { redirectUri: 'sk_test_0123456789abcdef' }],
  ])('%s', (_, options) => {
    expect(codeOf({ ...good, ...options })).toBe('api_key_in_browser');
  });

  test('without printing the key', () => {
    const make = () => createBrowserClient({ ...good, clientId: 'sk_test_0123456789abcdef' });

    expect(make).toThrow(/createBrowserClient was given an API key in clientId.*Keep the key on your server/);
    expect(make).not.toThrow(/0123456789/);
  });

  test('but accepts a client id', () => {
    expect(codeOf(good)).toBe('accepted');
  });
});

describe('createBrowserClient', () => {
  test.each([
    ['a missing client id', { clientId: undefined }, 'missing_client_id'],
    ['an empty client id', { clientId: '' }, 'missing_client_id'],
    ['a missing base URL', { baseUrl: undefined }, 'invalid_base_url'],
    ['a base URL that is a path', { baseUrl: '/api' }, 'invalid_base_url'],
    ['a base URL with plain http', { baseUrl: 'http://api.example.com' }, 'insecure_base_url'],
    ['a missing redirect URI', { redirectUri: undefined }, 'invalid_option'],
    ['an unknown dialect', { dialect: 'klingon' }, 'invalid_option'],
    ['an unknown storage', { refreshTokenStorage: 'cookie' }, 'invalid_option'],
    ['null as the storage', { refreshTokenStorage: null }, 'invalid_option'],
  ])('rejects %s', (_, options, code) => {
    expect(codeOf({ ...good, ...options })).toBe(code);
  });

  test.each([
    ['a base URL with plain http on 127.0.0.1', { baseUrl: 'http://127.0.0.1:4100' }],
    ['a base URL with a path', { baseUrl: 'https://example.com/identity/' }],
    [
      'a dialect with custom parameter names',
      { dialect: { hostedProvider: 'hosted', authorizeOrganizationParam: 'org' } },
    ],
    ['a custom storage', { refreshTokenStorage: { get: () => null, set: () => undefined, remove: () => undefined } }],
  ])('accepts %s', (_, options) => {
    expect(codeOf({ ...good, ...options })).toBe('accepted');
  });
});

test('creating a browser client does not access the browser storage', () => {
  const untouchable = new Proxy(new Shelf(), {
    get() {
      throw new Error('touched');
    },
  });
  const environment = { localStorage: untouchable, sessionStorage: untouchable };

  expect(codeOf({ ...good, refreshTokenStorage: 'local', environment })).toBe('accepted');
});

describe('createBrowserClient without the baseUrl option', () => {
  const signInAt = async (options: Partial<BrowserClientOptions>) => {
    const tab = site({ fetch, now: Date.now }).tab('https://app.example.com/');
    const auth = createBrowserClient({
      clientId: 'client_42',
      redirectUri: '/callback',
      environment: tab.environment,
      ...options,
    });
    onTestFinished(() => auth.close());
    await auth.signIn();
    const { origin, searchParams } = new URL(tab.url);
    return `${origin} ${searchParams.get('provider')}`;
  };

  test('uses the public service if no dialect is set', async () => {
    expect(await signInAt({})).toBe('https://api.workos.com authkit');
  });

  test('uses the public service with the workos dialect', async () => {
    expect(await signInAt({ dialect: 'workos' })).toBe('https://api.workos.com authkit');
  });

  test('rejects the spec dialect and explicitly undefined options', () => {
    const { baseUrl: _, ...rest } = good;

    expect(codeOf({ ...rest, dialect: 'spec' })).toBe('invalid_base_url');
    expect(codeOf({ ...rest, dialect: undefined })).toBe('invalid_base_url');
    expect(codeOf({ ...rest, baseUrl: undefined })).toBe('invalid_base_url');
  });
});

test('a browser client with a baseUrl but no dialect uses the spec dialect', async () => {
  const tab = site({ fetch, now: Date.now }).tab('https://app.example.com/');
  const auth = createBrowserClient({ ...good, environment: tab.environment });
  onTestFinished(() => auth.close());

  await auth.signIn();

  expect(tab.url).toMatch(/^https:\/\/api\.example\.com\/.*[?&]provider=hosted-login/);
});
