import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import type { FactorSeed } from '../../../src/emulator/index.js';
import { arrival, home, hosted } from './hosted-browser.js';

type Made = Awaited<ReturnType<typeof hosted>>;

const signIn = async ({ browser, authorize }: Made, params: Readonly<Record<string, string>> = {}) => {
  await authorize(params);
  await browser.press('Continue', { email: 'ada@example.com' });
  await browser.press('Sign in', { password: 'correct horse' });
};

/** Returns the code of an authenticator app a number of 30-second steps from now. */
const codeShown = ({ emulator }: Made, secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: emulator.clock.now() + steps * 30_000 });

describe('a second factor', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

  /** Signs Ada in with her password and these factors, up to the next page. */
  async function asked(...factors: readonly FactorSeed[]) {
    const made = await hosted({
      seed: {
        users: [{ email: 'ada@example.com', password: 'correct horse', email_verified: true, auth_factors: factors }],
      },
    });
    await signIn(made);
    return made;
  }
  const app: FactorSeed = { type: 'totp', totp_secret: secret };
  const phone: FactorSeed = { type: 'sms', phone_number: '+15005550006' };

  test('from an authenticator app completes the sign-in', async () => {
    const made = await asked(app);
    const title = made.browser.title;

    await made.browser.press('Continue', { code: codeShown(made, secret) });

    expect([title, arrival(made.browser)]).toEqual(['Verify your identity', home]);
    expect((await made.redeem()).status).toBe(200);
  });

  test('from an authenticator app is refused if its code is wrong, old or used', async () => {
    const made = await asked(app);
    const { browser } = made;
    const errors: unknown[] = [];

    await browser.press('Continue', { code: '12' });
    errors.push([browser.status, browser.errors]);
    await browser.press('Continue', { code: codeShown(made, secret, -3) });
    errors.push([browser.status, browser.errors]);
    const code = codeShown(made, secret);
    await browser.press('Continue', { code });
    await signIn(made, { prompt: 'login' });
    await browser.press('Continue', { code });
    errors.push([browser.status, browser.errors]);

    const wrong = [422, ['This code is wrong. Codes work once: use the latest one.']];
    expect(errors).toEqual([[422, ['Enter the six digits of the code.']], wrong, wrong]);
  });

  test('by text message is sent once, even if the page is reloaded', async () => {
    const made = await asked(phone);
    const { browser, emulator } = made;

    await browser.open(browser.url);

    expect(emulator.inbox.to('+15005550006')).toMatchObject([{ kind: 'mfa_sms' }]);
    expect(browser.text).toContain('to the number ending in 06');
    expect(browser.text).not.toContain('50055500');
    await browser.press('Continue', { code: made.codeTo('+15005550006') });
    expect(arrival(browser)).toBe(home);
  });

  test('by text message expires, and can be sent again, which replaces the code', async () => {
    const made = await asked(phone);
    const { browser, emulator } = made;
    await emulator.clock.advance('10m');

    await browser.press('Continue', { code: made.codeTo('+15005550006') });
    const late = browser.errors;
    await browser.press('Send a new code');
    const earlier = made.codeTo('+15005550006');
    await browser.press('Send a new code');
    await browser.press('Continue', { code: earlier });
    const wrong = browser.errors;
    await browser.press('Continue', { code: made.codeTo('+15005550006') });

    expect(late).toEqual(['This code has expired. Send a new one.']);
    expect(wrong).toEqual(['This code is wrong. Codes work once: use the latest one.']);
    expect(arrival(browser)).toBe(home);
  });

  test('can be chosen from several, and changed afterwards', async () => {
    const made = await asked(app, phone);
    const { browser, emulator } = made;
    const choices = [browser.title, ...browser.buttons];

    await browser.press('Text message');
    const sent = emulator.inbox.to('+15005550006').length;
    await browser.press('Use another method');
    await browser.press('Authenticator app');
    await browser.press('Continue', { code: codeShown(made, secret) });

    expect(choices).toEqual([
      'Choose a verification method',
      'Authenticator app Sallyport emulator',
      'Text message to the number ending in 06',
    ]);
    expect([sent, arrival(browser)]).toEqual([1, home]);
  });

  test('cannot be guessed: after five wrong codes the user must sign in again', async () => {
    const made = await asked(app);
    const { browser } = made;
    for (let i = 0; i < 5; i++) await browser.press('Continue', { code: '000000' });

    await browser.press('Continue', { code: codeShown(made, secret) });
    const refused = browser.title;
    await browser.follow('Sign in again');
    const again = browser.title;
    await browser.press('Continue');
    await browser.press('Sign in', { password: 'correct horse' });
    await browser.press('Continue', { code: codeShown(made, secret) });

    expect([refused, again, arrival(browser)]).toEqual(['Too many wrong codes', 'Sign in', home]);
  });

  test.each([
    ['asks for another challenge', { way: 'again' }],
    ['chooses the same factor again', { factor: 'auth_factor_app' }],
    ['goes back to the password and signs up', { email: 'ada@example.com', password: 'correct horse' }],
  ])('cannot be guessed by an attacker who %s before every guess', async (_what, fields) => {
    const made = await asked({ id: 'auth_factor_app', ...app });
    const { browser, emulator } = made;
    const authorization = new URL(browser.url).searchParams.get('authorization')!;
    const form_token = browser.value('form_token')!;
    const page = 'email' in fields ? 'sign-up' : 'mfa-challenge';
    for (let i = 0; i < 5; i++) {
      await browser.post(
        `${emulator.url}/hosted/${page}`,
        new URLSearchParams({ authorization, form_token, ...fields }),
      );
      await browser.press('Continue', { code: '000000' });
    }

    await browser.press('Continue', { code: codeShown(made, secret) });

    expect([browser.title, browser.left]).toEqual(['Too many wrong codes', undefined]);
  });

  test('cannot be bypassed through another page', async () => {
    const made = await asked(app);
    const { browser } = made;

    await browser.open(browser.url.replace('mfa-challenge', 'organization-selection'));
    const organization = browser.title;
    await browser.open(browser.url.replace('mfa-challenge', 'mfa-enrollment'));

    expect([organization, browser.title]).toEqual(['Verify your identity', 'Verify your identity']);
    expect(browser.left).toBeUndefined();
  });
});

