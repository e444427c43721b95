import { beforeEach, describe, expect, test } from 'vitest';
import fc, { anyText, triesAll } from '../../runner/property.js';
import { browse, oneBrowser } from '../browser.js';
import { apiKey, clientId, signingIn, urn } from './signing-in.js';

const redirectUri = 'http://localhost:3000/callback';
const verifier = 'a-code-verifier-of-forty-three-characters-or-more';
const challenge = 'MYsLOCVxUQCQz-7CMFqwRBVvRK0ixY3pn6jGh1jzsWA';
const hash = '$2b$04$MNtO/.KNHEoBQHentRIJNeSjvKB2qkaEa4XEsgARRb2yeSb.Roiie';

const pages = [
  'code',
  'mfa-enrollment',
  'forgot-password',
  'identity-provider',
  'organization-selection',
  'authentication-methods',
  'provider',
  'reset-password',
  'mfa-challenge',
  'sign-in',
  'sign-up',
  'sso',
  'email-verification',
];

/** Creates a world with an open sign-in at every step, and collects valid values and all secrets. */
async function busyWorld() {
  const world = await signingIn({
    autoApprove: false,
    seed: {
      organizations: [
        {
          id: 'org_northwind',
          name: 'Northwind <b>',
          domain_data: [{ domain: 'northwind.test', state: 'verified' }],
          authentication_policy: { sso_required: true },
        },
      ],
      connections: [{ id: 'conn_okta', organization_id: 'org_northwind', connection_type: 'OktaSAML' }],
      users: [{ email: 'imported@example.com', password_hash: hash, password_hash_type: 'bcrypt' }],
    },
  });
  const { emulator, send, grant, byPassword, user, organization } = world;
  const ada = await user('ada@example.com');
  const bob = await user('bob@example.com');
  await user('carol@northwind.test');
  await user('dora@example.com', { email_verified: false });
  const acme = await organization('Acme', ada, bob);
  const globex = await organization('Globex', bob);
  await user('emil@example.com');
  const { body: emil } = await byPassword('emil@example.com');
  const { body: factor } = await send(`POST /user_management/users/${ada.id}/auth_factors`, { type: 'totp' });
  const { body: invitation } = await send('POST /user_management/invitations', {
    email: 'frank@example.com',
    organization_id: acme,
  });
  await send('POST /user_management/password_reset/send', {
    email: 'bob@example.com',
    password_reset_url: 'https://app.test/reset',
  });
  const reset = emulator.inbox.latest()!.token!;
  await send('POST /user_management/magic_auth/send', { email: 'bob@example.com' });
  const pending = await Promise.all(
    ['ada@example.com', 'bob@example.com', 'carol@northwind.test', 'dora@example.com'].map(
      async (email) => (await byPassword(email)).body.pending_authentication_token as string,
    ),
  );
  const open = browse(emulator);
  const authorization = async (params: Readonly<Record<string, string>>): Promise<string> => {
    const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, ...params };
    return (await open('/user_management/authorize', query, oneBrowser.headers)).params.authorization!;
  };
  const press = async (page: string, fields: Readonly<Record<string, string>>): Promise<URL> => {
    const answer = await emulator.fetch(`${emulator.url}/hosted/${page}`, {
      method: 'POST',
      redirect: 'manual',
      headers: oneBrowser.headers,
      body: new URLSearchParams({ ...oneBrowser.fields, ...fields }),
    });
    return new URL(answer.headers.get('location') ?? '/', emulator.url);
  };
  const hosted = { provider: 'hosted-login' };
  const standing = await Promise.all(
    ['ada@example.com', 'bob@example.com', 'dora@example.com'].map(async (email) => {
      const token = await authorization(hosted);
      await press('password', { authorization: token, email, password: 'correct horse' });
      return token;
    }),
  );
  const others = [
    await authorization(hosted),
    await authorization({ connection_id: 'conn_okta' }),
    await authorization({ provider: 'GoogleOAuth' }),
    await authorization({ ...hosted, invitation_token: invitation.token }),
  ];
  const code = async (params: Readonly<Record<string, string>>): Promise<string> => {
    const token = await authorization({ provider: 'GoogleOAuth', ...params });
    return (await press('provider', { authorization: token, email: 'emil@example.com' })).searchParams.get('code')!;
  };
  const codes = [await code({}), await code({ code_challenge: challenge, code_challenge_method: 'S256' })];
  const secrets: string[] = [
    apiKey,
    'correct horse',
    hash,
    emil.refresh_token,
    factor.authentication_factor.totp.secret,
    invitation.token,
    reset,
    ...pending,
    ...codes,
  ];
  const values = [
    ...secrets,
    ...standing,
    ...others,
    ...['ada@example.com', 'bob@example.com', 'carol@northwind.test', 'dora@example.com', 'frank@example.com'],
    ...['authorization_code', 'password', 'refresh_token', 'magic-auth:code', 'code', 'again', 'other', 'phone', 'app'],
    ...['email-verification:code', 'mfa-totp', 'organization-selection'].map(urn),
    ...[clientId, verifier, acme, globex, 'org_northwind', 'conn_okta', factor.authentication_challenge.id],
    ...[
      redirectUri,
      'hosted-login',
      'GoogleOAuth',
      'sign-up',
      'access_denied',
      'oauth_failed',
      '+15005550006',
      '000000',
    ],
  ];
  return { emulator, grant, secrets, values, authorizations: [...standing, ...others] };
}

