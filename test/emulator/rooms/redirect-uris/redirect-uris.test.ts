import { describe, expect, test } from 'vitest';
import { createEmulatorWith } from '../../../../src/emulator/command-line.js';
import type { EmulatorOptions } from '../../../../src/emulator/index.js';
import { sender } from '../../../servers/send.js';
import { stage } from '../../../stage.js';
import { browse } from '../../browser.js';
import { Browser } from '../../hosted/hosted-browser.js';

/** Start an emulator. `allows` tells whether its authorization URL accepts a redirect URI. */
async function startWith(redirectUris: readonly string[], options: EmulatorOptions = {}) {
  const { emulator } = await stage({ seed: { redirect_uris: redirectUris }, ...options });
  const open = browse(emulator);
  const allows = async (uri: string) => {
    const query = { client_id: 'client_sallyport_emulator', redirect_uri: uri, response_type: 'code' };
    const { status, headers } = await open('/user_management/authorize', query);
    if (status === 400) return false;
    expect([status, headers.get('location')?.startsWith(uri)]).toEqual([302, true]);
    return true;
  };
  return { emulator, allows };
}

describe('if no redirect URI is registered,', () => {
  test.each([
    'http://localhost:3000/callback',
    'http://127.0.0.1:49152/callback',
    'http://[::1]:3000/',
    'https://app.localhost:8443/callback',
  ])('the emulator allows the local redirect URI %s, but only in staging', async (uri) => {
    expect(await (await startWith([])).allows(uri)).toBe(true);
    expect(await (await startWith([], { environment: 'production' })).allows(uri)).toBe(false);
  });

  test.each([
    'https://app.acme.test/callback',
    'http://localhost.evil.test/',
    'http://evil.test/?localhost',
    'http://localhost@evil.test/',
    'http://127.0.0.1.evil.test/',
    'http://localhost:3000/#here',
    'http://*.app.localhost/',
    'localhost:3000/callback',
  ])('the emulator rejects the redirect URI %s', async (uri) => {
    expect(await (await startWith([])).allows(uri)).toBe(false);
  });
});

describe('a registered redirect URI', () => {
  test('makes the emulator reject every redirect URI that does not match', async () => {
    const { emulator, allows } = await startWith([]);
    await emulator.addRedirectUri('https://*.acme.test/callback');

    expect(await allows('https://eu.acme.test/callback')).toBe(true);
    expect(await allows('https://a.b.acme.test/callback')).toBe(false);
    expect(await allows('https://acme.test/callback')).toBe(false);
    expect(await allows('http://localhost:3000/callback')).toBe(false);
  });

  test('with a loopback address and no port matches every port, even in production', async () => {
    const { allows } = await startWith(['http://127.0.0.1/callback'], { environment: 'production' });

    expect(await allows('http://127.0.0.1:49152/callback')).toBe(true);
    expect(await allows('http://127.0.0.1:49152/elsewhere')).toBe(false);
  });

  // RFC 8252 section 7.3: native clients cannot choose their port beforehand, and use the IP address as their host.
  test.each(
    (
      [
        ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback', true],
        ['http://127.0.0.1/callback', 'http://127.0.0.1/callback', true],
        ['http://[::1]/callback', 'http://[::1]:49152/callback', true],
        ['http://[::1]/callback', 'http://127.0.0.1:49152/callback', false],
        ['http://127.0.0.1:3000/callback', 'http://127.0.0.1:3000/callback', true],
        ['http://127.0.0.1:3000/callback', 'http://127.0.0.1:3001/callback', false],
        ['http://127.0.0.1:3000/callback', 'http://127.0.0.1/callback', false],
        ['http://[::1]:3000/callback', 'http://[::1]:3001/callback', false],
        ['http://localhost/callback', 'http://localhost/callback', true],
        ['http://localhost/callback', 'http://localhost:3000/callback', false],
        ['http://localhost:3000/callback', 'http://localhost:3001/callback', false],
      ] as const
    ).map(
      ([registered, uri, isAllowed]) => [registered, isAllowed ? 'matches' : 'does not match', uri, isAllowed] as const,
    ),
  )('with the value %s %s %s', async (registered, _, uri, isAllowed) => {
    expect(await (await startWith([registered])).allows(uri)).toBe(isAllowed);
  });

  test('is removed by a reset unless the seed contains the URI', async () => {
    const { emulator, allows } = await startWith(['https://app.acme.test/callback']);
    await emulator.addRedirectUri('https://other.acme.test/callback');

    await emulator.reset();

    expect([await allows('https://app.acme.test/callback'), await allows('https://other.acme.test/callback')]).toEqual([
      true,
      false,
    ]);
  });
});

