import { describe, expect, test } from 'vitest';
import { browse } from '../browser.js';
import { claimsOf, clientId, signingIn } from '../sign-in/signing-in.js';

const callback = 'https://app.acme.test/callback';
const home = 'https://app.acme.test/';
const logout = '/user_management/sessions/logout';
const url = { response_type: 'code', client_id: clientId, redirect_uri: callback, provider: 'hosted-login' };

/** Signs in at the hosted pages, and returns the session, its id, and the cookie of the browser. */
async function signedIn() {
  const { emulator, send, grant, refresh } = await signingIn({
    autoApprove: true,
    seed: {
      redirect_uris: [callback, home],
      users: [
        { email: 'ada@acme.test', email_verified: true },
        { email: 'bob@acme.test', email_verified: true },
      ],
    },
  });
  const open = browse(emulator);
  const signIn = async (email: string) => {
    const { params, cookie } = await open('/user_management/authorize', { ...url, login_hint: email });
    const { body } = await grant('authorization_code', { code: params.code });
    return {
      cookie: cookie!,
      sessionId: String(claimsOf(body.access_token).sid),
      refreshToken: body.refresh_token as string,
    };
  };
  const isAsked = async (cookie: string) =>
    (await open('/user_management/authorize', url, { cookie })).location?.pathname === '/hosted/sign-in';
  return { emulator, send, open, signIn, refresh, isAsked, ...(await signIn('ada@acme.test')) };
}

describe('a sign-out', () => {
  test('ends the session, signs the browser out, and redirects to an allowed return_to', async () => {
    const { send, open, refresh, isAsked, cookie, sessionId, refreshToken } = await signedIn();

    const answer = await open(logout, { session_id: sessionId, return_to: home }, { cookie });

    expect([answer.status, answer.location?.href]).toEqual([302, home]);
    expect(answer.headers.get('set-cookie')).toBe(
      'sallyport-emulator-browser=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    );
    expect(await refresh(refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await isAsked(cookie)).toBe(true);
    const { data } = (await send('GET /events?events=session.revoked')).body;
    expect(data).toMatchObject([{ data: { id: sessionId, status: 'revoked' } }]);
  });

  test('shows an emulator page if the request has no return_to', async () => {
    const { open, refresh, sessionId, refreshToken } = await signedIn();

    const { status, location, text } = await open(logout, { session_id: sessionId });

    expect([status, location]).toEqual([200, undefined]);
    expect(text).toContain('You have signed out');
    expect((await refresh(refreshToken)).status).toBe(400);
  });

  test.each([
    'https://evil.test/',
    `${home}elsewhere`,
    'javascript:alert(1)',
    '//evil.test',
    'https://app.acme.test@evil.test/',
  ])('ends the session, but does not redirect to the unregistered URL %s', async (returnTo) => {
    const { open, refresh, sessionId, refreshToken } = await signedIn();

    const { status, location, text } = await open(logout, { session_id: sessionId, return_to: returnTo });

    expect([status, location]).toEqual([200, undefined]);
    expect(text).toContain('not registered');
    expect((await refresh(refreshToken)).status).toBe(400);
  });

  test('succeeds for an unknown or ended session', async () => {
    const { open, refresh, isAsked, cookie, sessionId, refreshToken } = await signedIn();

    const unknown = await open(logout, { session_id: 'session_none', return_to: home }, { cookie });
    const stillThere = [await isAsked(cookie), (await refresh(refreshToken)).status];
    await open(logout, { session_id: sessionId });
    const again = await open(logout, { session_id: sessionId });

    expect([unknown.status, unknown.location?.href]).toEqual([302, home]);
    // Any site can make a browser follow such a link. Without a session id it ends nothing.
    expect(stillThere).toEqual([false, 200]);
    expect(again.status).toBe(200);
  });

  test('signs the browser out even if the server has already ended the session', async () => {
    const { emulator, send, open, isAsked, cookie, sessionId } = await signedIn();
    const { accessToken } = await emulator.signInAs('ada@acme.test');
    const other = String(claimsOf(accessToken).sid);

    // The server sends no cookie.
    const byServer = await open(logout, { session_id: other });
    const before = await isAsked(cookie);
    const byBrowser = await open(logout, { session_id: other, return_to: home }, { cookie });

    expect([byServer.status, before]).toEqual([200, false]);
    expect([byBrowser.status, byBrowser.location?.href]).toEqual([302, home]);
    expect(byBrowser.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await isAsked(cookie)).toBe(true);
    const { data } = (await send('GET /events?events=session.revoked')).body;
    expect(data.map((event: { data: { id: string } }) => event.data.id)).toEqual([other]);
    expect(sessionId).not.toBe(other);
  });

  test('does not sign the browser out if the session belongs to another user', async () => {
    const { open, signIn, isAsked, cookie } = await signedIn();
    const bob = await signIn('bob@acme.test');

    const answer = await open(logout, { session_id: bob.sessionId }, { cookie });

    expect(answer.headers.get('set-cookie')).toBeNull();
    expect([await isAsked(cookie), await isAsked(bob.cookie)]).toEqual([false, true]);
  });

  test('requires a session id', async () => {
    const { open, emulator } = await signedIn();

    expect((await open(logout, { return_to: home })).status).toBe(400);
    expect((await open(logout)).location).toBeUndefined();
    expect(emulator.served.get('userManagement.logout')).toBe(2);
  });
});