describe('the enrollment of a second factor', () => {
  /** Signs Ada in up to the page for the enrollment. */
  async function asked() {
    const made = await hosted({ requireMfa: true });
    await signIn(made);
    return made;
  }
  const secretOn = ({ browser }: Made): string =>
    /<code class="secret">(.*?)<\/code>/.exec(browser.html)![1]!.replaceAll(' ', '');

  test('shows a QR code and the key as text, and ends with the first right code', async () => {
    const made = await asked();
    const { browser, send, ada } = made;
    const [title, picture] = [browser.title, /<img [^>]*>/.exec(browser.html)![0]];
    const before = await send(`GET /user_management/users/${ada.id}/auth_factors`);

    await browser.press('Turn on', { code: codeShown(made, secretOn(made)) });

    expect(title).toBe('Set up two-step verification');
    expect(picture).toContain('src="data:image/png;base64,');
    expect(picture).toContain('alt="QR code');
    expect(browser.headers.get('content-security-policy')).toContain('img-src data:');
    expect(before.body.data).toEqual([]);
    expect(arrival(browser)).toBe(home);
    const after = await send(`GET /user_management/users/${ada.id}/auth_factors`);
    expect(after.body.data).toMatchObject([{ type: 'totp', userId: ada.id }]);
  });

  test('keeps its key after a wrong code or a reload', async () => {
    const made = await asked();
    const { browser } = made;
    const secret = secretOn(made);

    await browser.press('Turn on', { code: '000000' });
    const wrong = [browser.status, browser.errors, secretOn(made)];
    await browser.open(browser.url);

    expect(wrong).toEqual([422, ['This code is wrong. Codes work once: use the latest one.'], secret]);
    expect(secretOn(made)).toBe(secret);
  });

  test('uses a new key if another user signs in instead', async () => {
    const made = await asked();
    const { browser, user } = made;
    const secret = secretOn(made);
    await user({ email: 'grace@example.com', password: 'battery staple', email_verified: true });
    await browser.open(browser.url.replace('mfa-enrollment', 'sign-in'));

    await browser.press('Continue', { email: 'grace@example.com' });
    await browser.press('Sign in', { password: 'battery staple' });

    expect(browser.title).toBe('Set up two-step verification');
    expect(secretOn(made)).not.toBe(secret);
  });

  test('accepts a telephone instead of an app', async () => {
    const made = await asked();
    const { browser, send, ada } = made;

    await browser.press('Use text messages', { phone: '0500 555 0006' });
    const wrong = [browser.status, browser.errors];
    await browser.press('Use text messages', { phone: '+1 500 555 0006' });
    await browser.press('Turn on', { code: made.codeTo('+15005550006') });

    expect(wrong).toEqual([422, ['Enter the number with its country code, such as +15005550006.']]);
    expect(arrival(browser)).toBe(home);
    const { body } = await send(`GET /user_management/users/${ada.id}/auth_factors`);
    expect(body.data).toMatchObject([{ type: 'sms' }]);
  });

  test('shows an error at the top if the page has no field for it', async () => {
    const made = await asked();
    await made.browser.press('Use text messages', { phone: '+1 500 555 0006' });

    await made.browser.press('Turn on', { way: 'phone', phone: '0500 555 0006' });

    expect(made.browser.errors).toEqual(['Enter the number with its country code, such as +15005550006.']);
  });

  test('can return from the telephone to the app', async () => {
    const made = await asked();
    const { browser } = made;
    await browser.press('Use text messages', { phone: '+1 500 555 0006' });

    await browser.press('Use an authenticator app instead');
    await browser.press('Turn on', { code: codeShown(made, secretOn(made)) });

    expect(arrival(browser)).toBe(home);
  });
});

