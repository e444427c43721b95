import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import type { FactorSeed } from '../../../src/emulator/index.js';
import { arrival, home, hosted } from './hosted-browser.js';

type Visit = Awaited<ReturnType<typeof hosted>>;

const signIn = async ({ browser, authorize }: Visit, params: Readonly<Record<string, string>> = {}) => {
  await authorize(params);
  await browser.press('Continue', { email: 'ada@example.com' });
  await browser.press('Sign in', { password: 'correct horse' });
};

/** Returns the code of an authenticator app a number of 30-second steps from now. */
const codeShown = ({ emulator }: Visit, secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: emulator.clock.now() + steps * 30_000 });

describe('a second factor', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

  /** Signs Ada in with her password and these factors, up to the next page. */
  async function asked(...factors: readonly FactorSeed[]) {
    const visit = await hosted({
      seed: {
        users: [{ email: 'ada@example.com', password: 'correct horse', email_verified: true, auth_factors: factors }],
      },
    });
    await signIn(visit);
    return visit;
  }
  const app: FactorSeed = { type: 'totp', totp_secret: secret };
  const phone: FactorSeed = { type: 'sms', phone_number: '+15005550006' };

  test('from an authenticator app completes the sign-in', async () => {
    const visit = await asked(app);
    const title = visit.browser.title;

    await visit.browser.press('Continue', { code: codeShown(visit, secret) });

    expect([title, arrival(visit.browser)]).toEqual(['Verify your identity', home]);
    expect((await visit.redeem()).status).toBe(200);
  });

  test('from an authenticator app is rejected if the code is wrong, old or already used', async () => {
    const visit = await asked(app);
    const { browser } = visit;
    const errors: unknown[] = [];

    await browser.press('Continue', { code: '12' });
    errors.push([browser.status, browser.errors]);
    await browser.press('Continue', { code: codeShown(visit, secret, -3) });
    errors.push([browser.status, browser.errors]);
    const code = codeShown(visit, secret);
    await browser.press('Continue', { code });
    await signIn(visit, { prompt: 'login' });
    await browser.press('Continue', { code });
    errors.push([browser.status, browser.errors]);

    const wrong = [422, ['This code is wrong. Codes work once: use the latest one.']];
    expect(errors).toEqual([[422, ['Enter the six digits of the code.']], wrong, wrong]);
  });

  test('by text message sends only one code, even if the page is reloaded', async () => {
    const visit = await asked(phone);
    const { browser, emulator } = visit;

    await browser.open(browser.url);

    expect(emulator.inbox.to('+15005550006')).toMatchObject([{ kind: 'mfa_sms' }]);
    expect(browser.text).toContain('to the number ending in 06');
    expect(browser.text).not.toContain('50055500');
    await browser.press('Continue', { code: visit.codeTo('+15005550006') });
    expect(arrival(browser)).toBe(home);
  });

  test('by text message is rejected if the code has expired or has been replaced by a newer code', async () => {
    const visit = await asked(phone);
    const { browser, emulator } = visit;
    await emulator.clock.advance('10m');

    await browser.press('Continue', { code: visit.codeTo('+15005550006') });
    const late = browser.errors;
    await browser.press('Send a new code');
    const earlier = visit.codeTo('+15005550006');
    await browser.press('Send a new code');
    await browser.press('Continue', { code: earlier });
    const wrong = browser.errors;
    await browser.press('Continue', { code: visit.codeTo('+15005550006') });

    expect(late).toEqual(['This code has expired. Send a new one.']);
    expect(wrong).toEqual(['This code is wrong. Codes work once: use the latest one.']);
    expect(arrival(browser)).toBe(home);
  });

  test('can be chosen from several factors, and the user can change the choice', async () => {
    const visit = await asked(app, phone);
    const { browser, emulator } = visit;
    const choices = [browser.title, ...browser.buttons];

    await browser.press('Text message');
    const sent = emulator.inbox.to('+15005550006').length;
    await browser.press('Use another method');
    await browser.press('Authenticator app');
    await browser.press('Continue', { code: codeShown(visit, secret) });

    expect(choices).toEqual([
      'Choose a verification method',
      'Authenticator app Sallyport emulator',
      'Text message to the number ending in 06',
    ]);
    expect([sent, arrival(browser)]).toEqual([1, home]);
  });

  test('requires a new sign-in after five wrong codes', async () => {
    const visit = await asked(app);
    const { browser } = visit;
    for (let i = 0; i < 5; i++) await browser.press('Continue', { code: '000000' });

    await browser.press('Continue', { code: codeShown(visit, secret) });
    const refused = browser.title;
    await browser.follow('Sign in again');
    const again = browser.title;
    await browser.press('Continue');
    await browser.press('Sign in', { password: 'correct horse' });
    await browser.press('Continue', { code: codeShown(visit, secret) });

    expect([refused, again, arrival(browser)]).toEqual(['Too many wrong codes', 'Sign in', home]);
  });

  test.each([
    ['asks for a new challenge', { way: 'again' }],
    ['chooses the same factor again', { factor: 'auth_factor_app' }],
    ['submits the sign-up form', { email: 'ada@example.com', password: 'correct horse' }],
  ])('is blocked after five wrong codes even if the attacker %s before every guess', async (_what, fields) => {
    const visit = await asked({ id: 'auth_factor_app', ...app });
    const { browser, emulator } = visit;
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

    await browser.press('Continue', { code: codeShown(visit, secret) });

    expect([browser.title, browser.left]).toEqual(['Too many wrong codes', undefined]);
  });

  test('cannot be bypassed by opening the page of a later step', async () => {
    const visit = await asked(app);
    const { browser } = visit;

    await browser.open(browser.url.replace('mfa-challenge', 'organization-selection'));
    const organization = browser.title;
    await browser.open(browser.url.replace('mfa-challenge', 'mfa-enrollment'));

    expect([organization, browser.title]).toEqual(['Verify your identity', 'Verify your identity']);
    expect(browser.left).toBeUndefined();
  });
});

