import { InvalidArgumentError } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { application } from './application.js';

describe('a sign-out', () => {
  test("redirects to the service's logout URL, and clears the cookie", async () => {
    const { signIn, sessions, browser, emulator } = await application();
    const finished = await signIn();
    const { sessionId } = finished.status === 'signed_in' ? finished.session : { sessionId: '' };

    const out = await sessions.signOut(browser.request, { returnTo: 'http://localhost:3000/bye?a=b&c=d' });

    expect(out).toMatchObject({
      status: 'redirect',
      session: null,
      location: `${emulator.url}/user_management/sessions/logout?session_id=${sessionId}&return_to=http%3A%2F%2Flocalhost%3A3000%2Fbye%3Fa%3Db%26c%3Dd`,
    });
    expect(out.headers.get('location')).toBe(out.location);
    expect(out.headers.get('cache-control')).toBe('no-store');
    browser.keep(out.headers);
    expect(browser.names).toEqual([]);
  });

  test('ends the session at the service, which then rejects the refresh token', async () => {
    const { signIn, sessions, browser, emulator } = await application();
    await signIn();
    const stolen = browser.copy();

    const { location } = await sessions.signOut(browser.request, { returnTo: 'http://localhost:3000/' });
    const response = await emulator.fetch(location, { redirect: 'manual' });

    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://localhost:3000/']);
    // Until then, this process refuses the session without asking.
    await emulator.clock.advance('11m');
    expect(await sessions.handle(stolen.request)).toMatchObject({
      status: 'signed_out',
      reason: 'invalid_grant',
    });
  });

  test("ends an expired session even if the service's keys are unavailable", async () => {
    const { signIn, sessions, browser, emulator } = await application();
    await signIn();
    await emulator.clock.advance('2d');
    await emulator.close();

    const out = await sessions.signOut(browser.request);

    expect(out.location).toMatch(/\/user_management\/sessions\/logout\?session_id=session_\w+$/);
  });

  test("clears every chunk of a large session cookie, and an unchunked cookie with the session cookie's name", async () => {
    const { sallyport, signIn, sessions, browser } = await application();
    const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`note_${at}`, 'x'.repeat(500)]));
    await sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true, metadata });
    await signIn();
    expect(browser.names).toEqual(['sallyport-session.0', 'sallyport-session.1', 'sallyport-session.2']);

    const out = await sessions.signOut(browser.request);

    expect(out.location).toContain('session_id=session_');
    expect(out.headers.getSetCookie().map((line) => line.split('=')[0])).toEqual([
      'sallyport-session',
      'sallyport-session.0',
      'sallyport-session.1',
      'sallyport-session.2',
    ]);
    browser.keep(out.headers);
    expect(browser.names).toEqual([]);
  });

  test('does not affect pending sign-ins', async () => {
    const { signIn, start, approve, finish, sessions, browser } = await application();
    await signIn();
    const url = await approve(await start());

    browser.keep((await sessions.signOut(browser.request)).headers);

    expect(await finish(url)).toMatchObject({ status: 'signed_in' });
  });
});

describe('a sign-out without a valid session', () => {
  test('clears no cookie if the request has no session cookie', async () => {
    const { sessions } = await application();

    const out = await sessions.signOut(
      { headers: { cookie: 'theme=dark' } },
      { returnTo: 'https://app.example.com/bye' },
    );

    expect(out.location).toBe('https://app.example.com/bye');
    expect(out.headers.getSetCookie()).toEqual([]);
  });

  test.each([
    ['forged cookies', { cookie: 'sallyport-session=Fe26.2*1*a*b*c*d*e*f~2' }],
    ['malformed cookies', { cookie: 'sallyport-session=%; sallyport-session.0=2~x' }],
  ])('redirects to returnTo and clears %s', async (_, headers) => {
    const { sessions } = await application();

    const out = await sessions.signOut({ headers }, { returnTo: 'https://app.example.com/bye' });

    expect(out.location).toBe('https://app.example.com/bye');
    for (const line of out.headers.getSetCookie())
      expect(line).toMatch(/^sallyport-session(\.0)?=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/);
    expect(out.headers.getSetCookie()).toHaveLength(2);
  });

  test('redirects to the start page if returnTo is missing', async () => {
    const { sessions } = await application();

    expect(await sessions.signOut({ headers: {} })).toMatchObject({ status: 'redirect', location: '/' });
  });
});

test.each(['/bye', '//other.test', 'javascript:alert(1)', 'app.example.com', ''])(
  'signOut() rejects the returnTo %j, which is not an absolute HTTP URL',
  async (returnTo) => {
    const { sessions } = await application();

    await expect(sessions.signOut({ headers: {} }, { returnTo })).rejects.toSatisfy(
      (error) => error instanceof InvalidArgumentError && error.argument === 'returnTo',
    );
  },
);
