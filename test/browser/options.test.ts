import { type BrowserClientOptions, createBrowserClient } from 'sallyport/browser';
import { describe, expect, test } from 'vitest';
import { Shelf } from './surroundings.js';

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

describe('an API key is refused', () => {
  test.each([
    ['as apiKey', { apiKey: 'sk_test_0123456789abcdef' }],
    ['as apiKey in another form', { apiKey: 'secret' }],
    ['as clientSecret', { clientSecret: 'secret' }],
    ['in place of the client id', { clientId: 'sk_test_0123456789abcdef' }],
    ['in any other option', { redirectUri: 'sk_test_0123456789abcdef' }],
  ])('%s', (_, options) => {
    expect(codeOf({ ...good, ...options })).toBe('api_key_in_browser');
  });

  test('by a message that does not print it', () => {
    const make = () => createBrowserClient({ ...good, clientId: 'sk_test_0123456789abcdef' });

    expect(make).toThrow(/createBrowserClient was given an API key in clientId.*Keep the key on your server/);
    expect(make).not.toThrow(/0123456789/);
  });

  test('while a client id is accepted', () => {
    expect(codeOf(good)).toBe('accepted');
  });
});

describe('what is missing or wrong is refused', () => {
  test.each([
    ['no client id', { clientId: undefined }, 'missing_client_id'],
    ['an empty client id', { clientId: '' }, 'missing_client_id'],
    ['no base URL', { baseUrl: undefined }, 'invalid_base_url'],
    ['a base URL that is a path', { baseUrl: '/api' }, 'invalid_base_url'],
    ['a base URL by plain http', { baseUrl: 'http://api.example.com' }, 'insecure_base_url'],
    ['no redirect URI', { redirectUri: undefined }, 'invalid_option'],
    ['an unknown dialect', { dialect: 'klingon' }, 'invalid_option'],
    ['an unknown storage', { refreshTokenStorage: 'cookie' }, 'invalid_option'],
    ['no storage at all', { refreshTokenStorage: null }, 'invalid_option'],
  ])('%s', (_, options, code) => {
    expect(codeOf({ ...good, ...options })).toBe(code);
  });

  test.each([
    ['the emulator on this machine', { baseUrl: 'http://127.0.0.1:4100' }],
    ['an address with a path', { baseUrl: 'https://example.com/identity/' }],
    ['names of a deployment', { dialect: { hostedProvider: 'hosted', authorizeOrganizationParam: 'org' } }],
    [
      'a storage of the caller',
      { refreshTokenStorage: { get: () => null, set: () => undefined, remove: () => undefined } },
    ],
  ])('while %s is accepted', (_, options) => {
    expect(codeOf({ ...good, ...options })).toBe('accepted');
  });
});

test('making a client touches nothing of the page', () => {
  const untouchable = new Proxy(new Shelf(), {
    get() {
      throw new Error('touched');
    },
  });
  const environment = { localStorage: untouchable, sessionStorage: untouchable };

  expect(codeOf({ ...good, refreshTokenStorage: 'local', environment })).toBe('accepted');
});
