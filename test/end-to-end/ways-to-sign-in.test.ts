import { TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { password, secret } from './people.js';
import { type Stage, signedIn, stage, type Visitor } from './visitor.js';

requires('chromium')('signing in at the example application', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** A stage, and a visitor. */
  const arrive = async (): Promise<Stage & { readonly visitor: Visitor }> => {
    const made = await stage(browser);
    return { ...made, visitor: await made.open() };
  };
  /** What an authenticator app shows. */
  const shown = ({ emulator }: Stage, of: string) =>
    new TOTP({ secret: of }).generate({ timestamp: emulator.clock.now() });

  describe('with a password', () => {
    test('leads from the page that was asked for through the sign-in and back to it', async () => {
      const { visitor, url } = await arrive();

      await visitor.givesPassword('ada@example.com');

      expect([await visitor.says(), visitor.page.url()]).toEqual([signedIn('ada@example.com'), `${url}/account`]);
    });

    test('is refused when it is wrong, and may be tried again', async () => {
      const { visitor } = await arrive();
      await visitor.givesPassword('ada@example.com', 'a lantern on the quay');
      const complaints = await visitor.complaints();

      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');

      expect(complaints).toEqual(['Wrong email address or password.']);
      expect(await visitor.says()).toBe(signedIn('ada@example.com'));
    });

    test('goes on with a new one, where the old one is forgotten', async () => {
      const { visitor, open, emulator } = await arrive();
      await visitor.givesEmail('ada@example.com');
      await visitor.follows('Forgot your password?');
      await visitor.presses('Send link');
      const mail = await open();
      await mail.opens((await emulator.inbox.waitFor({ to: 'ada@example.com', kind: 'password_reset' })).url ?? '');
      await mail.fills({ 'New password': 'a new one', 'Repeat new password': 'a newer one' });
      await mail.presses('Change password');
      const complaints = await mail.complaints();
      await mail.fills({ 'New password': 'a newer one', 'Repeat new password': 'a newer one' });
      await mail.presses('Change password');
      const changed = await mail.title();

      await visitor.follows('Back to sign-in');
      await visitor.fills({ Password: 'a newer one' });
      await visitor.presses('Sign in');

      expect([complaints, changed]).toEqual([
        ['The two passwords are not the same.'],
        'Your password has been changed',
      ]);
      expect(await visitor.says()).toBe(signedIn('ada@example.com'));
    });
  });

  describe('for the first time', () => {
    test('makes an account, whose address is verified', async () => {
      const { visitor, codeTo } = await arrive();
      await visitor.opens('/account');
      await visitor.follows('Create an account');
      await visitor.fills({ 'Email address': 'nora@example.com', Password: password });
      await visitor.presses('Create account');
      const title = await visitor.title();

      await visitor.givesCode('000000', 'Verify');
      const complaints = await visitor.complaints();
      await visitor.givesCode(codeTo('nora@example.com'), 'Verify');

      expect([title, complaints]).toEqual(['Verify your email address', ['This code is wrong. Use the latest one.']]);
      expect(await visitor.says()).toBe(signedIn('nora@example.com'));
    });

    test('accepts an invitation by its mail', async () => {
      const { visitor, sallyport, emulator } = await arrive();
      await sallyport.userManagement.sendInvitation({ email: 'nora@example.com', organizationId: 'org_litware' });
      await visitor.opens((await emulator.inbox.waitFor({ kind: 'invitation' })).url ?? '');

      await visitor.presses('Create an account and accept');
      await visitor.fills({ Password: password });
      await visitor.presses('Create account');

      expect(await visitor.says()).toBe(signedIn('nora@example.com', 'Litware'));
    });

    test('accepts no invitation that was revoked', async () => {
      const { visitor, sallyport, emulator } = await arrive();
      const { id } = await sallyport.userManagement.sendInvitation({ email: 'nora@example.com' });
      await sallyport.userManagement.revokeInvitation(id);

      await visitor.opens((await emulator.inbox.waitFor({ kind: 'invitation' })).url ?? '');

      expect(await visitor.title()).toBe('This invitation is revoked');
    });
  });

  describe('with an emailed code', () => {
    const asksForCode = async (visitor: Visitor): Promise<void> => {
      await visitor.givesEmail('ada@example.com');
      await visitor.presses('Email me a code');
    };

    test('takes the code, and no other', async () => {
      const { visitor, codeTo } = await arrive();
      await asksForCode(visitor);

      await visitor.givesCode('000000');
      const complaints = await visitor.complaints();
      await visitor.givesCode(codeTo('ada@example.com'));

      expect(complaints).toEqual(['This code is wrong. Use the latest one.']);
      expect(await visitor.says()).toBe(signedIn('ada@example.com'));
    });

    test('takes none that has expired, but a new one', async () => {
      const { visitor, codeTo, emulator } = await arrive();
      await asksForCode(visitor);
      await emulator.clock.advance('10m');

      await visitor.givesCode(codeTo('ada@example.com'));
      const complaints = await visitor.complaints();
      await visitor.presses('Send a new code');
      await visitor.givesCode(codeTo('ada@example.com'));
      // The application waits for ten minutes too. The service does not ask again.
      const late = await visitor.says();
      await visitor.follows('Try again');

      expect(complaints).toEqual(['This code has expired. Send a new one.']);
      expect(late).toBe('The sign-in failed (expired).');
      expect(await visitor.says()).toBe(signedIn('ada@example.com'));
    });

    test('takes none after five wrong ones, but a new one', async () => {
      const { visitor, codeTo } = await arrive();
      await asksForCode(visitor);
      for (let wrong = 0; wrong < 5; wrong++) await visitor.givesCode('000000');

      await visitor.givesCode(codeTo('ada@example.com'));
      const complaints = await visitor.complaints();
      await visitor.presses('Send a new code');
      await visitor.givesCode(codeTo('ada@example.com'));

      expect(complaints).toEqual(['Too many wrong codes. Send a new one.']);
      expect(await visitor.says()).toBe(signedIn('ada@example.com'));
    });
  });

  describe('with a social provider', () => {
    test('signs in a user who agrees there', async () => {
      const { visitor } = await arrive();
      await visitor.opens('/account');
      await visitor.presses('Continue with Google');

      await visitor.fills({ 'Email address': 'nora@example.com' });
      await visitor.presses('Agree and continue');

      expect(await visitor.says()).toBe(signedIn('nora@example.com'));
    });

    test('leads back without a session if the user cancels', async () => {
      const { visitor } = await arrive();
      await visitor.opens('/sign-in?provider=GoogleOAuth');

      await visitor.presses('Cancel');
      const said = [await visitor.title(), await visitor.says()];
      await visitor.follows('Try again');

      expect(said).toEqual(['You are not signed in', 'The sign-in failed (denied: access_denied).']);
      expect(await visitor.title()).toBe('Sign in');
    });

    test('leads back without a session when the provider fails', async () => {
      const { visitor } = await arrive();
      await visitor.opens('/sign-in?provider=GitHubOAuth');

      await visitor.page.getByText('Simulate a failure').click();
      await visitor.presses(/^Fail at GitHub/);

      expect(await visitor.says()).toBe('The sign-in failed (rejected: oauth_failed).');
    });
  });

  describe('by single sign-on', () => {
    test('goes to the identity provider of the organization that was asked for', async () => {
      const { visitor } = await arrive();
      await visitor.opens('/sign-in?organization=org_fabrikam&return_to=/');
      const title = await visitor.title();

      await visitor.presses(/^Gwen Adeyemi/);

      expect([title, await visitor.says()]).toEqual(['Sign in at Fabrikam', 'Hello Gwen.']);
    });

    test('goes there for an address whose organization requires it', async () => {
      const { visitor } = await arrive();
      await visitor.givesEmail('gwen@fabrikam.test');

      await visitor.presses(/^Gwen Adeyemi/);

      expect(await visitor.says()).toBe(signedIn('gwen@fabrikam.test', 'Fabrikam'));
    });

    test('goes there after a social provider too', async () => {
      const { visitor } = await arrive();
      await visitor.opens('/sign-in?provider=GoogleOAuth');
      await visitor.fills({ 'Email address': 'gwen@fabrikam.test' });
      await visitor.presses('Agree and continue');
      const title = await visitor.title();

      await visitor.presses(/^Gwen Adeyemi/);

      expect(title).toBe('Sign in at Fabrikam');
      expect(await visitor.says()).toBe(signedIn('gwen@fabrikam.test', 'Fabrikam'));
    });

    test('lets the user choose if the organization has several connections', async () => {
      const { visitor } = await arrive();
      await visitor.givesEmail('hana@globex.test');
      const title = await visitor.title();

      await visitor.presses(/^Globex Entra/);
      await visitor.presses('Sign in');

      expect(title).toBe('Use single sign-on');
      expect(await visitor.says()).toBe(signedIn('hana@globex.test', 'Globex'));
    });

    test('leads back without a session when the identity provider denies it', async () => {
      const { visitor } = await arrive();
      await visitor.givesEmail('gwen@fabrikam.test');

      await visitor.presses('Cancel');

      expect(await visitor.says()).toBe('The sign-in failed (denied: access_denied).');
    });
  });

  describe('if the organization allows only some methods', () => {
    test('offers only these', async () => {
      const { visitor, codeTo } = await arrive();
      await visitor.givesEmail('ines@inkwell.test');
      const [title, fields] = [await visitor.title(), await visitor.page.getByLabel('Password').count()];

      await visitor.presses('Email me a code');
      await visitor.givesCode(codeTo('ines@inkwell.test'));

      expect([title, fields]).toEqual(['Choose how to sign in', 0]);
      expect(await visitor.says()).toBe(signedIn('ines@inkwell.test'));
    });

    test('explains this after another method', async () => {
      const { visitor, codeTo } = await arrive();
      await visitor.opens('/account');
      await visitor.presses('Continue with Google');
      await visitor.fills({ 'Email address': 'ines@inkwell.test' });
      await visitor.presses('Agree and continue');
      const said = await visitor.page.getByText('Your organization does not allow signing in with Google').count();

      await visitor.presses('Email me a code');
      await visitor.givesCode(codeTo('ines@inkwell.test'));

      expect(said).toBe(1);
      expect(await visitor.says()).toBe(signedIn('ines@inkwell.test'));
    });
  });

  describe('with a second factor', () => {
    test('is asked for at the sign-in page when a social provider is not enough', async () => {
      const made = await arrive();
      const { visitor } = made;
      await visitor.opens('/sign-in?provider=GoogleOAuth');
      await visitor.fills({ 'Email address': 'chiara@example.com' });
      await visitor.presses('Agree and continue');
      const said = await visitor.says();
      await visitor.follows('Try again');

      await visitor.presses('Continue with Google');
      await visitor.presses(/^chiara@example.com/);
      await visitor.givesCode(shown(made, secret));

      expect(said).toBe('The sign-in failed (mfa_challenge).');
      expect(await visitor.says()).toBe(signedIn('chiara@example.com'));
    });

    test('asks for the code of the authenticator app', async () => {
      const made = await arrive();
      const { visitor } = made;
      await visitor.givesPassword('chiara@example.com');
      const title = await visitor.title();

      await visitor.givesCode('000000');
      const complaints = await visitor.complaints();
      await visitor.givesCode(shown(made, secret));

      expect([title, complaints]).toEqual([
        'Verify your identity',
        ['This code is wrong. Codes work once: use the latest one.'],
      ]);
      expect(await visitor.says()).toBe(signedIn('chiara@example.com'));
    });

    test('asks for the password again after five wrong codes', async () => {
      const made = await arrive();
      const { visitor } = made;
      await visitor.givesPassword('chiara@example.com');
      for (let wrong = 0; wrong < 5; wrong++) await visitor.givesCode('000000');
      await visitor.givesCode(shown(made, secret));
      const title = await visitor.title();

      await visitor.follows('Sign in again');
      await visitor.presses('Continue');
      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');
      await visitor.givesCode(shown(made, secret));

      expect(title).toBe('Too many wrong codes');
      expect(await visitor.says()).toBe(signedIn('chiara@example.com'));
    });

    test('asks for the code in the newest text message', async () => {
      const { visitor, codeTo } = await arrive();
      await visitor.givesPassword('dmitri@example.com');
      const earlier = codeTo('+15005550006');
      await visitor.presses('Send a new code');

      await visitor.givesCode(earlier);
      const complaints = await visitor.complaints();
      await visitor.givesCode(codeTo('+15005550006'));

      expect(complaints).toEqual(['This code is wrong. Codes work once: use the latest one.']);
      expect(await visitor.says()).toBe(signedIn('dmitri@example.com'));
    });

    test('has one set up by its QR code where the organization requires it, and asks for it from then on', async () => {
      const made = await arrive();
      const { visitor, emulator } = made;
      await visitor.givesPassword('erin@vault.test');
      const picture = await visitor.page
        .getByRole('img', { name: /QR code/ })
        .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 100);
      const key = ((await visitor.page.locator('code').textContent()) ?? '').replaceAll(' ', '');
      await visitor.givesCode(shown(made, key), 'Turn on');
      const said = await visitor.says();
      await visitor.presses('Sign out');

      // A code works once: the next one comes after half a minute.
      await emulator.clock.advance('30s');
      await visitor.givesPassword('erin@vault.test');
      await visitor.givesCode(shown(made, key));

      expect([picture, said]).toEqual([true, signedIn('erin@vault.test')]);
      expect(await visitor.says()).toBe(signedIn('erin@vault.test'));
    });

    test('has a telephone set up in place of an app', async () => {
      const { visitor, codeTo } = await arrive();
      await visitor.givesPassword('erin@vault.test');

      await visitor.fills({ 'Phone number': '+1 500 555 0007' });
      await visitor.presses('Use text messages');
      await visitor.givesCode(codeTo('+15005550007'), 'Turn on');

      expect(await visitor.says()).toBe(signedIn('erin@vault.test'));
    });
  });

  describe('as a member of several organizations', () => {
    const chooses = async (visitor: Visitor, organization: string): Promise<void> => {
      await visitor.givesPassword('jo@example.com');
      await visitor.presses(organization);
    };

    test('lets one be chosen, and another one later', async () => {
      const { visitor } = await arrive();
      await chooses(visitor, 'Tailspin');
      const first = await visitor.says();

      await visitor.presses('Switch to Northwind');

      expect(first).toBe(signedIn('jo@example.com', 'Tailspin'));
      expect(await visitor.says()).toBe(signedIn('jo@example.com', 'Northwind'));
    });

    test('stays where it is when the other one refuses', async () => {
      const { visitor, sallyport } = await arrive();
      await chooses(visitor, 'Tailspin');
      const { data } = await sallyport.userManagement.listOrganizationMemberships({ organizationId: 'org_northwind' });
      await sallyport.userManagement.deleteOrganizationMembership(data[0]?.id ?? '');

      await visitor.presses('Switch to Northwind');
      const said = await visitor.says();
      await visitor.follows('Back to your account');

      expect(said).toBe('The service refused: user_not_organization_member.');
      expect(await visitor.says()).toBe(signedIn('jo@example.com', 'Tailspin'));
    });
  });
});
