import { createHash } from 'node:crypto';
import {
  createSessions,
  type FinishSignInResult,
  type RespondOptions,
  type RouteResult,
  respond,
  type SignInProblem,
} from 'sallyport/session';
import { describe, expect, test } from 'vitest';

const sessions = createSessions({
  cookiePassword: 'a password of at least 32 characters',
  clientId: 'client_42',
  baseUrl: 'https://api.example.com',
  redirectUri: 'https://app.example.com/callback',
});

describe('respond()', () => {
  test('redirects the browser and sets the flow cookie when a sign-in starts', async () => {
    const response = respond(await sessions.startSignIn({ headers: {} }));

    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/^https:\/\/api\.example\.com\/user_management\/authorize\?/);
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^sallyport-session-flow-[\w-]{16}=/)]);
  });

  test('returns status 204 without a body if a prefetch would start a sign-in', async () => {
    const response = respond(await sessions.startSignIn({ headers: { 'sec-purpose': 'prefetch' } }));

    expect([response.status, response.headers.get('location'), response.body]).toEqual([204, null, null]);
  });

  test('redirects the user to the start page after a sign-out', async () => {
    const response = respond(await sessions.signOut({ headers: {} }));

    expect([response.status, response.headers.get('location')]).toEqual([302, '/']);
  });

  test('returns status 503 and Retry-After if the sign-in must be retried later', async () => {
    const later: FinishSignInResult = {
      status: 'retry_later',
      session: null,
      reason: 'timeout',
      retryAfterMs: 1_200,
      cause: new Error('timed out after 5000 ms'),
      forPerson: false,
      headers: new Headers(),
    };

    const response = respond(later);

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toEqual({ error: 'timeout' });
  });

  const failed = (failure: object) =>
    // Only the fields that the response depends on.
    ({ status: 'failed', returnTo: '/', headers: new Headers([['set-cookie', 'a=']]), ...failure }) as RouteResult;

  test.each([
    [400, { reason: 'state_mismatch' }],
    [400, { reason: 'mfa_challenge', pendingAuthenticationToken: 'secret' }],
    [403, { reason: 'denied', error: 'access_denied', errorDescription: 'words of the service' }],
    [500, { reason: 'service_refused', cause: new Error('about the configuration') }],
  ])('returns status %i and reveals only the reason from the failure %j', async (status, failure) => {
    const response = respond(failed(failure));

    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toEqual(['a=']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ error: failure.reason });
  });

  describe('sends browsers an error page', () => {
    const pageFor = async (failure: object, options?: RespondOptions) => {
      const response = respond(failed({ forPerson: true, ...failure }), options);
      return { response, html: await response.text() };
    };

    test.each([
      [403, 'denied', 'The sign-in was cancelled or refused.'],
      [400, 'expired', 'This sign-in is no longer valid.'],
      [400, 'no_pending_flow', 'This sign-in is no longer valid.'],
      [400, 'state_mismatch', 'This sign-in is no longer valid.'],
      [400, 'sso_required', 'You could not be signed in.'],
      [500, 'invalid_tokens', 'Signing in is not possible right now.'],
    ])('with status %i if the reason is "%s"', async (status, reason, sentence) => {
      const { response, html } = await pageFor({ reason, returnTo: '/orders?page=2' });

      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.getSetCookie()).toEqual(['a=']);
      expect(html).toContain(`<h1>${sentence}</h1>`);
      expect(html).toContain('<a href="/orders?page=2">Try again</a>');
      expect(html).toMatch(/^<!doctype html><html lang="en">/);
      expect(html).not.toContain(`${reason}"`);
    });

    test('with a link to the current URL if the service did not respond', async () => {
      const { response, html } = await pageFor({
        status: 'retry_later',
        reason: 'timeout',
        retryAfterMs: 1_200,
        returnTo: undefined,
      });

      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
      expect(html).toContain('<h1>Signing in is not possible right now.</h1><a href="">Try again</a>');
    });

    test('with a content security policy that allows only the inline styles of the page', async () => {
      const { response, html } = await pageFor({ reason: 'denied' });

      const [, style = ''] = /<style>(.*)<\/style>/.exec(html) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(response.headers.get('content-security-policy')).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(html).toContain('<meta name="color-scheme" content="light dark">');
      expect(html).not.toMatch(/https?:|src=|<script|<link/);
    });

    test('with an HTML-escaped link', async () => {
      const { html } = await pageFor({ reason: 'denied', returnTo: `/"><script>alert('1')</script>&` });

      expect(html).toContain(
        '<a href="/&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;">Try again</a>',
      );
    });

    test('rendered by the application, without a content security policy', async () => {
      const page = (problem: SignInProblem) => `<p>${JSON.stringify(problem)}`;

      const { response, html } = await pageFor({ reason: 'denied', returnTo: '/orders' }, { page });

      expect(response.headers.get('content-security-policy')).toBeNull();
      expect(html).toBe(
        '<p>{"status":403,"reason":"denied","sentence":"The sign-in was cancelled or refused.","tryAgain":"/orders"}',
      );
    });
  });
});

test.each([
  [
    'true for a request from a browser',
    { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    true,
  ],
  ['true for a request from an old browser', { accept: 'text/html' }, true],
  [
    'false for a request from a script',
    { accept: 'text/html', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    false,
  ],
  ['false for a request from a program', { accept: 'application/json' }, false],
  ['false for a request without an Accept header', {}, false],
])('finishSignIn sets forPerson to %s', async (_, headers, forPerson) => {
  expect(await sessions.finishSignIn({ url: '/callback?code=x', headers })).toMatchObject({ forPerson });
});
