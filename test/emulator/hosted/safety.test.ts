import { describe, expect, test } from 'vitest';
import { arrival, type Browser, home, hosted } from './hosted-browser.js';

const tokenOf = ({ html }: Browser): string => /name="authorization" value="([^"]*)"/.exec(html)![1]!;

describe('a second click', () => {
  test('on the same sign-in button redirects to the same URL if the code has not been redeemed', async () => {
    const { browser, authorize, redeem } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const second = browser.copy();

    await browser.press('Sign in', { password: 'correct horse' });
    await second.press('Sign in', { password: 'correct horse' });

    expect(second.left!.href).toBe(browser.left!.href);
    expect((await redeem()).status).toBe(200);
  });

  test("on the same sign-in button redirects to the same URL even before the first click's response arrives", async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const others = [browser, browser.copy(), browser.copy()];

    await Promise.all(others.map((one) => one.press('Sign in', { password: 'correct horse' })));

    expect(new Set(others.map(({ left }) => left?.href)).size).toBe(1);
    expect(arrival(browser)).toBe(home);
  });

  test('on the same sign-in button does not revoke the session of a redeemed code', async () => {
    const { browser, authorize, redeem, send } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const second = browser.copy();
    await browser.press('Sign in', { password: 'correct horse' });
    const { body } = await redeem();

    await second.press('Sign in', { password: 'correct horse' });

    expect([second.status, second.title]).toEqual([410, 'You have already finished']);
    await second.follow('Go to localhost:3000');
    expect(second.left!.href).toBe('http://localhost:3000/');
    const sessions = await send(`GET /user_management/users/${body.user.id}/sessions`);
    expect(sessions.body.data).toMatchObject([{ status: 'active' }]);
  });

  test.each([
    ['an emailed code', 'Email me a code', 'Continue'],
    ['a new account', undefined, 'Create account'],
  ])('on the button that submits %s redirects the browser to the application, too', async (_what, way, button) => {
    const { browser, authorize, codeTo } = await hosted({ requireEmailVerification: false });
    await authorize(way ? {} : { screen_hint: 'sign-up' });
    if (way) {
      await browser.press('Continue', { email: 'ada@example.com' });
      await browser.press(way);
    }
    const fields = way
      ? { code: codeTo('ada@example.com') }
      : { email: 'grace@example.com', password: 'battery staple' };
    const second = browser.copy();

    await Promise.all([browser.press(button, fields), second.press(button, fields)]);

    expect([arrival(browser), arrival(second)]).toEqual([home, home]);
  });

  test.each([
    ['a new account', { screen_hint: 'sign-up' }, 'Create account'],
    ['an emailed code', {}, 'Continue'],
  ])('on the button that submits %s shows the next sign-in step, too', async (_what, params, button) => {
    const { browser, authorize, codeTo, organization, ada } = await hosted();
    await organization('Acme', {}, ada.id);
    await organization('Globex', {}, ada.id);
    await authorize(params);
    if (button === 'Continue') {
      await browser.press('Continue', { email: 'ada@example.com' });
      await browser.press('Email me a code');
    }
    const fields =
      button === 'Continue'
        ? { code: codeTo('ada@example.com') }
        : { email: 'grace@example.com', password: 'battery staple' };
    const second = browser.copy();

    await Promise.all([browser.press(button, fields), second.press(button, fields)]);

    const next = button === 'Continue' ? 'Choose an organization' : 'Verify your email address';
    expect([browser.title, second.title]).toEqual([next, next]);
  });

  test('on "Cancel" redirects to the same URL', async () => {
    const { browser, authorize } = await hosted();
    await authorize({ provider: 'GoogleOAuth' });
    const second = browser.copy();

    await browser.press('Cancel');
    await second.press('Cancel');

    expect([arrival(browser), arrival(second)]).toEqual([
      'http://localhost:3000/callback access_denied back to work',
      'http://localhost:3000/callback access_denied back to work',
    ]);
  });
});

describe('going back', () => {
  test('to the first page allows another user to sign in', async () => {
    const { browser, authorize, user, redeem, organization, ada } = await hosted();
    await organization('Acme', {}, ada.id);
    await organization('Globex', {}, ada.id);
    const grace = await user({ email: 'grace@example.com', password: 'battery staple', email_verified: true });
    await authorize();
    const first = browser.copy();
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });

    await first.open(first.url);
    await first.press('Continue', { email: 'grace@example.com' });
    await first.press('Sign in', { password: 'battery staple' });

    expect([browser.title, arrival(first)]).toEqual(['Choose an organization', home]);
    browser.left = first.left;
    expect((await redeem()).body.user.id).toBe(grace.id);
  });

  test('to a finished step continues the sign-in', async () => {
    const { browser, authorize, codeTo } = await hosted();
    await authorize({ screen_hint: 'sign-up' });
    await browser.press('Create account', { email: 'grace@example.com', password: 'battery staple' });
    const back = browser.copy();
    const code = codeTo('grace@example.com');

    await browser.press('Verify', { code });
    await back.press('Verify', { code });

    expect([arrival(browser), arrival(back)]).toEqual([home, home]);
  });

  test('to a page of a finished sign-in shows a notice with a link to the application', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    const { url } = browser;
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });

    await browser.open(url);

    expect([browser.status, browser.title]).toEqual([410, 'You have already finished']);
    expect(browser.html).toContain('<a href="http://localhost:3000/">Go to localhost:3000</a>');
  });
});