describe('second-factor enrollment', () => {
  /** Signs Ada in up to the page for the enrollment. */
  async function asked() {
    const visit = await hosted({ requireMfa: true });
    await signIn(visit);
    return visit;
  }
  const secretOn = ({ browser }: Visit): string =>
    /<code class="secret">(.*?)<\/code>/.exec(browser.html)![1]!.replaceAll(' ', '');

  test('shows a QR code and the key as text, and ends with the first correct code', async () => {
    const visit = await asked();
    const { browser, send, ada } = visit;
    const [title, picture] = [browser.title, /<img [^>]*>/.exec(browser.html)![0]];
    const before = await send(`GET /user_management/users/${ada.id}/auth_factors`);

    await browser.press('Turn on', { code: codeShown(visit, secretOn(visit)) });

    expect(title).toBe('Set up two-step verification');
    expect(picture).toContain('src="data:image/png;base64,');
    expect(picture).toContain('alt="QR code');
    expect(browser.headers.get('content-security-policy')).toContain('img-src data:');
    expect(before.body.data).toEqual([]);
    expect(arrival(browser)).toBe(home);
    const after = await send(`GET /user_management/users/${ada.id}/auth_factors`);
    expect(after.body.data).toMatchObject([{ type: 'totp', userId: ada.id }]);
  });

  test('keeps the key after a wrong code or a reload', async () => {
    const visit = await asked();
    const { browser } = visit;
    const secret = secretOn(visit);

    await browser.press('Turn on', { code: '000000' });
    const wrong = [browser.status, browser.errors, secretOn(visit)];
    await browser.open(browser.url);

    expect(wrong).toEqual([422, ['This code is wrong. Codes work once: use the latest one.'], secret]);
    expect(secretOn(visit)).toBe(secret);
  });

  test('creates a new key if a different user signs in', async () => {
    const visit = await asked();
    const { browser, user } = visit;
    const secret = secretOn(visit);
    await user({ email: 'grace@example.com', password: 'battery staple', email_verified: true });
    await browser.open(browser.url.replace('mfa-enrollment', 'sign-in'));

    await browser.press('Continue', { email: 'grace@example.com' });
    await browser.press('Sign in', { password: 'battery staple' });

    expect(browser.title).toBe('Set up two-step verification');
    expect(secretOn(visit)).not.toBe(secret);
  });

  test('accepts a phone instead of an authenticator app', async () => {
    const visit = await asked();
    const { browser, send, ada } = visit;

    await browser.press('Use text messages', { phone: '0500 555 0006' });
    const wrong = [browser.status, browser.errors];
    await browser.press('Use text messages', { phone: '+1 500 555 0006' });
    await browser.press('Turn on', { code: visit.codeTo('+15005550006') });

    expect(wrong).toEqual([422, ['Enter the number with its country code, such as +15005550006.']]);
    expect(arrival(browser)).toBe(home);
    const { body } = await send(`GET /user_management/users/${ada.id}/auth_factors`);
    expect(body.data).toMatchObject([{ type: 'sms' }]);
  });

  test('shows an error at the top of the page if the page has no field for the error', async () => {
    const visit = await asked();
    await visit.browser.press('Use text messages', { phone: '+1 500 555 0006' });

    await visit.browser.press('Turn on', { way: 'phone', phone: '0500 555 0006' });

    expect(visit.browser.errors).toEqual(['Enter the number with its country code, such as +15005550006.']);
  });

  test('allows a switch from text messages back to an authenticator app', async () => {
    const visit = await asked();
    const { browser } = visit;
    await browser.press('Use text messages', { phone: '+1 500 555 0006' });

    await browser.press('Use an authenticator app instead');
    await browser.press('Turn on', { code: codeShown(visit, secretOn(visit)) });

    expect(arrival(browser)).toBe(home);
  });
});

