import { describe, expect, test } from 'vitest';
import { arrival, home, hosted } from './hosted-browser.js';

describe('a hosted sign-in with a password', () => {
  test('asks for the email address and the password, and redirects with a valid code', async () => {
    const { browser, authorize, redeem, ada } = await hosted();

    await authorize();
    const first = browser.title;
    await browser.press('Continue', { email: 'ada@example.com' });
    const second = browser.title;
    await browser.press('Sign in', { password: 'correct horse' });
    const { status, body } = await redeem();

    expect([first, second, arrival(browser)]).toEqual(['Sign in', 'Enter your password', home]);
    expect([status, body.user.id]).toEqual([200, ada.id]);
  });

  test('fills in the email address from login_hint', async () => {
    const { browser, authorize } = await hosted();

    await authorize({ login_hint: 'ada@example.com' });

    expect(browser.value('email')).toBe('ada@example.com');
  });

  test.each([
    ['a wrong password', 'ada@example.com', 'wrong horse'],
    ['an unknown address', 'nobody@example.com', 'correct horse'],
  ])(
    'shows the error "Wrong email address or password" for %s, and clears only the password',
    async (_what, email, password) => {
      const { browser, authorize } = await hosted();
      await authorize();
      await browser.press('Continue', { email });

      await browser.press('Sign in', { password });

      expect([browser.status, browser.title]).toEqual([422, 'Enter your password']);
      expect(browser.errors).toEqual(['Wrong email address or password.']);
      expect(browser.value('email')).toBe(email);
      expect(browser.html).not.toContain(password);
      expect(browser.html).toContain('<title>Error: Enter your password</title>');
    },
  );

  test('shows the same page for known and unknown addresses', async () => {
    const { browser, authorize } = await hosted();

    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const known = browser.text.replaceAll('ada@example.com', '');
    await authorize();
    await browser.press('Continue', { email: 'nobody@example.com' });

    expect(browser.text.replaceAll('nobody@example.com', '')).toBe(known);
  });

  test.each([
    ['', 'Enter your email address.'],
    ['ada', 'Enter a full email address, such as ada@example.com.'],
  ])('rejects the invalid address %j', async (email, message) => {
    const { browser, authorize } = await hosted();
    await authorize();

    await browser.press('Continue', { email });

    expect([browser.status, browser.errors, browser.value('email')]).toEqual([422, [message], email]);
  });

  test('rejects a missing password', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });

    await browser.press('Sign in');

    expect([browser.status, browser.errors]).toEqual([422, ['Enter your password.']]);
  });

  test('marks the invalid field for screen readers', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });

    await browser.press('Sign in', { password: 'wrong horse' });

    const field = /<input id="password"[^>]*>/.exec(browser.html)![0];
    expect(field).toContain('aria-invalid="true"');
    expect(field).toContain('aria-describedby="password-wrong"');
    expect(field).toContain('autofocus');
    expect(field).toContain('autocomplete="current-password"');
    expect(browser.html).toContain('id="password-wrong"');
  });

  test('shows an error message only once', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });

    await browser.press('Sign in', { password: 'wrong horse' });

    expect(browser.text.split('Wrong email address or password.')).toHaveLength(2);
    expect(browser.text).not.toContain('That did not work');
  });

  test('lets the browser skip the sign-in page the next time', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });

    await authorize();

    expect(arrival(browser)).toBe(home);
  });
});

