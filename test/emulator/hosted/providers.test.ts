import { describe, expect, test } from 'vitest';
import { arrival, home, hosted } from './hosted-browser.js';

const denied = (error: string): string => home.replace('code', error);

/** Starts an emulator with Acme, which owns acme.test and has a connection. */
async function acme(options: { readonly policy?: object; readonly connections?: number } = {}) {
  const { policy, connections = 1 } = options;
  const visit = await hosted({
    seed: {
      users: [{ email: 'ada@example.com', password: 'correct horse', email_verified: true }],
      organizations: [
        {
          id: 'org_acme',
          name: 'Acme',
          domain_data: [{ domain: 'acme.test', state: 'verified' }],
          ...(policy ? { authentication_policy: policy } : {}),
        },
      ],
      connections: ['Okta', 'Entra'].slice(0, connections).map((name) => ({
        id: `conn_${name}`,
        organization_id: 'org_acme',
        name: `Acme ${name}`,
        connection_type: `${name}SAML`,
        profiles: name === 'Okta' ? [{ email: 'grace@acme.test', first_name: 'Grace', last_name: 'Hopper' }] : [],
      })),
    },
  });
  return { ...visit, connection: 'conn_Okta' };
}

describe("an identity provider's page", () => {
  test("signs in a user with one of the connection's profiles", async () => {
    const { browser, authorize, redeem, connection } = await acme();
    await authorize({ connection_id: connection, provider: '' });
    const firstPage = [browser.title, browser.text];

    await browser.press('Grace Hopper');

    expect(firstPage).toEqual(['Sign in at Acme', expect.stringContaining('grace@acme.test')]);
    expect(arrival(browser)).toBe(home);
    expect((await redeem()).body.user).toMatchObject({ email: 'grace@acme.test', first_name: 'Grace' });
  });

  test('signs in a new person with groups, and lists the person at the next sign-in', async () => {
    const { browser, authorize, send, connection } = await acme();
    await authorize({ connection }, '/sso/authorize');

    await browser.press('Sign in', {
      email: 'linus@acme.test',
      first_name: 'Linus',
      last_name: 'Example',
      groups: 'Engineering, Admins,',
    });
    const { body } = await send(
      'POST /sso/token',
      {
        client_id: 'client_sallyport_emulator',
        client_secret: 'sk_test_sallyport_emulator',
        grant_type: 'authorization_code',
        code: browser.left!.searchParams.get('code'),
      },
      { authorization: undefined },
    );
    await authorize({ connection }, '/sso/authorize');

    expect(body.profile).toMatchObject({
      email: 'linus@acme.test',
      first_name: 'Linus',
      last_name: 'Example',
      groups: ['Engineering', 'Admins'],
    });
    expect(browser.buttons[1]).toBe('Linus Example linus@acme.test');
  });

  test.each([
    ['Cancel', 'access_denied'],
    ['Send an invalid response', 'server_error'],
    ['Refuse a sign-in that starts at the identity provider', 'idp_initiated_sso_disabled'],
  ])('redirects to the application with an error if the user clicks "%s"', async (button, error) => {
    const { browser, authorize, connection } = await acme();
    await authorize({ connection_id: connection, provider: '' });

    await browser.press(button);

    expect(arrival(browser)).toBe(denied(error));
    expect(browser.left!.searchParams.get('error_description')).toMatch(/\.$/);
  });

  test("rejects an email address outside the organization's domains", async () => {
    const { browser, authorize, connection } = await acme();
    await authorize({ connection_id: connection, provider: '' });

    await browser.press('Sign in', { email: 'eve@evil.test' });

    expect(arrival(browser)).toBe(denied('profile_not_allowed_outside_organization'));
  });

  test('rejects an invalid email address, and keeps the typed values', async () => {
    const { browser, authorize, connection } = await acme();
    await authorize({ connection_id: connection, provider: '' });

    await browser.press('Sign in', { email: 'linus', groups: 'Admins' });

    expect([browser.status, browser.errors]).toEqual([422, ['Enter a full email address, such as ada@example.com.']]);
    expect([browser.value('email'), browser.value('groups')]).toEqual(['linus', 'Admins']);
  });

  test('returns 404 for an unknown connection', async () => {
    const { browser, authorize } = await acme();
    await authorize();

    await browser.open(`${browser.url.replace('sign-in', 'identity-provider')}&connection=conn_none`);

    expect([browser.status, browser.title]).toEqual([404, 'No such connection']);
    await browser.follow('Sign in another way');
    expect(browser.title).toBe('Sign in');
  });
});