describe('a hosted sign-in page', () => {
  test('expires after half an hour, and then links to the application', async () => {
    const { browser, authorize, emulator } = await hosted();
    await authorize();
    await emulator.clock.advance('30m');

    await browser.press('Continue', { email: 'ada@example.com' });

    expect([browser.status, browser.title]).toEqual([410, 'This sign-in has expired']);
    await browser.follow('Go to localhost:3000');
    expect(browser.left!.href).toBe('http://localhost:3000/');
  });

  test.each([
    'code',
    'mfa-enrollment',
    'forgot-password',
    'identity-provider',
    'organization-selection',
    'authentication-methods',
    'provider',
    'mfa-challenge',
    'sign-in',
    'sign-up',
    'sso',
    'email-verification',
  ])('at /hosted/%s returns 404 without a valid authorization token', async (name) => {
    const { browser, emulator, authorize } = await hosted();
    await authorize();
    const form_token = browser.value('form_token')!;

    await browser.open(`${emulator.url}/hosted/${name}`);
    const firstAnswer = [browser.status, browser.title];
    await browser.post(`${emulator.url}/hosted/${name}`, new URLSearchParams({ authorization: 'guessed', form_token }));

    expect(firstAnswer).toEqual([404, 'Sign-in not found']);
    expect([browser.status, browser.title]).toEqual([404, 'Sign-in not found']);
  });

  test('ignores an authorization token in the query string of a POST request', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const url = `${browser.url.split('?')[0]}?authorization=${tokenOf(browser)}`;

    const form_token = browser.value('form_token')!;

    await browser.post(url, new URLSearchParams({ email: 'ada@example.com', password: 'correct horse', form_token }));

    expect(browser.status).toBe(404);
  });

  test.each([
    'code',
    'mfa-enrollment',
    'organization-selection',
    'authentication-methods',
    'mfa-challenge',
    'email-verification',
  ])('at /hosted/%s cannot be opened before the preceding steps are complete', async (name) => {
    const { browser, authorize } = await hosted();
    await authorize();

    await browser.open(browser.url.replace('/sign-in', `/${name}`));

    expect([browser.status, browser.title]).toEqual([200, 'Sign in']);
  });

  test('runs no script, is not cached, and sends no referrer to other sites', async () => {
    const { browser, authorize } = await hosted();

    await authorize();

    const policy = browser.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('script-src');
    expect(browser.headers.get('cache-control')).toBe('no-store');
    expect(browser.headers.get('referrer-policy')).toBe('same-origin');
    expect(browser.html).not.toMatch(/<script|\son[a-z]+=|javascript:/i);
  });

  test.each([
    ['http://localhost:3000/callback', 'http://localhost:* https://localhost:*'],
    ['https://app.acme.test/callback', 'https:'],
    ['http://[::1]:3000/callback', 'http:'],
  ])('with the redirect URI %s limits form redirects to the CSP sources "%s"', async (uri, targets) => {
    const { browser, authorize, emulator } = await hosted();
    await emulator.addRedirectUri(uri);

    await authorize({ redirect_uri: uri });

    const [, sources] = /form-action ([^;]*)/.exec(browser.headers.get('content-security-policy')!)!;
    expect(sources!.startsWith(`'self' ${targets}`)).toBe(true);
  });

  test('escapes untrusted input', async () => {
    const { browser, authorize, organization, ada } = await hosted();
    await organization('<img src=x onerror=alert(1)>', {}, ada.id);
    await organization('Globex', {}, ada.id);
    await authorize({ login_hint: '"><script>alert(2)</script>' });
    const hinted = browser.html;
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });

    expect(hinted).not.toContain('<script');
    expect(browser.html).not.toContain('<img');
    expect(browser.buttons).toContain('<img src=x onerror=alert(1)>');
  });

  test('offers a link to start again if the user is deleted during the sign-in', async () => {
    const { browser, authorize, organization, ada, send } = await hosted();
    await organization('Acme', {}, ada.id);
    await organization('Globex', {}, ada.id);
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });
    await send(`DELETE /user_management/users/${ada.id}`);

    await browser.press('Acme');

    expect([browser.status, browser.title]).toEqual([404, 'That did not work']);
    await browser.follow('Start again');
    expect([browser.status, browser.title]).toEqual([200, 'Sign in']);
  });
});
