import { describe, expect, test } from 'vitest';
import {
  createEmulator,
  type Emulator,
  type EmulatorEnvironment,
  type EmulatorOptions,
} from '../../../src/emulator/index.js';
import { Sallyport } from '../../../src/index.js';
import { createSessions } from '../../../src/session/index.js';
import { sender } from '../../servers/send.js';
import { Jar } from '../../session/jar.js';
import { stage } from '../../stage.js';
import { Browser } from '../hosted/hosted-browser.js';

const redirectUri = 'https://app.acme.test/callback';

/** An emulator with a stopped clock and a client for each environment. */
async function startBoth(options: EmulatorOptions = {}) {
  const { emulator } = await stage(options);
  const { production } = emulator;
  await production.addRedirectUri(redirectUri);
  await emulator.addRedirectUri(redirectUri);
  const clientOf = ({ credentials }: EmulatorEnvironment) => new Sallyport({ ...credentials, fetch: emulator.fetch });
  return { emulator, production, inStaging: clientOf(emulator), inProduction: clientOf(production) };
}

const ada = { email: 'ada@acme.test', password: 'correct horse', emailVerified: true };
const codeIn = ({ left }: Browser): string => left?.searchParams.get('code') ?? '';

describe('the staging and production environments', () => {
  test('share only the URL and the clock', async () => {
    const { emulator, production, inStaging, inProduction } = await startBoth();
    const heard: string[] = [];
    emulator.onEvent(({ event }) => heard.push(`staging ${event}`));
    production.onEvent(({ event }) => heard.push(`production ${event}`));

    const { id } = await inProduction.organizations.createOrganization({ name: 'Acme' });
    await inStaging.userManagement.createUser(ada);

    expect(production.credentials).toEqual({
      apiKey: 'sk_live_sallyport_emulator',
      clientId: 'client_sallyport_emulator_production',
      baseUrl: emulator.url,
      dialect: 'spec',
    });
    await expect(inStaging.organizations.getOrganization(id)).rejects.toMatchObject({ status: 404 });
    expect((await inProduction.userManagement.listUsers()).data).toEqual([]);
    expect((await inProduction.events.listEvents()).data.map(({ event }) => event)).toEqual(['organization.created']);
    expect(heard).toEqual(['production organization.created', 'staging user.created']);
    await production.clock.advance('1d');
    expect(emulator.clock.iso()).toBe('2026-01-02T00:00:00.000Z');
  });

  test('have separate API keys, and each key reads the data of one environment', async () => {
    const { emulator, production } = await startBoth();
    const send = (key: string) => sender(emulator.fetch, emulator.url, key);

    await production.addApiKey({ value: 'sk_live_second' });
    await send('sk_live_second')('POST /organizations', { name: 'Acme' });

    expect((await send('sk_live_sallyport_emulator')('GET /organizations')).body.data).toHaveLength(1);
    expect((await send('sk_test_sallyport_emulator')('GET /organizations')).body.data).toEqual([]);
    expect((await send('sk_live_third')('GET /organizations')).status).toBe(401);
  });

  test('accept different redirect URIs', async () => {
    const { emulator, production } = await startBoth();

    await emulator.addRedirectUri('http://localhost:3000/callback');

    await expect(production.addRedirectUri('http://localhost:3000/callback')).rejects.toMatchObject({
      code: 'invalid_redirect_uri',
    });
  });

  test('are reset together, each with a separate seed', async () => {
    const { emulator, production, inStaging, inProduction } = await startBoth({
      seed: { organizations: [{ name: 'Staged' }] },
      production: { seed: { organizations: [{ name: 'Live' }] } },
    });
    const names = async () => {
      const lists = [
        await inStaging.organizations.listOrganizations(),
        await inProduction.organizations.listOrganizations(),
      ];
      return lists.map(({ data }) => data.map(({ name }) => name));
    };
    await inStaging.organizations.createOrganization({ name: 'New' });
    await inProduction.organizations.createOrganization({ name: 'New' });
    const before = await names();

    await production.reset();

    expect(before).toEqual([
      ['New', 'Staged'],
      ['New', 'Live'],
    ]);
    expect(await names()).toEqual([['Staged'], ['Live']]);
    expect((await emulator.fetch('/health')).status).toBe(200);
  });

  test('never create the same id, even if the emulator uses an id seed', async () => {
    const { inStaging, inProduction } = await startBoth();

    const one = await inStaging.organizations.createOrganization({ name: 'Acme' });
    const other = await inProduction.organizations.createOrganization({ name: 'Acme' });

    expect(one.id).not.toBe(other.id);
  });

  test('are selected by the API key of a control request over HTTP', async () => {
    const { emulator, production } = await startBoth();
    await emulator.listen();
    const send = sender(fetch, emulator.url, production.credentials.apiKey);

    await send('POST /_emulator/failures/organizations.list', {});
    const staged = await sender(fetch, emulator.url, emulator.credentials.apiKey)('GET /organizations');

    expect([staged.status, (await send('GET /organizations')).status]).toEqual([200, 503]);
  });

  test('have separate rate limits, except for the limit per IP address', async () => {
    const { emulator, inStaging, inProduction } = await startBoth();
    const once = { maxRetries: 0 };
    await emulator.setRateLimit('user_management_reads', { requests: 1 });
    await emulator.setRateLimit('all_requests', { requests: 2 });

    await inStaging.userManagement.listUsers({}, once);
    await inProduction.userManagement.listUsers({}, once);

    const third = inProduction.organizations.listOrganizations({}, once);
    await expect(third).rejects.toMatchObject({ message: expect.stringContaining('All requests') });
  });
});

