import { describe, expect, test } from 'vitest';
import type { EmulatorOptions, Seed } from '../../../../src/emulator/index.js';
import { browse } from '../../browser.js';
import { apiKey, clientId, signingIn } from '../signing-in.js';

const callback = 'http://localhost:3000/callback';
const url = { response_type: 'code', client_id: clientId, redirect_uri: callback };
// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };

const seed: Seed = {
  roles: [{ slug: 'admin' }],
  organizations: [
    { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
    {
      id: 'org_open',
      name: 'Open',
      domain_data: [{ domain: 'open.test', state: 'pending' }],
      allow_profiles_outside_organization: true,
    },
    { id: 'org_pending', name: 'Pending', domain_data: [{ domain: 'pending.test', state: 'pending' }] },
  ],
  users: [
    { id: 'user_bob', email: 'bob@acme.test' },
    { id: 'user_eve', email: 'eve@partner.test', email_verified: true },
  ],
  connections: [
    {
      id: 'conn_acme',
      organization_id: 'org_acme',
      connection_type: 'OktaSAML',
      profiles: [
        {
          id: 'prof_ada',
          idp_id: 'okta-1',
          email: 'ada@acme.test',
          first_name: 'Ada',
          last_name: 'Lovelace',
          role: { slug: 'admin' },
          groups: ['Engineers'],
          custom_attributes: { costCentre: '42' },
          raw_attributes: { 'urn:oid:0.9.2342.19200300.100.1.3': ['ada@acme.test'] },
        },
      ],
    },
    { id: 'conn_open', organization_id: 'org_open', connection_type: 'GenericOIDC' },
    { id: 'conn_pending', organization_id: 'org_pending', connection_type: 'GenericSAML' },
    { id: 'conn_oidc', organization_id: 'org_acme', connection_type: 'GenericOIDC' },
  ],
};

async function startEmulator(options: EmulatorOptions = {}) {
  const { emulator, send, grant } = await signingIn({ seed, autoApprove: true, ...options });
  const open = browse(emulator);
  const token = (code: string | undefined, more: Readonly<Record<string, string | undefined>> = {}, json = false) => {
    const credentials = { client_id: clientId, client_secret: apiKey, grant_type: 'authorization_code' };
    const given = Object.entries({ ...credentials, code, ...more }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return send('POST /sso/token', json ? Object.fromEntries(given) : String(new URLSearchParams(given)), {
      authorization: undefined,
      'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
    });
  };
  const authenticate = (code: string | undefined) => grant('authorization_code', { code });
  const profile = (accessToken?: string) =>
    send('GET /sso/profile', undefined, { authorization: accessToken && `Bearer ${accessToken}` });
  const codeBy = async (query: Readonly<Record<string, string>>) =>
    (await open('/sso/authorize', { ...url, ...query })).params.code;
  const userBy = (connection: string, email: string) =>
    open('/user_management/authorize', { ...url, connection, login_hint: email });
  return { emulator, send, open, token, authenticate, profile, codeBy, userBy };
}

const ada = {
  object: 'profile',
  id: 'prof_ada',
  connection_id: 'conn_acme',
  connection_type: 'OktaSAML',
  organization_id: 'org_acme',
  email: 'ada@acme.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  idp_id: 'okta-1',
  role: { slug: 'admin' },
  groups: ['Engineers'],
  custom_attributes: { costCentre: '42' },
  raw_attributes: { 'urn:oid:0.9.2342.19200300.100.1.3': ['ada@acme.test'] },
};

describe('an SSO code', () => {
  test.each([
    ['a form', false],
    ['JSON', true],
  ])('sent in %s is exchanged for the profile and an access token', async (_what, json) => {
    const { token, profile, codeBy } = await startEmulator();
    const code = await codeBy({ connection: 'conn_acme' });

    const { status, body, headers } = await token(code, {}, json);

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({ access_token: expect.stringMatching(/^[0-9A-Za-z]{40}$/), profile: ada });
    expect(await profile(body.access_token)).toMatchObject({ status: 200, body: ada });
  });

  test('returns the token lifetime, the full name and the roles in the workos dialect', async () => {
    const { token, codeBy } = await startEmulator({ dialect: 'workos' });

    const { body } = await token(await codeBy({ connection: 'conn_acme' }));

    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 600,
      profile: { name: 'Ada Lovelace', roles: [{ slug: 'admin' }] },
    });
  });

  test('creates no user and no session', async () => {
    const { send, token, codeBy } = await startEmulator();

    await token(await codeBy({ connection: 'conn_open', login_hint: 'new@open.test' }));

    expect((await send('GET /user_management/users')).body.data).toHaveLength(2);
    expect((await send('GET /events?events=user.created,session.created')).body.data).toEqual([]);
  });

  test('can be exchanged only once, within ten minutes and with the right code verifier', async () => {
    const { emulator, token, codeBy } = await startEmulator();
    const [used, late, challenged, stolen] = [
      await codeBy({ connection: 'conn_acme' }),
      await codeBy({ connection: 'conn_acme' }),
      await codeBy({ connection: 'conn_acme', ...pkce }),
      await codeBy({ connection: 'conn_acme', ...pkce }),
    ];

    const answers = [
      await token(used),
      await token(used),
      await token(challenged, { code_verifier: verifier, client_secret: undefined }),
      await token(stolen, { code_verifier: `${verifier.slice(0, -1)}X` }),
    ];
    await emulator.clock.advance('10m');
    answers.push(await token(late));

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400, 400]);
    for (const at of [1, 3, 4])
      expect(answers[at]!.body).toMatchObject({ error: 'invalid_grant', error_description: expect.any(String) });
  });

  test('is rejected by user management, and a user management code is rejected by SSO', async () => {
    const { token, authenticate, codeBy, userBy } = await startEmulator();

    const sso = await authenticate(await codeBy({ connection: 'conn_acme' }));
    const user = await token((await userBy('conn_acme', 'ada@acme.test')).params.code);

    expect([sso.body.error, user.body.error]).toEqual(['invalid_grant', 'invalid_grant']);
  });

  test('from a social provider returns a profile that belongs to an environment-level connection', async () => {
    const { send, token, codeBy } = await startEmulator();

    const first = await token(await codeBy({ provider: 'GoogleOAuth', login_hint: 'eve@partner.test' }));
    const again = await token(await codeBy({ provider: 'GoogleOAuth', login_hint: 'eve@partner.test' }));

    expect(first.body.profile).toMatchObject({
      connection_type: 'GoogleOAuth',
      organization_id: null,
      email: 'eve@partner.test',
    });
    expect(again.body.profile).toEqual(first.body.profile);
    const { data } = (await send('GET /connections?connection_type=GoogleOAuth')).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([first.body.profile.connection_id]);
  });
});