let world: Awaited<ReturnType<typeof busyWorld>>;
beforeEach(async () => {
  world = await busyWorld();
});

/** Invalid input. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  anyText(40),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `${text}@example.com`),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\ud800@example.com',
    '\u{1f600}@\u4f8b\u3048.test',
    '__proto__',
    'constructor',
    'toString',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>@example.com',
    'a\r\nset-cookie: stolen=1',
    'javascript:alert(1)',
    '//evil.example',
    'http://localhost/\u20ac?x=\u{1f600}',
    '-1',
    '9'.repeat(400),
    `${'long'.repeat(5_000)}@example.com`,
    ['a', ['b']],
    { toString: 1, valueOf: 1 },
    { a: { b: { c: [] } } },
    Number.MAX_VALUE,
  ),
);

const known = fc.nat().map((at) => world.values[at % world.values.length]);
const value = fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: odd });
const fieldsOf = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });

/** Writes a body as JSON, or as a form with text values. */
const written = (fields: unknown): fc.Arbitrary<{ readonly type: string; readonly body: string }> =>
  fc.constantFrom(
    { type: 'application/json', body: JSON.stringify(fields) },
    {
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(
        Object.entries(fields ?? {}).flatMap(([name, one]) =>
          typeof one === 'object' && one !== null
            ? Object.entries(one).map(([key, inner]): [string, string] => [`${name}[${key}]`, JSON.stringify(inner)])
            : [[name, String(one)]],
        ),
      ).toString(),
    },
  );

const headers = fc.record(
  {
    'idempotency-key': fc.oneof(fc.uuid(), fc.constant('k'.repeat(300))),
    origin: fc.constantFrom('http://localhost:3000', 'https://evil.example', 'null'),
    cookie: fc
      .constantFrom('sallyport-emulator-browser=stolen', '=;;=', 'sallyport-emulator-browser')
      .map((odd) => `${odd}; ${oneBrowser.headers.cookie}`),
    accept: fc.constantFrom('text/html', '*/*'),
    authorization: fc.constantFrom('Bearer ', 'Bearer x', 'Basic eA=='),
  },
  { requiredKeys: [] },
);

/** Sends the request, and expects that the emulator does not fail or reveal a secret that the request did not contain. */
async function expectComposure(path: string, init: RequestInit): Promise<void> {
  const { emulator, secrets } = world;
  const answer = await emulator.fetch(emulator.url + path, { redirect: 'manual', ...init });
  const answerText = `${[...answer.headers].join('\n')}\n${await answer.text()}`;
  const asked = `${path} ${typeof init.body === 'string' ? init.body : ''}`;
  const sent = `${asked} ${asked.replace(/%([0-9A-F]{2})|\+/g, (_, hex) => (hex ? String.fromCharCode(Number.parseInt(hex, 16)) : ' '))}`;

  expect(answer.status, answerText).toBeLessThan(500);
  expect(secrets.filter((secret) => answerText.includes(secret) && !sent.includes(secret))).toEqual([]);
  expect(answer.headers.getSetCookie().join()).not.toContain('stolen');
  // Input is escaped in HTML.
  if (answer.headers.get('content-type')?.startsWith('text/html'))
    expect(answerText).not.toMatch(/<script|<img src=x|Northwind <b>/);
}