describe.each(['staging', 'production'] as const)('in the %s environment,', (name) => {
  const environmentOf = (emulator: Emulator): EmulatorEnvironment =>
    name === 'staging' ? emulator : emulator.production;

  async function signIn() {
    const { emulator, inStaging, inProduction } = await startBoth();
    const environment = environmentOf(emulator);
    const sallyport = name === 'staging' ? inStaging : inProduction;
    const user = await sallyport.userManagement.createUser(ada);
    const other = name === 'staging' ? inProduction : inStaging;
    return { emulator, environment, sallyport, other, user, browser: new Browser(emulator) };
  }

  test('a sign-in on the hosted page creates a session that ends at the sign-out', async () => {
    const { emulator, environment, sallyport, user, browser } = await signIn();
    await browser.open(sallyport.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));
    await browser.press('Continue', { email: ada.email });
    await browser.press('Sign in', { password: ada.password });
    const sessions = createSessions({
      ...environment.credentials,
      cookiePassword: 'correct-horse-battery-staple-0001',
      fetch: emulator.fetch,
      now: () => emulator.clock.now(),
    });

    const tokens = await sallyport.userManagement.authenticateWithCode({ code: codeIn(browser) });
    const jar = new Jar();
    jar.keep(await sessions.create(tokens));
    const { session } = await sessions.handle({ headers: jar.headers });
    const logout = sallyport.userManagement.getLogoutUrl({ sessionId: session!.sessionId, returnTo: redirectUri });
    const out = await emulator.fetch(logout, { redirect: 'manual' });

    expect(tokens.user.id).toBe(user.id);
    expect(session!.user.id).toBe(user.id);
    expect(out.headers.get('location')).toBe(redirectUri);
    const refreshed = sallyport.userManagement.authenticateWithRefreshToken({ refreshToken: tokens.refreshToken });
    await expect(refreshed).rejects.toMatchObject({ status: 400 });
  });

  test('a user who is signed in to both environments signs in again without a password', async () => {
    const { sallyport, other, browser } = await signIn();
    await other.userManagement.createUser(ada);
    for (const client of [sallyport, other]) {
      await browser.open(client.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));
      await browser.press('Continue', { email: ada.email });
      await browser.press('Sign in', { password: ada.password });
    }

    await browser.open(sallyport.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));

    const { user } = await sallyport.userManagement.authenticateWithCode({ code: codeIn(browser) });
    expect(user.email).toBe(ada.email);
  });

  test("the sign-in page accepts a code from the environment's inbox", async () => {
    const { environment, sallyport, browser } = await signIn();
    await browser.open(sallyport.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));
    await browser.press('Continue', { email: ada.email });
    await browser.press('Email me a code');
    const inbox = browser.copy();
    await inbox.follow('inbox');
    const { code } = environment.inbox.latest(ada.email)!;

    await browser.press('Continue', { code: code! });

    expect(inbox.text).toContain(code);
    expect(codeIn(browser)).not.toBe('');
  });

  test('a sign-in returns the same authorization code if the user submits the form twice', async () => {
    const { sallyport, browser } = await signIn();
    await browser.open(sallyport.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));
    await browser.press('Continue', { email: ada.email });
    const second = browser.copy();
    await browser.press('Sign in', { password: ada.password });

    await second.press('Sign in', { password: ada.password });

    expect(codeIn(browser)).not.toBe('');
    expect(codeIn(second)).toBe(codeIn(browser));
  });

  test('the token endpoint of the workos dialect accepts client credentials in a header', async () => {
    const { emulator } = await startBoth({ dialect: 'workos' });
    const { apiKey, clientId } = environmentOf(emulator).credentials;
    const ask = (id: string, secret: string) =>
      emulator.fetch('/user_management/authenticate', {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${id}:${secret}`)}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ grant_type: 'authorization_code', code: 'unknown' }),
      });
    const codeOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { error: unknown }).error;

    expect(await codeOf(await ask(clientId, apiKey))).toBe('invalid_grant');
    expect(await codeOf(await ask(clientId, 'sk_unknown'))).toBe('invalid_client');
  });

  test('a sign-in with a social provider returns the URL of a profile picture', async () => {
    const { emulator, sallyport, browser } = await signIn();
    await browser.open(sallyport.userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', redirectUri }));
    await browser.press('Agree and continue', { email: 'grace@acme.test' });

    const { user } = await sallyport.userManagement.authenticateWithCode({ code: codeIn(browser) });

    expect(await (await emulator.fetch(user.profilePictureUrl!)).text()).toContain('>G</text>');
  });

  test('single sign-on returns an access token that can read the profile', async () => {
    const { environment, sallyport, browser } = await signIn();
    const { id } = await environment.createConnection({ name: 'Okta', connectionType: 'OktaSAML' });
    await browser.open(sallyport.sso.getAuthorizationUrl({ connection: id, redirectUri }));
    await browser.press('Sign in', { email: 'grace@acme.test' });

    const { accessToken, profile } = await sallyport.sso.getProfileAndToken({ code: codeIn(browser) });
    const again = await sallyport.sso.getProfile({ accessToken });

    expect([profile.email, again.id]).toEqual(['grace@acme.test', profile.id]);
  });

  test('a sign-in can start at the identity provider of a connection', async () => {
    const { emulator, environment, browser } = await signIn();
    const { id } = await environment.createConnection({ name: 'Okta', connectionType: 'OktaSAML' });

    await browser.open(`${emulator.url}/sso/idp-initiated/${id}`);
    await browser.press('Sign in', { email: 'grace@acme.test' });

    expect(codeIn(browser)).not.toBe('');
  });

  test("a page can read token responses only for the environment's public client", async () => {
    const { emulator, environment, sallyport, browser } = await signIn();
    const origin = 'https://spa.acme.test';
    await environment.addRedirectUri(`${origin}/callback`);
    const { url, codeVerifier } = await sallyport.userManagement.getAuthorizationUrlWithPKCE({
      provider: 'authkit',
      redirectUri: `${origin}/callback`,
    });
    await browser.open(url);
    await browser.press('Continue', { email: ada.email });
    await browser.press('Sign in', { password: ada.password });
    const ask = (clientId: string) =>
      emulator.fetch('/user_management/authenticate', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'authorization_code',
          client_id: clientId,
          code: codeIn(browser),
          code_verifier: codeVerifier,
        }),
      });
    const { production } = emulator;
    const foreign = await ask((name === 'staging' ? production : emulator).credentials.clientId);

    const own = await ask(environment.credentials.clientId);

    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([400, null]);
  });

  test('the links for invitations, password resets and the Admin Portal can be opened', async () => {
    const { environment, sallyport, other, browser } = await signIn();
    const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });
    const titleAt = async (url: string | null | undefined) => {
      await browser.open(url ?? '');
      return [browser.status, browser.title];
    };

    await sallyport.userManagement.sendInvitation({ email: 'grace@acme.test' });
    await browser.open(sallyport.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));
    await browser.press('Continue', { email: ada.email });
    await browser.follow('Forgot your password?');
    await browser.press('Send link', { email: ada.email });
    const { link } = await sallyport.portal.generateLink({ organization: id, intent: 'sso' });
    const mailed = (address: string) => environment.inbox.latest(address)?.url;

    expect(await titleAt(mailed('grace@acme.test'))).toEqual([200, 'You have been invited']);
    expect(await titleAt(mailed(ada.email))).toEqual([200, 'Choose a new password']);
    expect(await titleAt(link)).toEqual([200, 'Set up single sign-on']);
    await browser.press('Okta');
    await browser.press('Activate connection');
    expect((await sallyport.sso.listConnections()).data).toMatchObject([{ organizationId: id, state: 'active' }]);
    expect((await other.userManagement.listUsers()).data).toEqual([]);
  });
});

describe("the emulator's options", () => {
  test("can set production's API key and client id", async () => {
    const { production, inProduction } = await startBoth({
      production: { apiKey: 'sk_live_acme', clientId: 'client_live' },
    });

    expect(production.credentials).toMatchObject({ apiKey: 'sk_live_acme', clientId: 'client_live' });
    expect((await inProduction.organizations.listOrganizations()).data).toEqual([]);
  });

  test.each([
    [
      'set the staging API key as the production API key',
      { production: { apiKey: 'sk_test_sallyport_emulator' } },
      'production.apiKey',
    ],
    [
      'set the staging client id as the production client id',
      { clientId: 'client_a', production: { clientId: 'client_a' } },
      'production.clientId',
    ],
    [
      'add a production environment if production is already the main environment',
      { environment: 'production', production: {} } as const,
      'production',
    ],
  ])('cannot %s', async (_, options, named) => {
    await expect(createEmulator(options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(named),
    });
  });

  test('can make production the only environment', async () => {
    const { emulator } = await stage({ environment: 'production' });

    await emulator.production.createConnection({ id: 'conn_okta', name: 'Okta', connectionType: 'OktaSAML' });

    expect(emulator.production.credentials).toEqual(emulator.credentials);
    const { apiKey } = emulator.credentials;
    expect((await sender(emulator.fetch, emulator.url, apiKey)('GET /connections/conn_okta')).status).toBe(200);
  });
});
