import { createSessions, type FinishSignInResult, respond, type SignInResult } from 'sallyport/session';
import { describe, expect, test } from 'vitest';

const sessions = createSessions({
  password: 'a password of at least 32 characters',
  clientId: 'client_42',
  baseUrl: 'https://api.example.com',
  redirectUri: 'https://app.example.com/callback',
});

describe('respond', () => {
  test('redirects a sign-in that begins, with its cookie', async () => {
    const response = respond(await sessions.startSignIn({ headers: {} }));

    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/^https:\/\/api\.example\.com\/user_management\/authorize\?/);
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^sallyport-session-flow=/)]);
  });

  test('has nothing for a prefetch', async () => {
    const response = respond(await sessions.startSignIn({ headers: { 'sec-purpose': 'prefetch' } }));

    expect([response.status, response.headers.get('location'), response.body]).toEqual([204, null, null]);
  });

  test('redirects somebody who signs out', async () => {
    const response = respond(await sessions.signOut({ headers: {} }));

    expect([response.status, response.headers.get('location')]).toEqual([302, '/']);
  });

  test('asks to come back where it is not known yet', async () => {
    const later: FinishSignInResult = {
      status: 'retry_later',
      session: null,
      reason: 'timeout',
      retryAfterMs: 1_200,
      cause: new Error('no answer within 5000 ms'),
      headers: new Headers(),
    };

    const response = respond(later);

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toEqual({ error: 'timeout' });
  });

  const failed = (failure: object) =>
    // Only what the answer depends on.
    ({ status: 'failed', returnTo: '/', headers: new Headers([['set-cookie', 'a=']]), ...failure }) as SignInResult;

  test.each([
    [400, { reason: 'state_mismatch' }],
    [400, { reason: 'mfa_challenge', pendingAuthenticationToken: 'secret' }],
    [403, { reason: 'denied', error: 'access_denied', errorDescription: 'words of the service' }],
    [500, { reason: 'service_refused', cause: new Error('about the configuration') }],
  ])('answers %i to %o, with the reason and nothing else', async (status, failure) => {
    const response = respond(failed(failure));

    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toEqual(['a=']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ error: failure.reason });
  });
});