describe('a hosted sign-up', () => {
  test('creates a user, verifies the email address, and redirects to the application', async () => {
    const { browser, authorize, redeem, codeTo } = await hosted();

    await authorize({ screen_hint: 'sign-up' });
    await browser.press('Create account', {
      email: 'grace@example.com',
      first_name: 'Grace',
      last_name: 'Hopper',
      password: 'battery staple',
    });
    const asked = browser.title;
    await browser.press('Verify', { code: codeTo('grace@example.com') });

    expect([asked, arrival(browser)]).toEqual(['Verify your email address', home]);
    expect((await redeem()).body.user).toMatchObject({
      email: 'grace@example.com',
      first_name: 'Grace',
      last_name: 'Hopper',
      email_verified: true,
    });
  });

  test.each([
    [{ email: 'grace@example.com', password: 'short' }, ['Choose a password of 8 to 72 characters.']],
    [{ email: 'grace@example.com', password: '' }, ['Choose a password.']],
    [{ email: 'grace', password: '' }, ['Enter a full email address, such as ada@example.com.', 'Choose a password.']],
    [
      { email: 'ada@example.com', password: 'battery staple' },
      ['An account with this address already exists. Sign in instead.'],
    ],
  ])('with the invalid input %j shows errors and clears only the password', async (fields, errors) => {
    const { browser, authorize } = await hosted();
    await authorize({ screen_hint: 'sign-up' });

    await browser.press('Create account', { ...fields, first_name: 'Grace' });

    expect([browser.status, browser.errors]).toEqual([422, errors]);
    expect([browser.value('email'), browser.value('first_name')]).toEqual([fields.email, 'Grace']);
    expect(browser.value('password')).toBe('');
  });

  test('is denied if sign-up is off', async () => {
    const { browser, authorize } = await hosted({ allowSignUp: false });

    await authorize();
    const offered = browser.text.includes('Create an account');
    await authorize({ screen_hint: 'sign-up' });

    expect([offered, browser.status, browser.title]).toEqual([false, 403, 'By invitation only']);
  });

  test('accepts only the newest code after the user requests a new code', async () => {
    const { browser, authorize, codeTo } = await hosted();
    await authorize({ screen_hint: 'sign-up' });
    await browser.press('Create account', { email: 'grace@example.com', password: 'battery staple' });
    const earlier = codeTo('grace@example.com');

    await browser.press('Send a new code');
    await browser.press('Verify', { code: earlier });
    const late = browser.errors;
    await browser.press('Verify', { code: codeTo('grace@example.com') });

    expect(late).toEqual(['This code is wrong. Use the latest one.']);
    expect(arrival(browser)).toBe(home);
  });
});

describe('a hosted sign-in with an emailed code', () => {
  /** Opens a browser at the page that asks for the code. */
  async function asked(email = 'ada@example.com', options = {}) {
    const visit = await hosted(options);
    await visit.authorize();
    await visit.browser.press('Continue', { email });
    await visit.browser.press('Email me a code');
    return visit;
  }

  test('redirects to the application after the code is entered', async () => {
    const { browser, redeem, codeTo, ada } = await asked();

    await browser.press('Continue', { code: codeTo('ada@example.com') });

    expect(arrival(browser)).toBe(home);
    expect((await redeem()).body.user.id).toBe(ada.id);
  });

  test('accepts a code with spaces', async () => {
    const { browser, codeTo } = await asked();

    await browser.press('Continue', { code: ` ${codeTo('ada@example.com').replace(/(...)/, '$1 ')} ` });

    expect(arrival(browser)).toBe(home);
  });

  test('creates a user for a new address', async () => {
    const { browser, redeem, codeTo } = await asked('grace@example.com');

    await browser.press('Continue', { code: codeTo('grace@example.com') });

    expect((await redeem()).body.user).toMatchObject({ email: 'grace@example.com', email_verified: true });
  });

  test('does not show the code, but links to the inbox that contains it', async () => {
    const { browser, codeTo } = await asked();

    expect(browser.html).not.toContain(codeTo('ada@example.com'));
    await browser.follow('inbox');
    expect([browser.title, browser.text.includes(codeTo('ada@example.com'))]).toEqual(['Inbox', true]);
  });

  test('asks for the code in a field with a numeric keyboard and autofill', async () => {
    const { browser } = await asked();

    const field = /<input id="code"[^>]*>/.exec(browser.html)![0];
    expect(field).toContain('autocomplete="one-time-code"');
    expect(field).toContain('inputmode="numeric"');
  });

  test.each([
    ['', 'Enter the six digits of the code.'],
    ['12345', 'Enter the six digits of the code.'],
    ['000000', 'This code is wrong. Use the latest one.'],
  ])('shows an error if the code is %j', async (code, message) => {
    const { browser } = await asked();

    await browser.press('Continue', { code });

    expect([browser.status, browser.title, browser.errors]).toEqual([422, 'Check your email', [message]]);
  });

  test('reports that the code has expired, and can send a new code', async () => {
    const { browser, emulator, codeTo } = await asked();
    await emulator.clock.advance('10m');

    await browser.press('Continue', { code: codeTo('ada@example.com') });
    const late = browser.errors;
    await browser.press('Send a new code');
    await browser.press('Continue', { code: codeTo('ada@example.com') });

    expect([late, arrival(browser)]).toEqual([['This code has expired. Send a new one.'], home]);
  });

  test('shows an error after too many wrong codes', async () => {
    const { browser, codeTo } = await asked();
    for (let i = 0; i < 5; i++) await browser.press('Continue', { code: '000000' });

    await browser.press('Continue', { code: codeTo('ada@example.com') });

    expect(browser.errors).toEqual(['Too many wrong codes. Send a new one.']);
  });

  test('does not reveal existing accounts if sign-up is off', async () => {
    const known = await asked('ada@example.com', { allowSignUp: false });
    const unknown = await asked('nobody@example.com', { allowSignUp: false });

    expect(unknown.browser.text.replaceAll('nobody', 'ada')).toBe(known.browser.text);
    expect(unknown.emulator.inbox.to('nobody@example.com')).toEqual([]);
    await unknown.browser.press('Continue', { code: '123456' });
    expect(unknown.browser.errors).toEqual(['This code is wrong. Use the latest one.']);
  });
});

