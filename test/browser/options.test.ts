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
    ['as apiKey', { apiKey: 'sk_test_0123456789abcdef' }],
    ['as apiKey in another form', { apiKey: 'secret' }],
    ['as clientSecret', { clientSecret: 'secret' }],
    ['in place of the client id', { clientId: 'sk_test_0123456789abcdef' }],
    ['in any other option', { redirectUri: 'sk_test_0123456789abcdef' }],
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
    ['the emulator on this machine', { baseUrl: 'http://127.0.0.1:4100' }],
    ['a base URL with a path', { baseUrl: 'https://example.com/identity/' }],
    [
      'the parameter names of a deployment',
      { dialect: { hostedProvider: 'hosted', authorizeOrganizationParam: 'org' } },
    ],
    [
      "the caller's own storage",
      { refreshTokenStorage: { get: () => null, set: () => undefined, remove: () => undefined } },
    ],
  ])('accepts %s', (_, options) => {
    expect(codeOf({ ...good, ...options })).toBe('accepted');
  });
});

test('creating a browser client does not change the page', () => {
  const untouchable = new Proxy(new Shelf(), {
    get() {
      throw new Error('touched');
    },
  });
  const environment = { localStorage: untouchable, sessionStorage: untouchable };

  expect(codeOf({ ...good, refreshTokenStorage: 'local', environment })).toBe('accepted');
});

describe('createBrowserClient without baseUrl', () => {
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

  test('uses the public service without a dialect', async () => {
    expect(await signInAt({})).toBe('https://api.workos.com authkit');
  });

  test('uses the public service in the workos dialect', async () => {
    expect(await signInAt({ dialect: 'workos' })).toBe('https://api.workos.com authkit');
  });

  test('is rejected in the spec dialect, and also if the option baseUrl or dialect is undefined because of a missing variable', () => {
    const { baseUrl: _, ...rest } = good;

    expect(codeOf({ ...rest, dialect: 'spec' })).toBe('invalid_base_url');
    expect(codeOf({ ...rest, dialect: undefined })).toBe('invalid_base_url');
    expect(codeOf({ ...rest, baseUrl: undefined })).toBe('invalid_base_url');
  });
});

test('a browser client uses dialect spec if it has a baseUrl but no dialect', async () => {
  const tab = site({ fetch, now: Date.now }).tab('https://app.example.com/');
  const auth = createBrowserClient({ ...good, environment: tab.environment });
  onTestFinished(() => auth.close());

  await auth.signIn();

  expect(tab.url).toMatch(/^https:\/\/api\.example\.com\/.*[?&]provider=hosted-login/);
});