describe('single sign-on from the sign-in page', () => {
  test('is offered next to the password if the domain of the email address has a connection', async () => {
    const { browser, authorize } = await acme();
    await authorize();
    await browser.press('Continue', { email: 'grace@acme.test' });
    const offered = browser.buttons;

    await browser.press('Use single sign-on with Acme Okta');
    await browser.press('Grace Hopper');

    expect(offered).toEqual(['Sign in', 'Email me a code', 'Use single sign-on with Acme Okta']);
    expect(arrival(browser)).toBe(home);
  });

  test('starts immediately if the organization requires single sign-on', async () => {
    const { browser, authorize } = await acme({ policy: { sso_required: true } });
    await authorize();

    await browser.press('Continue', { email: 'grace@acme.test' });

    expect([browser.title, browser.value('email')]).toEqual(['Sign in at Acme', 'grace@acme.test']);
  });

  test('lets the user choose from several connections', async () => {
    const { browser, authorize } = await acme({ policy: { sso_required: true }, connections: 2 });
    await authorize();
    await browser.press('Continue', { email: 'grace@acme.test' });
    const choice = [browser.title, ...browser.buttons];

    await browser.press('Acme Okta');

    expect(choice).toEqual(['Use single sign-on', 'Acme Okta OktaSAML', 'Acme Entra EntraSAML']);
    expect(browser.title).toBe('Sign in at Acme');
  });

  test('rejects a connection that the page did not offer', async () => {
    const { browser, authorize } = await acme({ policy: { sso_required: true }, connections: 2 });
    await authorize();
    await browser.press('Continue', { email: 'grace@acme.test' });

    await browser.press('Acme Okta', { connection: 'conn_none' });

    expect([browser.status, browser.errors]).toEqual([
      422,
      ['This connection is not available. Choose one from the list.'],
    ]);
  });

  test('follows a sign-in with a social provider if the organization requires single sign-on', async () => {
    const { browser, authorize } = await acme({ policy: { sso_required: true } });
    await authorize();
    await browser.press('Continue with Google');

    await browser.press('Agree and continue', { email: 'grace@acme.test' });
    const { title } = browser;
    await browser.press('Grace Hopper');

    expect([title, arrival(browser)]).toEqual(['Sign in at Acme', home]);
  });

  test('is replaced by an explanation if none of the connections is active', async () => {
    const { browser, authorize, emulator, connection } = await acme({ policy: { sso_required: true } });
    await emulator.deactivateConnection(connection);
    await authorize();

    await browser.press('Continue', { email: 'grace@acme.test' });

    expect([browser.status, browser.title]).toEqual([200, 'Use single sign-on']);
    expect(browser.text).toContain('none of its connections is active');
    expect(browser.text).toContain('The organization "org_acme" requires SSO and none of its connections is active');
  });
});

describe('the buttons of social providers', () => {
  /** Returns the content of the provider buttons. */
  const drawn = (html: string): readonly string[] =>
    [...html.matchAll(/<button[^>]*name="provider"[^>]*>(.*?)<\/button>/gs)].map(([, content]) => content!);

  test('each have a different logo, which screen readers skip', async () => {
    const { browser, authorize } = await hosted();

    await authorize();
    const buttons = drawn(browser.html);

    expect(buttons.map((button) => button.replace(/<[^>]*>/g, ''))).toEqual([
      'Continue with Google',
      'Continue with Microsoft',
      'Continue with GitHub',
      'Continue with Apple',
    ]);
    expect(new Set(buttons.map((button) => /<svg [^>]*aria-hidden="true".*? d="(.*?)"/.exec(button)?.[1])).size).toBe(
      4,
    );
    expect(browser.html).not.toMatch(/<img|url\(/);
  });

  test('keep their logos if an organization allows only social providers', async () => {
    const { browser, authorize } = await acme({ policy: { auth_methods: { google_oauth: true } } });
    await authorize();

    await browser.press('Continue', { email: 'grace@acme.test' });

    expect(drawn(browser.html)).toEqual([expect.stringMatching(/^<svg .*<\/svg>Continue with Google$/)]);
  });
});

describe('a profile picture', () => {
  const withGoogle = async (email: string, options = {}) => {
    const visit = await hosted(options);
    await visit.authorize();
    await visit.browser.press('Continue with Google');
    await visit.browser.press('Agree and continue', { email, first_name: 'Grace', last_name: 'Hopper <x>' });
    return { ...visit, user: (await visit.redeem()).body.user };
  };

  test.each(['grace@example.com', 'ada@example.com'])(
    'from a social provider account is served by the emulator for the user %s',
    async (email) => {
      const { emulator, send, user } = await withGoogle(email);

      const picture = await emulator.fetch(user.profile_picture_url);

      const events = (await send('GET /events?events=user.created,user.updated')).body.data;
      expect(user.profile_picture_url).toMatch(/^http:\/\/emulator\.localhost\/cdn\/pictures\/\w{20}\.svg$/);
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(await picture.text()).toContain(email === 'ada@example.com' ? '>A</text>' : '>G&lt;</text>');
      expect(events.at(-1).data.profile_picture_url).toBe(user.profile_picture_url);
    },
  );

  test('from a social provider account does not replace an existing picture, and is deleted with the user', async () => {
    const ownPicture = 'https://images.test/mary.png';
    const seed = { users: [{ email: 'mary@example.com', email_verified: true, profile_picture_url: ownPicture }] };
    const mary = await withGoogle('mary@example.com', { seed });
    const { emulator, send, user } = await withGoogle('grace@example.com');

    await send(`DELETE /user_management/users/${user.id}`);

    expect(mary.user.profile_picture_url).toBe(ownPicture);
    expect((await emulator.fetch(user.profile_picture_url)).status).toBe(404);
  });

  test.each([
    ['omitted', 'spec', false],
    ['null', 'workos', true],
  ] as const)('is %s in the %s dialect for users without a social provider account', async (_how, dialect, isThere) => {
    const { send, ada } = await hosted({ dialect });

    const { body } = await send(`GET /user_management/users/${ada.id}`);

    expect('profile_picture_url' in body).toBe(isThere);
    expect(body.profile_picture_url ?? null).toBe(null);
  });
});

describe("an organization's sign-in methods", () => {
  const policy = { auth_methods: { magic_auth: true, google_oauth: true } };

  test("are the only methods offered for addresses in the organization's domains", async () => {
    const { browser, authorize } = await acme({ policy });
    await authorize();

    await browser.press('Continue', { email: 'grace@acme.test' });

    expect([browser.title, ...browser.buttons]).toEqual([
      'Choose how to sign in',
      'Email me a code',
      'Use single sign-on with Acme Okta',
      'Continue with Google',
    ]);
  });

  test('are offered after a sign-in with GitHub, which the organization does not allow', async () => {
    const { browser, authorize } = await acme({ policy });
    await authorize();
    await browser.press('Continue with GitHub');

    await browser.press('Agree and continue', { email: 'grace@acme.test' });

    expect(browser.title).toBe('Choose how to sign in');
    expect(browser.text).toContain('Your organization does not allow signing in with GitHub. Choose another method.');
    await browser.press('Continue with Google');
    await browser.press('Agree and continue');
    expect(arrival(browser)).toBe(home);
  });

  test('can include an emailed code', async () => {
    const { browser, authorize, codeTo } = await acme({ policy });
    await authorize();
    await browser.press('Continue', { email: 'grace@acme.test' });

    await browser.press('Email me a code');
    await browser.press('Continue', { code: codeTo('grace@acme.test') });

    expect(arrival(browser)).toBe(home);
  });

  test('are enforced even if the password form was opened for another user', async () => {
    const { browser, authorize } = await acme({ policy });
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });

    await browser.press('Sign in', { email: 'grace@acme.test', password: 'correct horse' });

    expect([browser.title, browser.left]).toEqual(['Choose how to sign in', undefined]);
  });
});