describe('a hosted password reset', () => {
  /** Opens a browser that has asked for the link. */
  async function asked(email = 'ada@example.com') {
    const visit = await hosted();
    await visit.authorize();
    await visit.browser.press('Continue', { email });
    await visit.browser.follow('Forgot your password?');
    await visit.browser.press('Send link');
    return visit;
  }

  test('emails a link that allows the user to choose a new password', async () => {
    const { browser, emulator } = await asked();
    const answer = browser.text;
    const back = browser.copy();

    await browser.open(emulator.inbox.latest('ada@example.com')!.url!);
    await browser.press('Change password', { password: 'battery staple', again: 'battery staple' });
    const changed = browser.title;
    await back.follow('Back to sign-in');
    await back.press('Sign in', { password: 'battery staple' });

    expect(answer).toContain('a link for choosing a new password is on its way');
    expect([changed, arrival(back)]).toEqual(['Your password has been changed', home]);
  });

  test('shows the same page for a known and an unknown address', async () => {
    const known = await asked();
    const unknown = await asked('nobody@example.com');

    expect(unknown.browser.text.replaceAll('nobody', 'ada')).toBe(known.browser.text);
    expect(unknown.emulator.inbox.messages).toEqual([]);
  });

  test.each([
    [{ password: '', again: '' }, 'Choose a password.'],
    [{ password: 'short', again: 'short' }, 'Choose a password of 8 to 72 characters.'],
    [{ password: 'battery staple', again: 'battery stable' }, 'The two passwords are not the same.'],
  ])('rejects the passwords %j, and keeps the link valid', async (fields, message) => {
    const { browser, emulator } = await asked();
    await browser.open(emulator.inbox.latest('ada@example.com')!.url!);

    await browser.press('Change password', fields);
    const { status, errors, html } = browser.copy();
    const wrong = browser.errors;
    await browser.press('Change password', { password: 'battery staple', again: 'battery staple' });

    expect([status, wrong, errors]).toEqual([422, [message], [message]]);
    expect(html).not.toContain('battery stable');
    expect(browser.title).toBe('Your password has been changed');
  });

  test('emails a link that works once, expires after an hour, and has only a token in the query string', async () => {
    const { browser, emulator } = await asked();
    const { url } = emulator.inbox.latest('ada@example.com')!;
    await browser.open(url!);
    const form = browser.copy();

    await browser.press('Change password', { password: 'battery staple', again: 'battery staple' });
    await form.press('Change password', { password: 'another one', again: 'another one' });
    const used = [form.status, form.title];
    await browser.open(url!);

    expect([...new URL(url!).searchParams.keys()]).toEqual(['token']);
    expect(used).toEqual([404, 'This link does not work']);
    expect([browser.status, browser.title]).toEqual([404, 'This link does not work']);
    const late = await asked();
    await late.emulator.clock.advance('1h');
    await late.browser.open(late.emulator.inbox.latest('ada@example.com')!.url!);
    expect([late.browser.status, late.browser.title]).toEqual([410, 'This link has expired']);
  });
});
