import { describe, expect, test } from 'vitest';
import { arrival, Browser, home, hosted } from './hosted-browser.js';

const formToken = (browser: Browser): string => browser.value('form_token')!;

describe('a hosted sign-in', () => {
  test('shows no details to a browser that did not start the sign-in', async () => {
    const { emulator, browser, authorize } = await hosted();
    await authorize({ login_hint: 'ada@example.com' });
    const stranger = new Browser(emulator);

    await stranger.open(browser.url);

    expect([stranger.status, stranger.title]).toEqual([403, 'This sign-in began in another browser']);
    expect(stranger.html).not.toContain('ada@example.com');
    expect(stranger.html).not.toContain('localhost:3000');
    expect(stranger.headers.get('cache-control')).toBe('no-store');
  });

  test('cannot be continued in a second browser, even with copied form fields', async () => {
    const { emulator, browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const fields = { email: 'ada@example.com', password: 'correct horse' };
    const authorization = browser.value('authorization')!;
    const stranger = new Browser(emulator);
    await stranger.open(`${emulator.url}/user_management/authorize${new URL(browser.url).search}`);

    await stranger.post(browser.url, new URLSearchParams({ ...fields, authorization, form_token: formToken(browser) }));

    expect([stranger.status, stranger.title]).toEqual([403, 'This form is not valid']);
    await browser.press('Sign in', fields);
    expect(arrival(browser)).toBe(home);
  });

  test('does not send the authorization code to a second browser that has a valid form token', async () => {
    const { emulator, browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const authorization = browser.value('authorization')!;
    await browser.press('Sign in', { password: 'correct horse' });
    const stranger = new Browser(emulator);
    const query = { response_type: 'code', client_id: emulator.credentials.clientId, provider: 'hosted-login' };
    const redirect_uri = 'http://localhost:3000/callback';
    await stranger.open(`${emulator.url}/user_management/authorize?${new URLSearchParams({ ...query, redirect_uri })}`);

    await stranger.post(
      `${emulator.url}/hosted/authentication-methods`,
      new URLSearchParams({ authorization, form_token: formToken(stranger) }),
    );

    expect([stranger.status, stranger.title, stranger.left]).toEqual([
      403,
      'This sign-in began in another browser',
      undefined,
    ]);
    expect(browser.left!.searchParams.get('code')).toBeTruthy();
  });

  test('can run in two tabs of one browser at the same time', async () => {
    const { emulator } = await hosted();
    const [one, other] = [new Browser(emulator), new Browser(emulator)];
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: emulator.credentials.clientId,
      redirect_uri: 'http://localhost:3000/callback',
      state: 'back to work',
      provider: 'hosted-login',
    });
    const url = `${emulator.url}/user_management/authorize?${query}`;
    await one.open(url);
    await other.open(url);
    one.shareCookiesWith(other);

    for (const tab of [one, other]) {
      await tab.press('Continue', { email: 'ada@example.com' });
      await tab.press('Sign in', { password: 'correct horse' });
    }

    expect([arrival(one), arrival(other)]).toEqual([home, home]);
  });
});

describe('a hosted form', () => {
  const forgery = 'This form is not valid';

  test.each([
    ['without a form token', () => ({})],
    ['with an empty form token', () => ({ form_token: '' })],
    ['with the form token of another browser', (other: Browser) => ({ form_token: formToken(other) })],
  ])('for accepting an invitation is rejected %s', async (_how, fields) => {
    const { emulator, send, browser } = await hosted();
    await send('POST /user_management/invitations', { email: 'grace@example.com' });
    const { url, token } = emulator.inbox.latest()!;
    const other = new Browser(emulator);
    await Promise.all([browser, other].map((one) => one.open(url!)));

    await browser.post(url!, new URLSearchParams({ token: token!, ...fields(other) }));

    expect([browser.status, browser.title]).toEqual([403, forgery]);
    expect(browser.text).toContain('reload the page');
    await browser.open(url!);
    await browser.press('Accept');
    expect(browser.title).toBe('Invitation accepted');
  });

  test('for a password change or a sign-in is rejected without a form token', async () => {
    const { emulator, browser, authorize } = await hosted({
      seed: { connections: [{ id: 'conn_own', connection_type: 'GenericSAML' }] },
    });
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.follow('Forgot your password?');
    await browser.press('Send link');
    const { url, token } = emulator.inbox.latest()!;
    await browser.open(url!);
    await browser.post(
      url!,
      new URLSearchParams({ token: token!, password: 'battery staple', again: 'battery staple' }),
    );
    const changed = browser.title;
    await authorize({ connection: 'conn_own' }, '/sso/authorize');
    const authorization = browser.value('authorization')!;
    await browser.post(browser.url, new URLSearchParams({ authorization, email: 'ada@example.com' }));

    expect([changed, browser.title]).toEqual([forgery, forgery]);
  });

  test('always contains a form token', async () => {
    const { browser, authorize } = await hosted();

    await authorize();

    const forms = browser.html.match(/<form /g)!.length;
    expect(browser.html.match(/name="form_token" value="[0-9a-f-]{36}"/g)).toHaveLength(forms);
  });
});