describe("a social provider's page", () => {
  test('signs in a new person, and lists the person at the next sign-in', async () => {
    const { browser, authorize, redeem } = await hosted();
    await authorize();
    await browser.press('Continue with Google');
    const shown = [browser.title, browser.text];

    await browser.press('Agree and continue', { email: 'grace@example.com', first_name: 'Grace' });
    const { body } = await redeem();
    await authorize({ provider: 'GoogleOAuth' });

    expect(shown).toEqual([
      'Continue with Google',
      expect.stringContaining('localhost:3000 asks for your name and email address'),
    ]);
    expect(body.user).toMatchObject({ email: 'grace@example.com', first_name: 'Grace', email_verified: true });
    expect(browser.buttons[0]).toBe('Grace grace@example.com');
    await browser.press('Grace');
    expect((await redeem()).body.user.id).toBe(body.user.id);
  });

  test('is opened by an authorization URL that names the provider', async () => {
    const { browser, authorize } = await hosted();

    await authorize({ provider: 'MicrosoftOAuth' });

    expect(browser.title).toBe('Continue with Microsoft');
  });

  test.each([
    ['Cancel', 'access_denied'],
    ['Fail at Google', 'oauth_failed'],
  ])('redirects to the application with an error if the user clicks "%s"', async (button, error) => {
    const { browser, authorize } = await hosted();
    await authorize({ provider: 'GoogleOAuth' });

    await browser.press(button);

    expect(arrival(browser)).toBe(denied(error));
  });

  test('asks the user to verify an address that the provider has not verified', async () => {
    const { browser, authorize } = await hosted();
    await authorize();
    await browser.press('Continue with Google');

    await browser.press('Agree and continue', { email: 'grace@example.com', unverified: 'yes' });

    expect(browser.title).toBe('Verify your email address');
  });

  test('rejects an empty email address', async () => {
    const { browser, authorize } = await hosted();
    await authorize({ provider: 'GoogleOAuth' });

    await browser.press('Agree and continue', { email: '' });

    expect([browser.status, browser.errors]).toEqual([422, ['Enter a full email address, such as ada@example.com.']]);
  });

  test('returns 404 for an unknown provider', async () => {
    const { browser, authorize } = await hosted();
    await authorize();

    await browser.open(`${browser.url.replace('sign-in', 'provider')}&provider=nobody`);

    expect([browser.status, browser.title]).toEqual([404, 'No such provider']);
  });
});
