import { expect, test, vi } from 'vitest';
import { failureOf } from '../servers/server.js';
import { app, callback, home } from './app.js';

vi.mock('../../src/browser/rare-pages.js', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

const failure = {
  reason: 'network_error',
  message:
    'A part of sallyport/browser could not be loaded. The network is down, or a newer release of this site has replaced it. Reload the page; the session continues.',
  retryAfterMs: 1_000,
};

test('signIn() suggests a reload if the sign-in module cannot be loaded', async () => {
  const tab = app().open();

  expect(await failureOf(tab.auth.signIn())).toMatchObject({ name: 'BrowserError', code: 'retry_later', ...failure });
  expect(tab.url).toBe(home);
});

test('finishSignIn() keeps the authorization code in the URL if the sign-in module cannot be loaded', async () => {
  const url = `${callback}?code=code_1&state=state_1`;
  const tab = app().open({}, url);

  expect(await tab.auth.finishSignIn()).toEqual({ status: 'retry_later', session: null, ...failure });
  expect(tab.url).toBe(url);
});

test('a page other than the callback page does not need the sign-in module', async () => {
  const tab = app().open();

  expect(await tab.auth.finishSignIn()).toEqual({ status: 'nothing_to_do', session: null });
  expect(await tab.auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'no_session' });
});

/** The value in `localStorage` of a user who signed in before. */
const stored = {
  signedInAt: 1,
  renewals: 0,
  refreshToken: 'refresh_1',
  salt: 'salt',
  sessionId: 'session_1',
  clockOffsetMs: 0,
};

test('a user stays signed in if the module that explains a rejected request cannot be loaded', async () => {
  const { site, service, open, clientId } = app({ refreshTokenStorage: 'local' });
  site.localStorage.setItem(`sallyport.1.${clientId}`, JSON.stringify(stored));
  const tab = open();
  service.mishaps.push(() => new Response('{"error":"invalid_client"}', { status: 401 }));

  expect(await tab.auth.restore()).toEqual({ status: 'retry_later', session: null, ...failure });
  expect(site.localStorage.getItem(`sallyport.1.${clientId}`)).toBe(JSON.stringify(stored));
});

test('the end of a session is reported without loading the module that explains errors', async () => {
  const { site, open, clientId } = app({ refreshTokenStorage: 'local' });
  site.localStorage.setItem(`sallyport.1.${clientId}`, JSON.stringify(stored));

  expect(await open().auth.restore()).toEqual({ status: 'signed_out', session: null, reason: 'invalid_grant' });
  expect(site.localStorage.texts.size).toBe(0);
});