describe('an SSO token request', () => {
  test.each([
    ['with an unsupported grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['without a grant type', { grant_type: undefined }, 'unsupported_grant_type'],
    ['without a client ID', { client_id: undefined }, 'invalid_client'],
    ['with an unknown client ID', { client_id: 'client_other' }, 'invalid_client'],
    ['with a wrong client secret', { client_secret: 'sk_test_wrong' }, 'invalid_client'],
    ['without a client secret or a code verifier', { client_secret: undefined }, 'invalid_client'],
    ['without a code', { code: undefined }, 'invalid_request'],
    ['with an unknown code', { code: 'none' }, 'invalid_grant'],
  ])('%s is rejected', async (_what, fields, error) => {
    const { token, codeBy } = await startEmulator();
    const code = await codeBy({ connection: 'conn_acme' });

    const { status, body } = await token(code, fields);

    expect([status, body.error]).toEqual([400, error]);
    // The refused requests have not used up the code.
    expect((await token(code)).status).toBe(200);
  });
});

describe('an access token for a profile', () => {
  test('expires after 600 seconds', async () => {
    const { emulator, token, profile, codeBy } = await startEmulator();
    const { body } = await token(await codeBy({ connection: 'conn_acme' }));

    await emulator.clock.advance('599s');
    const before = await profile(body.access_token);
    await emulator.clock.advance('1s');
    const after = await profile(body.access_token);

    expect([before.status, after.status, after.body.error]).toEqual([200, 401, 'invalid_token']);
    expect(after.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  test('is required to read the profile, and cannot be replaced by an API key', async () => {
    const { profile } = await startEmulator();

    const key = await profile(apiKey);
    const none = await profile();

    expect([key.status, key.body.error, none.status, none.body.error]).toEqual([
      401,
      'invalid_token',
      401,
      'missing_token',
    ]);
  });

  test('is revoked if the SSO code is used again', async () => {
    const { token, profile, codeBy } = await startEmulator();
    const code = await codeBy({ connection: 'conn_acme' });
    const { body } = await token(code);
    const other = await token(await codeBy({ connection: 'conn_acme' }));

    await token(code);

    expect((await profile(body.access_token)).status).toBe(401);
    expect((await profile(other.body.access_token)).status).toBe(200);
  });

  test('is revoked if the connection is deleted', async () => {
    const { send, token, profile, codeBy } = await startEmulator();
    const { body } = await token(await codeBy({ connection: 'conn_acme' }));

    await send('DELETE /connections/conn_acme');

    expect((await profile(body.access_token)).status).toBe(401);
  });
});

describe('an organization', () => {
  test("rejects SAML profiles with an address outside the organization's domains", async () => {
    const { send, codeBy, userBy, open } = await startEmulator();
    const refused = 'profile_not_allowed_outside_organization';

    for (const path of ['/sso/authorize', '/user_management/authorize']) {
      const { params } = await open(path, {
        ...url,
        connection: 'conn_acme',
        login_hint: 'eve@partner.test',
        state: 's',
      });
      expect(params).toEqual({ error: refused, error_description: expect.any(String), state: 's' });
    }
    expect((await userBy('conn_pending', 'ada@acme.test')).params.error).toBe(refused);
    expect(await codeBy({ connection: 'conn_acme', login_hint: 'new@ACME.test' })).toEqual(expect.any(String));
    const { data } = (await send('GET /events?events=authentication.sso_failed')).body;
    expect(data).toHaveLength(3);
    expect(data[0].data).toMatchObject({
      type: 'sso',
      status: 'failed',
      email: 'eve@partner.test',
      error: { code: refused },
    });
  });

  test('accepts a profile in a pending domain, but does not treat the email address as verified', async () => {
    const { authenticate, send, userBy } = await startEmulator();
    await send('POST /user_management/users', { email: 'bruno@pending.test' });

    const { body } = await authenticate((await userBy('conn_pending', 'ada@pending.test')).params.code);
    const { params } = await userBy('conn_pending', 'bruno@pending.test');

    expect(body).toMatchObject({
      user: { email: 'ada@pending.test', email_verified: false },
      organization_id: 'org_pending',
    });
    expect(params).toMatchObject({ error: 'access_denied' });
  });

  test('checks the domain of a profile only for SAML connections', async () => {
    const { authenticate, userBy } = await startEmulator();

    const { body } = await authenticate((await userBy('conn_oidc', 'new@partner.test')).params.code);

    expect(body.user).toMatchObject({ email: 'new@partner.test', email_verified: false });
  });

  test("can allow profiles from outside the organization's domains", async () => {
    const { codeBy } = await startEmulator();

    expect(await codeBy({ connection: 'conn_open', login_hint: 'new@partner.test' })).toEqual(expect.any(String));
  });
});

describe('a user who signs in with SSO', () => {
  test('is created with a verified address and the role of the profile', async () => {
    const { send, authenticate, userBy } = await startEmulator();

    const { body } = await authenticate((await userBy('conn_acme', 'ada@acme.test')).params.code);

    expect(body.user).toMatchObject({ email: 'ada@acme.test', email_verified: true, first_name: 'Ada' });
    expect(body.organization_id).toBe('org_acme');
    const { data } = (await send(`GET /user_management/organization_memberships?user_id=${body.user.id}`)).body;
    expect(data).toMatchObject([{ organization_id: 'org_acme', role: { slug: 'admin' }, status: 'active' }]);
    const events = (await send('GET /events?events=user.created,organization_membership.created')).body.data;
    expect(events.map(({ event }: { event: string }) => event)).toEqual([
      'user.created',
      'organization_membership.created',
    ]);
  });

  test('is matched to an existing user by an address in a verified domain', async () => {
    const { authenticate, userBy } = await startEmulator();

    const { body } = await authenticate((await userBy('conn_acme', 'bob@acme.test')).params.code);

    expect(body).toMatchObject({ user: { id: 'user_bob', email_verified: true }, organization_id: 'org_acme' });
  });

  test("stays the same user if the user's address changes", async () => {
    const { send, authenticate, userBy } = await startEmulator({ dialect: 'workos' });
    const first = await authenticate((await userBy('conn_acme', 'ada@acme.test')).params.code);
    const { id } = first.body.user;
    await send(`PUT /user_management/users/${id}`, { email: 'countess@acme.test' });

    const again = await authenticate((await userBy('conn_acme', 'ada@acme.test')).params.code);

    expect(again.body.user).toMatchObject({ id, email: 'countess@acme.test' });
  });

  test("is not matched to an existing user by an address outside the organization's domains", async () => {
    const { userBy, send } = await startEmulator();

    const { params } = await userBy('conn_open', 'eve@partner.test');

    expect(params).toMatchObject({ error: 'access_denied' });
    expect((await send('GET /user_management/organization_memberships?user_id=user_eve')).body.data).toEqual([]);
  });

  test("is matched to an existing member by an address outside the organization's domains", async () => {
    const { send, authenticate, userBy } = await startEmulator();
    await send('POST /user_management/organization_memberships', { user_id: 'user_eve', organization_id: 'org_open' });

    const { body } = await authenticate((await userBy('conn_open', 'eve@partner.test')).params.code);

    expect(body).toMatchObject({ user: { id: 'user_eve' }, organization_id: 'org_open' });
  });

  test("gets an unverified address if the address is outside the organization's domains", async () => {
    const { authenticate, userBy } = await startEmulator();

    const { body } = await authenticate((await userBy('conn_open', 'new@partner.test')).params.code);

    expect(body).toMatchObject({
      user: { email: 'new@partner.test', email_verified: false },
      organization_id: 'org_open',
    });
  });

  test('is created again if the user has been deleted', async () => {
    const { send, authenticate, userBy } = await startEmulator();
    const first = await authenticate((await userBy('conn_acme', 'ada@acme.test')).params.code);
    await send(`DELETE /user_management/users/${first.body.user.id}`);

    const again = await authenticate((await userBy('conn_acme', 'ada@acme.test')).params.code);

    expect(again.status).toBe(200);
    expect(again.body.user.id).not.toBe(first.body.user.id);
  });
});

describe('a code from a magic link', () => {
  test('is exchanged for a profile that belongs to no organization', async () => {
    const { send, token, open, profile } = await startEmulator();
    const { body: session } = await send('POST /passwordless/sessions', {
      email: 'eve@partner.test',
      type: 'MagicLink',
      redirect_uri: callback,
    });

    const { params } = await open(new URL(session.link).pathname);
    const { status, body } = await token(params.code);

    expect(status).toBe(200);
    expect(body.profile).toMatchObject({
      connection_type: 'MagicLink',
      organization_id: null,
      email: 'eve@partner.test',
      idp_id: 'eve@partner.test',
    });
    expect((await profile(body.access_token)).body).toEqual(body.profile);
  });
});