describe('the registration of a redirect URI is rejected', () => {
  test.each([
    ['https://*.com/callback', 'wildcard_beside_top_level_domain'],
    ['https://*.github.io/callback', 'wildcard_on_public_suffix'],
    ['https://*.*.acme.test/callback', 'wildcard_repeated'],
    ['https://ada@acme.test/callback', 'userinfo_not_allowed'],
  ])('if the URI is %s (%s)', async (uri, rule) => {
    const { emulator } = await startWith([]);

    await expect(emulator.addRedirectUri(uri)).rejects.toMatchObject({
      status: 422,
      code: 'invalid_redirect_uri',
      fields: { errors: [{ code: rule, message: expect.stringContaining(rule) }] },
    });
    await expect(startWith([uri])).rejects.toThrow(`(${rule})`);
  });

  test('if the URI uses http in production', async () => {
    const uri = 'http://app.acme.test/callback';

    await expect(startWith([uri], { environment: 'production' })).rejects.toThrow('(https_required)');
    await expect(startWith([uri])).resolves.toBeDefined();
  });

  test('if the URI is already registered', async () => {
    const { emulator } = await startWith(['https://app.acme.test/callback']);

    const again = emulator.addRedirectUri('https://app.acme.test/callback');

    await expect(again).rejects.toMatchObject({ status: 409, code: 'redirect_uri_already_exists' });
  });
});

describe('the invitation page', () => {
  test.each([
    [
      "names the application's host if no redirect URI is registered",
      'http://localhost:5999/back',
      [],
      'localhost:5999',
    ],
    [
      "names the application's host if the application's redirect URI is registered",
      'http://localhost:5999/back',
      ['http://a.localhost/', 'http://localhost:5999/back'],
      'localhost:5999',
    ],
    [
      "names the host of a registered redirect URI if the application's redirect URI is not registered",
      'http://localhost:5999/back',
      ['http://a.localhost/'],
      'a.localhost',
    ],
    ["names no host if the application's redirect URI is not allowed", 'https://acme.test/back', [], undefined],
    ["names no host if the application's redirect URI is unknown", undefined, [], undefined],
  ])('%s', async (_, redirectUri, registered, host) => {
    const emulator = await createEmulatorWith(
      { seed: { redirect_uris: registered } },
      redirectUri === undefined ? {} : { redirectUri },
    );
    const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
    const { body } = await send('POST /user_management/invitations', { email: 'ada@acme.test' });
    const browser = new Browser(emulator);

    await browser.open(`/invitations/accept?token=${body.token}`);

    expect(browser.text.match(/to continue to (\S+)/)?.[1]).toBe(host);
  });
});

describe('the error page about redirect URIs', () => {
  const query = { client_id: 'client_sallyport_emulator', response_type: 'code' };
  const open = async (redirectUris: readonly string[], uri?: string) => {
    const { emulator } = await startWith(redirectUris);
    const visit = browse(emulator);
    const asked = uri === undefined ? query : { ...query, redirect_uri: uri };
    const { text } = await visit('/user_management/authorize', asked);
    return text;
  };

  test.each([
    ['an unregistered redirect URI', 'https://app.acme.test/calback'],
    ['no redirect URI', undefined],
  ])('lists the registered redirect URIs if the request has %s', async (_what, uri) => {
    const text = await open(['https://app.acme.test/callback', 'https://*.acme.test/"quoted"'], uri);

    expect(text).toContain('<li><code>https://app.acme.test/callback</code></li>');
    expect(text).toContain('<li><code>https://*.acme.test/&quot;quoted&quot;</code></li>');
    expect(text).toContain('<code>redirect_uris</code> of the seed');
  });

  test('names the allowed URLs if no redirect URI is registered', async () => {
    const text = await open([], 'https://app.acme.test/callback');

    expect(text).toContain('None is registered, so every address on this machine is allowed, such as');
    expect(text).not.toContain('<li>');
  });

  test('names no allowed URL in production if no redirect URI is registered', async () => {
    const { emulator } = await stage({ environment: 'production' });

    const { text } = await browse(emulator)('/user_management/authorize', {
      ...query,
      redirect_uri: 'http://localhost/',
    });

    expect(text).toContain('None is registered.');
    expect(text).not.toContain('this machine works');
  });

  test('lists the registered redirect URIs after a sign-out with an unregistered return URI', async () => {
    const { emulator } = await startWith(['https://app.acme.test/']);

    const { text } = await browse(emulator)('/user_management/sessions/logout', {
      session_id: 'session_none',
      return_to: 'https://app.acme.test/bye',
    });

    expect(text).toContain('You have signed out');
    expect(text).toContain('<li><code>https://app.acme.test/</code></li>');
  });

  test('does not list the registered redirect URIs if the client ID is wrong', async () => {
    const { emulator } = await startWith(['https://app.acme.test/']);

    const { text } = await browse(emulator)('/user_management/authorize', { ...query, client_id: 'client_other' });

    expect(text).toContain('The client_id is missing');
    expect(text).not.toContain('https://app.acme.test/');
  });
});