describe('the choice of an organization', () => {
  test('is offered to members of several, and sets the organization of the session', async () => {
    const made = await hosted();
    const { browser, organization, redeem, ada } = made;
    await organization('Acme', {}, ada.id);
    const globex = await organization('Globex', {}, ada.id);
    await signIn(made);
    const offered = [browser.title, ...browser.buttons];

    await browser.press('Globex');

    expect(offered).toEqual(['Choose an organization', 'Acme', 'Globex']);
    expect(arrival(browser)).toBe(home);
    expect((await redeem()).body.organization_id).toBe(globex);
  });

  test('is refused if the user is not a member', async () => {
    const made = await hosted();
    const { browser, organization, ada } = made;
    await organization('Acme', {}, ada.id);
    await organization('Globex', {}, ada.id);
    const initech = await organization('Initech');
    await signIn(made);

    await browser.press('Globex', { organization: initech });

    expect([browser.status, browser.errors]).toEqual([
      422,
      ['You are not a member of this organization. Choose one from the list.'],
    ]);
  });

  test('is skipped for a user with only one organization', async () => {
    const made = await hosted();
    const acme = await made.organization('Acme', {}, made.ada.id);

    await signIn(made);

    expect(arrival(made.browser)).toBe(home);
    expect((await made.redeem()).body.organization_id).toBe(acme);
  });
});

describe('a hosted sign-in for one organization in dialect workos', () => {
  /** Ada is in Acme and Globex, and a browser opens the hosted page for one of them. */
  async function members() {
    const made = await hosted({ dialect: 'workos' });
    const acme = await made.organization('Acme', {}, made.ada.id);
    const globex = await made.organization('Globex', {}, made.ada.id);
    const initech = await made.organization('Initech');
    const open = (organization_id: string) => made.authorize({ provider: 'authkit', organization_id });
    const there = async () => (await made.redeem()).body;
    return { ...made, acme, globex, initech, open, there };
  }
  const withPassword = async ({ browser }: Awaited<ReturnType<typeof hosted>>) => {
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });
  };

  test('skips the choice, and needs no second password for another organization', async () => {
    const made = await members();
    await made.open(made.globex);
    await withPassword(made);
    const first = await made.there();

    await made.open(made.acme);

    expect([first.organization_id, (await made.there()).organization_id]).toEqual([made.globex, made.acme]);
  });

  test('is refused if the user is not a member, after the user signs in again', async () => {
    const made = await members();
    await made.open(made.acme);
    await withPassword(made);

    await made.open(made.initech);
    const shown = made.browser.title;
    await withPassword(made);

    expect(shown).toBe('Sign in');
    expect((await made.there()).error).toBe('user_not_organization_member');
  });

  test('redirects with an error if the organization is unknown', async () => {
    const { browser, open } = await members();

    await open('org_none');

    expect(arrival(browser)).toBe(home.replace('code', 'organization_invalid'));
  });
});

