import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEmulator, type Emulator, type Seed } from '../../../src/emulator/index.js';
import { launchChromium } from '../../browser/chromium.js';
import { requires } from '../../runner/requirements.js';
import { findingsOnScreens } from './findings.js';

/** Names that are too long for one line of a telephone, with and without places to break. */
const long = {
  email: 'wolfeschlegelsteinhausenbergerdorff@donaudampfschifffahrtselektrizitaeten.test',
  person: { first_name: 'Bartholomew Maximilian', last_name: 'Featherstonehaugh-Cholmondeley' },
  word: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  words: 'The Honourable Company of Harbour Masters, Pilots and Lighthouse Keepers of the Northern Isles',
};

const seed: Seed = {
  users: [
    { id: 'user_ada', email: 'ada@example.com', password: 'correct horse', email_verified: true },
    {
      id: 'user_grace',
      email: 'grace@example.com',
      first_name: 'Grace',
      last_name: 'Hopper',
      password: 'correct horse',
      email_verified: true,
      identities: [{ idp_id: 'google-1', provider: 'GoogleOAuth' }],
      auth_factors: [
        { type: 'totp', totp_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
        { type: 'sms', phone_number: '+15005550006' },
      ],
    },
    { id: 'user_mary', email: 'mary@strict.test', password: 'correct horse', email_verified: true },
    { id: 'user_ines', email: 'ines@mail-only.test', email_verified: true },
    { id: 'user_wolfe', email: long.email, password: 'correct horse', email_verified: true, ...long.person },
  ],
  organizations: [
    { id: 'org_acme', name: 'Acme Corporation', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
    { id: 'org_globex', name: 'Globex' },
    {
      id: 'org_strict',
      name: 'Strict',
      domain_data: [{ domain: 'strict.test', state: 'verified' }],
      authentication_policy: { mfa_required: true },
    },
    {
      id: 'org_closed',
      name: 'Closed',
      domain_data: [{ domain: 'closed.test', state: 'verified' }],
      authentication_policy: { sso_required: true },
    },
    {
      id: 'org_mail',
      name: 'Mail only',
      domain_data: [{ domain: 'mail-only.test', state: 'verified' }],
      authentication_policy: { auth_methods: { magic_auth: true, microsoft_oauth: true } },
    },
    {
      id: 'org_word',
      name: long.word,
      domain_data: [{ domain: 'donaudampfschifffahrtselektrizitaeten.test', state: 'verified' }],
    },
    { id: 'org_words', name: long.words },
  ],
  memberships: [
    { user_id: 'user_ada', organization_id: 'org_acme' },
    { user_id: 'user_ada', organization_id: 'org_globex' },
    { user_id: 'user_wolfe', organization_id: 'org_word' },
    { user_id: 'user_wolfe', organization_id: 'org_words' },
  ],
  connections: [
    {
      id: 'conn_acme',
      organization_id: 'org_acme',
      connection_type: 'OktaSAML',
      profiles: [
        { email: 'linus@acme.test', first_name: 'Linus', last_name: 'Example' },
        { email: 'nameless@acme.test' },
      ],
    },
    { id: 'conn_one', organization_id: 'org_closed', name: 'Closed by Okta', connection_type: 'OktaSAML' },
    {
      id: 'conn_word',
      organization_id: 'org_word',
      connection_type: 'OktaSAML',
      name: long.words,
      profiles: [{ email: long.email, ...long.person }],
    },
    { id: 'conn_two', organization_id: 'org_closed', name: 'Closed by Entra', connection_type: 'EntraIdOIDC' },
  ],
};

requires('chromium-headless-shell')('in Chromium,', () => {
  let emulator: Emulator;
  let url: string;
  let application: Server;
  let redirectUri: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    // The callback of the application redirects to another port, as in many applications.
    const front = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Front</title><h1>Welcome</h1>');
    });
    await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
    const { port: frontPort } = front.address() as AddressInfo;
    application = createServer((request, response) => {
      const given = new URL(request.url ?? '/', 'http://localhost').search;
      response.writeHead(302, { location: `http://127.0.0.1:${frontPort}/home${given}` }).end();
    });
    application.on('close', () => front.close());
    await new Promise<void>((resolve) => void application.listen(0, '127.0.0.1', resolve));
    redirectUri = `http://localhost:${(application.address() as AddressInfo).port}/callback`;
    emulator = await createEmulator({ seed });
    url = await emulator.listen();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await emulator?.close();
    application?.closeAllConnections();
    application?.close();
  });
  beforeEach(async () => {
    await emulator.reset();
    page = await browser.newPage();
    return () => page.close();
  });
  const withoutScripts = async () => {
    await page.close();
    page = await browser.newPage({ javaScriptEnabled: false });
  };

  const authorize = async (params: Readonly<Record<string, string>> = { provider: 'hosted-login' }) => {
    await page.goto(
      `${url}/user_management/authorize?${new URLSearchParams({
        client_id: emulator.credentials.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        state: 'back to work',
        ...params,
      })}`,
    );
  };
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).click();
  const signIn = async (email: string, password = 'correct horse') => {
    await authorize();
    await page.getByLabel('Email address').fill(email);
    await press('Continue');
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
  };
  const atHome = async () => {
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    return new URL(page.url()).searchParams.get('code') !== null;
  };

  /** The steps that lead to each page, by the name of its picture. */
  const walks: Readonly<Record<string, () => Promise<void>>> = {
    'sign-in': () => authorize(),
    'sign-in-wrong': async () => {
      await authorize();
      await press('Continue');
    },
    password: async () => {
      await authorize();
      await page.getByLabel('Email address').fill('ada@example.com');
      await press('Continue');
    },
    'password-wrong': () => signIn('ada@example.com', 'wrong horse'),
    'password-or-sso': async () => {
      await authorize();
      await page.getByLabel('Email address').fill('linus@acme.test');
      await press('Continue');
    },
    code: async () => {
      await walks.password!();
      await press('Email me a code');
    },
    'code-wrong': async () => {
      await walks.code!();
      await page.getByLabel('Code').fill('12');
      await press('Continue');
    },
    'sign-up': () => authorize({ provider: 'hosted-login', screen_hint: 'sign-up' }),
    'sign-up-wrong': async () => {
      await walks['sign-up']!();
      await press('Create account');
    },
    'email-verification': async () => {
      await walks['sign-up']!();
      await page.getByLabel('Email address').fill('linda@example.com');
      await page.getByLabel('Password').fill('battery staple');
      await press('Create account');
    },
    'mfa-challenge-choice': () => signIn('grace@example.com'),
    'mfa-challenge-app': async () => {
      await signIn('grace@example.com');
      await press(/Authenticator app/);
    },
    'mfa-challenge-text-message': async () => {
      await signIn('grace@example.com');
      await press(/Text message/);
    },
    'mfa-enrollment': () => signIn('mary@strict.test'),
    'mfa-enrollment-telephone': async () => {
      await signIn('mary@strict.test');
      await page.getByLabel('Phone number').fill('+1 500 555 0006');
      await press('Use text messages');
    },
    'password-not-allowed': async () => {
      await authorize();
      await press('Continue with Google');
      await page.getByLabel('Email address').fill('ines@mail-only.test');
      await press('Agree and continue');
    },
    organization: () => signIn('ada@example.com'),
    sso: async () => {
      await authorize();
      await page.getByLabel('Email address').fill('eve@closed.test');
      await press('Continue');
    },
    'identity-provider': async () => {
      await authorize({ connection_id: 'conn_acme' });
      await page.getByText('Simulate a failure').click();
    },
    provider: async () => {
      await authorize({ provider: 'GoogleOAuth' });
      await page.getByText('Simulate a failure').click();
    },
    'forgot-password': async () => {
      await walks.password!();
      await page.getByText('Forgot your password?').click();
    },
    'forgot-password-sent': async () => {
      await walks['forgot-password']!();
      await press('Send link');
    },
    'reset-password': async () => {
      await walks['forgot-password-sent']!();
      await page.goto((await emulator.inbox.waitFor({ kind: 'password_reset' })).url!);
    },
    'reset-password-wrong': async () => {
      await walks['reset-password']!();
      await press('Change password');
    },
    'password-changed': async () => {
      await walks['reset-password']!();
      await page.getByLabel('New password', { exact: true }).fill('battery staple');
      await page.getByLabel('Repeat new password').fill('battery staple');
      await press('Change password');
    },
    invitation: async () => {
      await page.goto(await invite());
    },
    'invitation-accepted': async () => {
      await page.goto(await invite());
      await press('Accept');
    },
    'invitation-to-an-application': async () => {
      await emulator.addRedirectUri(redirectUri);
      await page.goto(await invite());
    },
    'long-password': async () => {
      await authorize();
      await page.getByLabel('Email address').fill(long.email);
      await press('Continue');
    },
    'long-code-wrong': async () => {
      await walks['long-password']!();
      await press('Email me a code');
      await page.getByLabel('Code').fill('12');
      await press('Continue');
    },
    'long-organization': () => signIn(long.email),
    'long-identity-provider': () => authorize({ connection_id: 'conn_word' }),
    'long-forgot-password-sent': async () => {
      await walks['long-password']!();
      await page.getByText('Forgot your password?').click();
      await press('Send link');
    },
    'long-invitation': async () => {
      await page.goto(
        await invite({ email: `linda.${long.email}`, organization_id: 'org_words', inviter_user_id: 'user_wolfe' }),
      );
    },
    'long-inbox': async () => {
      await walks['long-forgot-password-sent']!();
      await page.goto(`${url}/_emulator/inbox?to=${long.email}`);
    },
    'signed-out': async () => {
      await page.goto(`${url}/user_management/sessions/logout?session_id=session_ended`);
    },
    error: async () => {
      await page.goto(`${url}/hosted/sign-in?authorization=none`);
    },
    inbox: async () => {
      await walks['reset-password']!();
      await page.goto(`${url}/_emulator/inbox`);
    },
    'inbox-empty': async () => {
      await page.goto(`${url}/_emulator/inbox?to=ada@example.com`);
    },
  };

  async function invite(body: object = { email: 'linda@example.com', organization_id: 'org_acme' }): Promise<string> {
    await fetch(`${url}/user_management/invitations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await emulator.inbox.waitFor({ kind: 'invitation' })).url!;
  }

  test.each(Object.keys(walks))(
    'the hosted page "%s" passes accessibility checks and fits phone and desktop screens',
    async (name) => {
      await walks[name]!();

      expect(await findingsOnScreens(page, name)).toEqual([]);
    },
  );

  test('the inbox page shows new mail without a reload, and can be emptied', async () => {
    await page.goto(`${url}/_emulator/inbox`);
    let reloads = 0;
    page.on('framenavigated', () => reloads++);

    await invite();
    await page.getByText('invitation to linda@example.com').waitFor();
    const before = reloads;
    await press('Empty inbox');
    await page.getByText('No messages yet').waitFor();

    expect([before, emulator.inbox.messages]).toEqual([0, []]);
  });

  test('the sign-in page lets a keyboard user choose a seeded user', async () => {
    await withoutScripts();
    await authorize();
    const grace = page.getByRole('button', { name: 'Grace Hopper' });
    for (let i = 0; i < 20 && !(await grace.evaluate((button) => button === document.activeElement)); i++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Choose a verification method' }).waitFor();
  });

  test("a sign-in allows the application's callback to redirect the browser again", async () => {
    await withoutScripts();
    await signIn('ada@example.com');
    await press('Globex');

    expect(await atHome()).toBe(true);
  });
});