describe('the organization choice', () => {
  test("is offered to members of several organizations, and sets the session's organization", async () => {
    const visit = await hosted();
    const { browser, organization, redeem, ada } = visit;
    await organization('Acme', {}, ada.id);
    const globex = await organization('Globex', {}, ada.id);
    await signIn(visit);
    const offered = [browser.title, ...browser.buttons];

    await browser.press('Globex');

    expect(offered).toEqual(['Choose an organization', 'Acme', 'Globex']);
    expect(arrival(browser)).toBe(home);
    expect((await redeem()).body.organization_id).toBe(globex);
  });

  test('rejects an organization that the user does not belong to', async () => {
    const visit = await hosted();
    const { browser, organization, ada } = visit;
    await organization('Acme', {}, ada.id);
    await organization('Globex', {}, ada.id);
    const initech = await organization('Initech');
    await signIn(visit);

    await browser.press('Globex', { organization: initech });

    expect([browser.status, browser.errors]).toEqual([
      422,
      ['You are not a member of this organization. Choose one from the list.'],
    ]);
  });

  test('is skipped for a user who has only one organization', async () => {
    const visit = await hosted();
    const acme = await visit.organization('Acme', {}, visit.ada.id);

    await signIn(visit);

    expect(arrival(visit.browser)).toBe(home);
    expect((await visit.redeem()).body.organization_id).toBe(acme);
  });
});

describe('in the workos dialect, a hosted sign-in for one organization', () => {
  /** Ada is in Acme and Globex, and a browser opens the hosted page for one of them. */
  async function members() {
    const visit = await hosted({ dialect: 'workos' });
    const acme = await visit.organization('Acme', {}, visit.ada.id);
    const globex = await visit.organization('Globex', {}, visit.ada.id);
    const initech = await visit.organization('Initech');
    const open = (organization_id: string) => visit.authorize({ provider: 'authkit', organization_id });
    const there = async () => (await visit.redeem()).body;
    return { ...visit, acme, globex, initech, open, there };
  }
  const withPassword = async ({ browser }: Awaited<ReturnType<typeof hosted>>) => {
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'correct horse' });
  };

  test('skips the organization choice, and requires no password if the user is already signed in', async () => {
    const visit = await members();
    await visit.open(visit.globex);
    await withPassword(visit);
    const first = await visit.there();

    await visit.open(visit.acme);

    expect([first.organization_id, (await visit.there()).organization_id]).toEqual([visit.globex, visit.acme]);
  });

  test('is denied if the user is not a member, even after the user signs in again', async () => {
    const visit = await members();
    await visit.open(visit.acme);
    await withPassword(visit);

    await visit.open(visit.initech);
    const shown = visit.browser.title;
    await withPassword(visit);

    expect(shown).toBe('Sign in');
    expect((await visit.there()).error).toBe('user_not_organization_member');
  });

  test('redirects to the application with an error if the organization is unknown', async () => {
    const { browser, open } = await members();

    await open('org_none');

    expect(arrival(browser)).toBe(home.replace('code', 'organization_invalid'));
  });
});

describe('an invitation', () => {
  /** Opens a browser, and returns the token of an invitation to Acme. */
  async function invited(email: string) {
    const visit = await hosted();
    const acme = await visit.organization('Acme');
    const { body } = await visit.send('POST /user_management/invitations', { email, organization_id: acme });
    return { ...visit, acme, token: body.token as string };
  }

  test('is accepted by a sign-up, which needs no further verification of the email address', async () => {
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

  test('cannot be accepted with an email address that was not invited', async () => {
    const { browser, authorize, token } = await invited('grace@example.com');

    await authorize({ invitation_token: token });
    await browser.press('Continue', { email: 'ada@example.com' });

    expect([browser.status, browser.errors]).toEqual([
      422,
      ['The invitation is for grace@example.com. Use this address.'],
    ]);
  });

  test('cannot be accepted with a social provider account that has a different address', async () => {
    const { browser, authorize, token } = await invited('grace@example.com');

    await authorize({ invitation_token: token, provider: 'GoogleOAuth' });
    await browser.press('Agree and continue', { email: 'ada@example.com' });
    const refused = [browser.status, browser.errors];
    await browser.press('Agree and continue', { email: 'grace@example.com' });

    expect(refused).toEqual([422, ['This invitation is for a different user than the one signing in.']]);
    expect(arrival(browser)).toBe(home);
  });

  test('allows a sign-up even if sign-up is off', async () => {
    const visit = await hosted({ allowSignUp: false });
    const { body } = await visit.send('POST /user_management/invitations', { email: 'grace@example.com' });

    await visit.authorize({ invitation_token: body.token, screen_hint: 'sign-up' });
    await visit.browser.press('Create account', { password: 'battery staple' });

    expect(arrival(visit.browser)).toBe(home);
  });

  test('can be accepted through the emailed link, and the user is then redirected to the registered application', async () => {
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

  test('can be accepted with one click if no application is registered', async () => {
    const { browser, emulator } = await invited('grace@example.com');
    await browser.open(emulator.inbox.latest('grace@example.com')!.url!);
    const { buttons } = browser;

    await browser.press('Accept');

    expect([buttons, browser.title]).toEqual([['Accept'], 'Invitation accepted']);
  });
});