describe('an invitation', () => {
  /** Opens a browser, and returns the token of an invitation to Acme. */
  async function invited(email: string) {
    const made = await hosted();
    const acme = await made.organization('Acme');
    const { body } = await made.send('POST /user_management/invitations', { email, organization_id: acme });
    return { ...made, acme, token: body.token as string };
  }

  test('is accepted by a sign-up, which needs no further verification of the address', async () => {
    const { browser, authorize, redeem, acme, token } = await invited('grace@example.com');

    await authorize({ invitation_token: token, screen_hint: 'sign-up' });
    const email = browser.value('email');
    await browser.press('Create account', { password: 'battery staple' });

    expect([email, arrival(browser)]).toEqual(['grace@example.com', home]);
    expect((await redeem()).body).toMatchObject({ organization_id: acme, user: { email_verified: true } });
  });

  test('is accepted by a sign-in', async () => {
    const { browser, authorize, redeem, acme, token } = await invited('ada@example.com');

    await authorize({ invitation_token: token });
    await browser.press('Continue');
    await browser.press('Sign in', { password: 'correct horse' });

    expect(arrival(browser)).toBe(home);
    expect((await redeem()).body.organization_id).toBe(acme);
  });

  test('is refused for another email address', async () => {
    const { browser, authorize, token } = await invited('grace@example.com');

    await authorize({ invitation_token: token });
    await browser.press('Continue', { email: 'ada@example.com' });

    expect([browser.status, browser.errors]).toEqual([
      422,
      ['The invitation is for grace@example.com. Use this address.'],
    ]);
  });

  test('is refused for another account with a social provider', async () => {
    const { browser, authorize, token } = await invited('grace@example.com');

    await authorize({ invitation_token: token, provider: 'GoogleOAuth' });
    await browser.press('Agree and continue', { email: 'ada@example.com' });
    const refused = [browser.status, browser.errors];
    await browser.press('Agree and continue', { email: 'grace@example.com' });

    expect(refused).toEqual([422, ['This invitation is for a different user than the one signing in.']]);
    expect(arrival(browser)).toBe(home);
  });

  test('allows a sign-up even if sign-up is off', async () => {
    const made = await hosted({ allowSignUp: false });
    const { body } = await made.send('POST /user_management/invitations', { email: 'grace@example.com' });

    await made.authorize({ invitation_token: body.token, screen_hint: 'sign-up' });
    await made.browser.press('Create account', { password: 'battery staple' });

    expect(arrival(made.browser)).toBe(home);
  });

  test('leads from its mail to the registered application', async () => {
    const { browser, emulator, redeem, acme } = await invited('grace@example.com');
    await emulator.addRedirectUri('https://app.acme.test/callback');

    await browser.open(emulator.inbox.latest('grace@example.com')!.url!);
    const shown = browser.text;
    await browser.press('Create an account and accept');
    await browser.press('Create account', { password: 'battery staple' });

    expect(shown).toContain('grace@example.com has been invited to Acme');
    expect(arrival(browser)).toBe('https://app.acme.test/callback code null');
    expect((await redeem()).body.organization_id).toBe(acme);
  });

  test('is accepted with one click if no application is registered', async () => {
    const { browser, emulator } = await invited('grace@example.com');
    await browser.open(emulator.inbox.latest('grace@example.com')!.url!);
    const { buttons } = browser;

    await browser.press('Accept');

    expect([buttons, browser.title]).toEqual([['Accept'], 'Invitation accepted']);
  });
});