const tries = { numRuns: triesAll ? 500 : 100 };

describe('random input', () => {
  const posted = (path: fc.Arbitrary<string>, fields: fc.Arbitrary<unknown>) =>
    fc.asyncProperty(path, fc.oneof({ weight: 9, arbitrary: fields }, odd).chain(written), headers, (to, sent, more) =>
      expectComposure(to, {
        method: 'POST',
        headers: { ...oneBrowser.headers, ...more, 'content-type': sent.type },
        body: sent.body,
      }),
    );

  test('in a grant request causes no internal error and leaks no secret', async () => {
    const ownClient = { client_id: clientId, client_secret: apiKey };
    const fields = fc.tuple(
      fc.constantFrom(ownClient, { client_id: clientId }, {}),
      fc.constantFrom(
        'authorization_code',
        'password',
        'refresh_token',
        ...['magic-auth:code', 'email-verification:code', 'mfa-totp', 'organization-selection'].map(urn),
      ),
      fieldsOf(
        ...['client_id', 'client_secret', 'grant_type', 'code', 'code_verifier', 'email', 'password', 'refresh_token'],
        ...['pending_authentication_token', 'authenticationChallengeId', 'authentication_challenge_id'],
        ...['organization_id', 'invitation_token', 'ip_address', 'user_agent'],
      ),
    );

    await fc.assert(
      posted(
        fc.constant('/user_management/authenticate'),
        fields.map(([client, grantType, more]) => ({ ...client, grant_type: grantType, ...more })),
      ),
      tries,
    );
  });

  test('in a profile request causes no internal error and leaks no secret', async () => {
    const fields = fieldsOf('client_id', 'client_secret', 'grant_type', 'code', 'code_verifier');

    await fc.assert(
      posted(
        fc.constant('/sso/token'),
        fields.map((more) => ({ client_id: clientId, grant_type: 'authorization_code', ...more })),
      ),
      tries,
    );
  });

  test('on a hosted page causes no internal error and leaks no secret', async () => {
    const fields = fc.tuple(
      fc.nat().map((at) => world.authorizations[at % world.authorizations.length]),
      fieldsOf(
        ...[
          'authorization',
          'email',
          'password',
          'again',
          'code',
          'way',
          'organization-selection',
          'connection',
          'provider',
        ],
        ...[
          'profile',
          'account',
          'fail',
          'first_name',
          'last_name',
          'groups',
          'unverified',
          'phone',
          'factor',
          'token',
        ],
      ),
    );

    await fc.assert(
      posted(
        fc.constantFrom(...pages.map((page) => `/hosted/${page}`), '/invitations/accept'),
        fields.map(([authorization, more]) => ({ ...oneBrowser.fields, authorization, ...more })),
      ),
      tries,
    );
  });

  test('in a URL that a browser opens causes no internal error and leaks no secret', async () => {
    const path = fc.constantFrom(
      '/user_management/authorize',
      '/sso/authorize',
      '/user_management/sessions/logout',
      '/sso/idp-initiated/conn_okta',
      '/invitations/accept',
      '/_emulator/inbox',
      ...pages.map((page) => `/hosted/${page}`),
    );
    const query = fieldsOf(
      ...['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method', 'provider'],
      ...[
        'connection',
        'connection_id',
        'organization-selection',
        'domain',
        'login_hint',
        'domain_hint',
        'screen_hint',
      ],
      ...['prompt', 'max_age', 'invitation_token', 'nonce', 'session_id', 'return_to', 'token', 'purpose', 'to'],
    );
    const authorization = fc.nat().map((at) => world.authorizations[at % world.authorizations.length]!);
    const right = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri };

    await fc.assert(
      fc.asyncProperty(path, authorization, query, headers, (to, token, more, sent) => {
        const all = { ...right, authorization: token, ...more };
        const texts = Object.entries(all).map(([name, one]): [string, string] => [
          name,
          typeof one === 'string' ? one : JSON.stringify(one),
        ]);
        // The inbox shows secrets on purpose.
        const isInbox = to === '/_emulator/inbox';
        return isInbox
          ? Promise.resolve()
          : expectComposure(`${to}?${new URLSearchParams(texts)}`, { headers: { ...oneBrowser.headers, ...sent } });
      }),
      tries,
    );
  });
});
