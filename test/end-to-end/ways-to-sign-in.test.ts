import { TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { password, secret } from './people.js';
import { type Stage, signedIn, stage, type Visitor } from './visitor.js';

// One walk for each sign-in method, from the application and back. The other pages are tested in test/emulator/hosted.

requires('chromium-headless-shell')('in the example application,', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Starts the application, and opens a tab. */
  const arrive = async (): Promise<Stage & { readonly visitor: Visitor }> => {
    const started = await stage(browser);
    return { ...started, visitor: await started.open() };
  };
  /** Returns the code that an authenticator app shows. */
  const codeShown = ({ emulator }: Stage, of: string) =>
    new TOTP({ secret: of }).generate({ timestamp: emulator.clock.now() });

  test('a user who signs in with a password is redirected to the requested page', async () => {
    const { visitor, url } = await arrive();

    await visitor.givesPassword('ada@example.com');

    expect([await visitor.says(), visitor.page.url()]).toEqual([signedIn('ada@example.com'), `${url}/account`]);
  });

  test('a user resets a forgotten password and signs in with the new password', async () => {
    const { visitor, open, emulator } = await arrive();
    await visitor.givesEmail('ada@example.com');
    await visitor.follows('Forgot your password?');
    await visitor.presses('Send link');
    const mail = await open();
    await mail.opens((await emulator.inbox.waitFor({ to: 'ada@example.com', kind: 'password_reset' })).url ?? '');
    await mail.fills({ 'New password': 'a newer one', 'Repeat new password': 'a newer one' });
    await mail.presses('Change password');

    await visitor.follows('Back to sign-in');
    await visitor.fills({ Password: 'a newer one' });
    await visitor.presses('Sign in');

    expect(await mail.title()).toBe('Your password has been changed');
    expect(await visitor.says()).toBe(signedIn('ada@example.com'));
  });

  test('a new user creates an account and verifies the email address', async () => {
    const { visitor, codeTo } = await arrive();
    await visitor.opens('/account');
    await visitor.follows('Create an account');
    await visitor.fills({ 'Email address': 'nora@example.com', Password: password });
    await visitor.presses('Create account');

    await visitor.givesCode('000000', 'Verify');
    const complaints = await visitor.complaints();
    await visitor.givesCode(codeTo('nora@example.com'), 'Verify');

    expect(complaints).toEqual(['This code is wrong. Use the latest one.']);
    expect(await visitor.says()).toBe(signedIn('nora@example.com'));
  });

  test('a new user accepts an invitation from the invitation email', async () => {
    const { visitor, sallyport, emulator } = await arrive();
    await sallyport.userManagement.sendInvitation({ email: 'nora@example.com', organizationId: 'org_litware' });
    await visitor.opens((await emulator.inbox.waitFor({ kind: 'invitation' })).url ?? '');

    await visitor.presses('Create an account and accept');
    await visitor.fills({ Password: password });
    await visitor.presses('Create account');

    expect(await visitor.says()).toBe(signedIn('nora@example.com', 'Litware'));
  });

  test('a user signs in with an emailed code', async () => {
    const { visitor, codeTo } = await arrive();
    await visitor.givesEmail('ada@example.com');
    await visitor.presses('Email me a code');

    await visitor.givesCode(codeTo('ada@example.com'));

    expect(await visitor.says()).toBe(signedIn('ada@example.com'));
  });

  test('a user signs in with a social provider', async () => {
    const { visitor } = await arrive();
    await visitor.opens('/account');
    await visitor.presses('Continue with Google');

    await visitor.fills({ 'Email address': 'nora@example.com' });
    await visitor.presses('Agree and continue');

    expect(await visitor.says()).toBe(signedIn('nora@example.com'));
  });

  test('a user who cancels the sign-in at a social provider gets no session, and can try again', async () => {
    const { visitor } = await arrive();
    await visitor.opens('/sign-in?provider=GoogleOAuth');

    await visitor.presses('Cancel');
    const afterCancel = [await visitor.title(), await visitor.says()];
    await visitor.follows('Try again');

    expect(afterCancel).toEqual(['You are not signed in', 'The sign-in failed (denied: access_denied).']);
    expect(await visitor.title()).toBe('Sign in');
  });

  test('a user signs in at the identity provider of an organization that requires SSO', async () => {
    const { visitor } = await arrive();
    await visitor.givesEmail('gwen@fabrikam.test');
    const title = await visitor.title();

    await visitor.presses(/^Gwen Adeyemi/);

    expect([title, await visitor.says()]).toEqual(['Sign in at Fabrikam', signedIn('gwen@fabrikam.test', 'Fabrikam')]);
  });

  test('a user with a second factor must enter a code after a social sign-in', async () => {
    const started = await arrive();
    const { visitor } = started;
    await visitor.opens('/sign-in?provider=GoogleOAuth');
    await visitor.fills({ 'Email address': 'chiara@example.com' });
    await visitor.presses('Agree and continue');
    const failure = await visitor.says();
    await visitor.follows('Try again');

    await visitor.presses('Continue with Google');
    await visitor.presses(/^chiara@example.com/);
    await visitor.givesCode(codeShown(started, secret));

    expect(failure).toBe('The sign-in failed (mfa_challenge).');
    expect(await visitor.says()).toBe(signedIn('chiara@example.com'));
  });

  test('a user sets up a second factor with a QR code, and must enter a code at the next sign-in', async () => {
    const started = await arrive();
    const { visitor, emulator } = started;
    await visitor.givesPassword('erin@vault.test');
    const picture = await visitor.page
      .getByRole('img', { name: /QR code/ })
      .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 100);
    const key = ((await visitor.page.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await visitor.givesCode(codeShown(started, key), 'Turn on');
    const account = await visitor.says();
    await visitor.presses('Sign out');

    // A code works once: the next one follows after half a minute.
    await emulator.clock.advance('30s');
    await visitor.givesPassword('erin@vault.test');
    await visitor.givesCode(codeShown(started, key));

    expect([picture, account]).toEqual([true, signedIn('erin@vault.test')]);
    expect(await visitor.says()).toBe(signedIn('erin@vault.test'));
  });

  test('a user stays in the current organization if the service rejects a switch', async () => {
    const { visitor, sallyport } = await arrive();
    await visitor.givesPassword('jo@example.com');
    await visitor.presses('Tailspin');
    const { data } = await sallyport.userManagement.listOrganizationMemberships({ organizationId: 'org_northwind' });
    await sallyport.userManagement.deleteOrganizationMembership(data[0]?.id ?? '');

    await visitor.presses('Switch to Northwind');
    const failure = await visitor.says();
    await visitor.follows('Back to your account');

    expect(failure).toBe('The service refused: user_not_organization_member.');
    expect(await visitor.says()).toBe(signedIn('jo@example.com', 'Tailspin'));
  });
});
