import { describe, expect, test } from 'vitest';
import { type AuthenticationPolicySeed, createEmulator, type Seed } from '../../../../src/emulator/index.js';
import { insertConnection } from '../../../../src/emulator/rooms/connections/records.js';
import { insertDomain } from '../../../../src/emulator/rooms/organizations/domains.js';
import { organizations } from '../../../../src/emulator/rooms/organizations/records.js';
import { refusalByPolicy, setAuthenticationPolicy } from '../../../../src/emulator/sign-in/proof/policies.js';
import { browse } from '../../browser.js';
import { emptyWorld } from '../../world/empty-world.js';
import { clientId, signingIn, urn } from '../signing-in.js';

const pendingToken = expect.stringMatching(/^[A-Za-z0-9]{32}$/);

/** Returns a seed with two organizations: one owns a domain and has a policy, the other has neither. */
const seedWith = (policy: AuthenticationPolicySeed, more: Seed = {}): Seed => ({
  organizations: [
    {
      id: 'org_northwind',
      name: 'Northwind',
      domain_data: [
        { domain: 'northwind.test', state: 'verified' },
        { domain: 'northwind-freight.test', state: 'pending' },
      ],
      authentication_policy: policy,
    },
    { id: 'org_tailspin', name: 'Tailspin' },
  ],
  users: ['ada@northwind.test', 'bruno@northwind-freight.test', 'chiara@tailspin.test'].map((email) => ({
    id: `user_${email.split('@')[0]}`,
    email,
    email_verified: true,
    password: 'correct horse',
  })),
  connections: [
    { id: 'conn_okta', organization_id: 'org_northwind', connection_type: 'OktaSAML' },
    { id: 'conn_draft', organization_id: 'org_northwind', connection_type: 'EntraIdSAML', state: 'draft' },
    { id: 'conn_other', organization_id: 'org_tailspin', connection_type: 'OktaSAML' },
  ],
  ...more,
});

const northwind = {
  name: 'Northwind',
  allowProfilesOutsideOrganization: false,
  billingCustomerId: null,
  externalId: null,
  metadata: {},
  retentionPeriodInDays: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

describe('if an organization requires SSO,', () => {
  const seed = seedWith({ sso_required: true });

  /** Starts an emulator, and returns a function that signs in at its identity provider and returns the code. */
  async function withConnections() {
    const world = await signingIn({ seed, autoApprove: true });
    const open = browse(world.emulator);
    const comeBack = async (selector: Readonly<Record<string, string>>, login_hint: string) => {
      const asked = { response_type: 'code', client_id: clientId, redirect_uri: 'http://localhost:3000/callback' };
      return (await open('/user_management/authorize', { ...asked, ...selector, login_hint })).params.code;
    };
    return { ...world, comeBack };
  }

  test('the right password is rejected, and the error contains the active connections and a token', async () => {
    const { byPassword, eventTypes } = await signingIn({ seed });

    const { status, body } = await byPassword('Ada@northwind.test');

    expect([status, body]).toEqual([
      400,
      {
        code: 'sso_required',
        message: 'The organization of this email domain requires SSO.',
        error: 'sso_required',
        error_description: 'The organization of this email domain requires SSO',
        email: 'ada@northwind.test',
        connection_ids: ['conn_okta'],
        pending_authentication_token: pendingToken,
      },
    ]);
    expect(eventTypes()).toEqual(['authentication.password_failed']);
  });

  test('but has no active connection, the sign-in error suggests activating a connection', async () => {
    const { emulator, byPassword, grant } = await signingIn({ seed });
    await emulator.deactivateConnection('conn_okta');

    const { status, body } = await byPassword('ada@northwind.test');
    const nobody = await grant('password', { email: 'nobody@northwind.test', password: 'wrong horse' });

    expect([status, body]).toEqual([
      400,
      {
        code: 'sso_connection_missing',
        message:
          'The organization "org_northwind" requires SSO and none of its connections is active: conn_okta is inactive, conn_draft is draft. Activate one, or change the authentication policy of the organization.',
      },
    ]);
    expect([nobody.status, nobody.body.code]).toEqual([400, 'sso_connection_missing']);
  });

  test('but has no connection, the sign-in error suggests creating a connection', async () => {
    const { byPassword } = await signingIn({ seed: { ...seed, connections: [] } });

    const { body } = await byPassword('ada@northwind.test');

    expect([body.code, body.message]).toEqual([
      'sso_connection_missing',
      'The organization "org_northwind" requires SSO and has no connection. Create one, or change the authentication policy of the organization.',
    ]);
  });

  test.each(['ada@northwind.test', 'nobody@northwind.test'])(
    'a wrong password for %s returns sso_required without a token',
    async (email) => {
      const { grant } = await signingIn({ seed });

      const { status, body } = await grant('password', { email, password: 'wrong horse' });

      expect([status, body.error, body.pending_authentication_token]).toEqual([400, 'sso_required', null]);
    },
  );

  test('a sign-in with an emailed code creates no user', async () => {
    const { emulator, grant, send, eventTypes } = await signingIn({ seed });
    await send('POST /user_management/magic_auth/send', { email: 'new@northwind.test' });

    const { status, body } = await grant(urn('magic-auth:code'), {
      email: 'new@northwind.test',
      code: emulator.inbox.latest()!.code,
    });

    expect([status, body.error, body.pending_authentication_token]).toEqual([400, 'sso_required', null]);
    expect(eventTypes()).toEqual(['magic_auth.created', 'authentication.magic_auth_failed']);
  });

  test('a sign-in with an emailed code is rejected', async () => {
    const { emulator, grant, send } = await signingIn({ seed });
    await send('POST /user_management/magic_auth/send', { email: 'ada@northwind.test' });

    const { status, body } = await grant(urn('magic-auth:code'), {
      email: 'ada@northwind.test',
      code: emulator.inbox.latest()!.code,
    });

    expect([status, body.error, body.pending_authentication_token]).toEqual([400, 'sso_required', pendingToken]);
  });

  test.each([
    ['a social provider', { provider: 'GoogleOAuth' }, 'ada@northwind.test'],
    ['an environment-level connection', { connection_id: 'conn_everyone' }, 'ada@northwind.test'],
    [
      'an address that has a capital letter and a final dot in the domain',
      { provider: 'GoogleOAuth' },
      'new@Northwind.test.',
    ],
    [
      'an address that has an ideographic full stop in the domain',
      { provider: 'GoogleOAuth' },
      'new@northwind\u3002test',
    ],
  ])('a sign-in with %s is rejected', async (_what, selector, email) => {
    const { emulator, comeBack, grant } = await withConnections();
    await emulator.createConnection({ id: 'conn_everyone', connectionType: 'GenericSAML' });

    const { status, body } = await grant('authorization_code', { code: await comeBack(selector, email) });

    expect([status, body.error]).toEqual([400, 'sso_required']);
  });

  test('a user who changes to an address in a verified domain must use SSO at the next sign-in', async () => {
    const { emulator, send, byPassword, refresh } = await signingIn({ seed });
    const { body: session } = await byPassword('chiara@tailspin.test');
    await send('POST /user_management/users/user_chiara/email_change/send', { new_email: 'chiara@northwind.test' });
    const { code } = emulator.inbox.latest()!;
    await send('POST /user_management/users/user_chiara/email_change/confirm', { code });

    const refreshed = await refresh(session.refresh_token);
    const { body } = await byPassword('chiara@northwind.test');

    expect([refreshed.status, body.error]).toEqual([200, 'sso_required']);
  });

  test.each(['bruno@northwind-freight.test', 'chiara@tailspin.test'])(
    'a user with an address outside the verified domains (%s) can still sign in with a password',
    async (email) => {
      const { byPassword } = await signingIn({ seed });

      expect((await byPassword(email)).status).toBe(200);
    },
  );

  test("a sign-in through the organization's connection succeeds, and uses up the pending token", async () => {
    const { byPassword, comeBack, grant } = await withConnections();
    const { body: refused } = await byPassword('ada@northwind.test');
    const code = await comeBack({ connection_id: 'conn_okta' }, 'ada@northwind.test');

    const { status, body } = await grant('authorization_code', {
      code,
      pending_authentication_token: refused.pending_authentication_token,
    });
    const again = await grant('authorization_code', {
      code: await comeBack({ connection_id: 'conn_okta' }, 'ada@northwind.test'),
      pending_authentication_token: refused.pending_authentication_token,
    });

    expect([status, body.user.id, body.organization_id]).toEqual([200, 'user_ada', 'org_northwind']);
    expect([again.status, again.body.code]).toEqual([400, 'invalid_pending_authentication_token']);
  });

  test("another user's pending token is rejected", async () => {
    const { byPassword, comeBack, grant } = await withConnections();
    const { body: refused } = await byPassword('ada@northwind.test');

    const { status, body } = await grant('authorization_code', {
      code: await comeBack({ connection_id: 'conn_okta' }, 'gwen@northwind.test'),
      pending_authentication_token: refused.pending_authentication_token,
    });

    expect([status, body.code]).toEqual([400, 'invalid_pending_authentication_token']);
  });

  test("another organization's connection is rejected", () => {
    const attempt = { method: 'SSO', connectionId: 'conn_other' };
    const memory = emptyWorld();
    memory.of(organizations).insert({ ...northwind, id: 'org_northwind' });
    insertDomain(memory, { organizationId: 'org_northwind', domain: 'northwind.test', state: 'verified' });
    const { id } = insertConnection(memory, { organizationId: 'org_northwind', connectionType: 'OktaSAML' });
    setAuthenticationPolicy(memory, 'org_northwind', { ssoRequired: true });

    const other = refusalByPolicy(memory, 'ada@northwind.test', attempt);
    const ownConnection = refusalByPolicy(memory, 'ada@northwind.test', { ...attempt, connectionId: id });

    expect([other, ownConnection]).toEqual([
      { kind: 'sso_required', organizationId: 'org_northwind', connectionIds: [id] },
      undefined,
    ]);
  });

  test('staff can impersonate the users of the organization', async () => {
    const { emulator, grant } = await signingIn({ seed });
    const { code } = await emulator.impersonate({ userId: 'user_ada', email: 'staff@acme.test' });

    expect((await grant('authorization_code', { code })).status).toBe(200);
  });

  test('a rejected sign-in does not accept an invitation', async () => {
    const { byPassword, send } = await signingIn({ seed });
    const { body: invitation } = await send('POST /user_management/invitations', {
      email: 'ada@northwind.test',
      organization_id: 'org_tailspin',
    });

    await byPassword('ada@northwind.test', { invitation_token: invitation.token });

    expect((await send(`GET /user_management/invitations/${invitation.id}`)).body.state).toBe('pending');
  });
});

describe('if an organization allows only some sign-in methods,', () => {
  const seed = seedWith({ auth_methods: { magic_auth: true, google_oauth: true } });

  test('a password is rejected, and the error contains the allowed methods and the connections', async () => {
    const { byPassword } = await signingIn({ seed });

    const { status, body } = await byPassword('ada@northwind.test');

    expect([status, body]).toEqual([
      400,
      {
        code: 'organization_authentication_methods_required',
        message: 'The organization of this email domain does not allow this sign-in method.',
        error: 'organization_authentication_methods_required',
        error_description: 'The organization of this email domain does not allow this sign-in method',
        email: 'ada@northwind.test',
        sso_connection_ids: ['conn_okta'],
        auth_methods: {
          password: false,
          magic_auth: true,
          google_oauth: true,
          microsoft_oauth: false,
          github_oauth: false,
        },
      },
    ]);
  });

  test('users can sign in with an allowed method', async () => {
    const { emulator, grant, send } = await signingIn({ seed });
    await send('POST /user_management/magic_auth/send', { email: 'ada@northwind.test' });

    const { status } = await grant(urn('magic-auth:code'), {
      email: 'ada@northwind.test',
      code: emulator.inbox.latest()!.code,
    });

    expect(status).toBe(200);
  });
});

describe('if an organization requires a second factor,', () => {
  test('users in the verified domain must enroll a factor', async () => {
    const { byPassword } = await signingIn({ seed: seedWith({ mfa_required: true }) });

    const atNorthwind = await byPassword('ada@northwind.test');
    const other = await byPassword('chiara@tailspin.test');

    expect([atNorthwind.status, atNorthwind.body.code, other.status]).toEqual([403, 'mfa_enrollment', 200]);
  });

  test('members from another domain must enroll a factor after choosing the organization', async () => {
    const memberships = ['org_northwind', 'org_tailspin'].map((organization_id) => ({
      user_id: 'user_chiara',
      organization_id,
    }));
    const { byPassword, grant } = await signingIn({ seed: seedWith({ mfa_required: true }, { memberships }) });
    const choose = async (organization_id: string) => {
      const { body } = await byPassword('chiara@tailspin.test');
      const { pending_authentication_token } = body;
      return grant(urn('organization-selection'), { organization_id, pending_authentication_token });
    };

    const strict = await choose('org_northwind');
    const lenient = await choose('org_tailspin');

    expect([strict.status, strict.body.code, lenient.status]).toEqual([403, 'mfa_enrollment', 200]);
  });

  test('a phone from the seed is offered as the second factor', async () => {
    const seed = seedWith(
      { mfa_required: true },
      {
        users: [
          {
            email: 'ada@northwind.test',
            email_verified: true,
            password: 'correct horse',
            auth_factors: [{ id: 'auth_factor_phone', type: 'sms', phone_number: '+15005550006' }],
          },
        ],
      },
    );
    const { byPassword } = await signingIn({ seed });

    const { body } = await byPassword('ada@northwind.test');

    expect([body.code, body.authentication_factors]).toEqual([
      'mfa_challenge',
      [{ id: 'auth_factor_phone', type: 'sms' }],
    ]);
  });
});

describe('a policy that is set at runtime', () => {
  test('applies immediately, until an empty policy is set', async () => {
    const { emulator, byPassword } = await signingIn({ seed: seedWith({}) });
    const before = await byPassword('ada@northwind.test');

    const policy = await emulator.setAuthenticationPolicy('org_northwind', { ssoRequired: true });
    const during = await byPassword('ada@northwind.test');
    await emulator.setAuthenticationPolicy('org_northwind', {});
    const after = await byPassword('ada@northwind.test');

    expect(policy).toEqual({ ssoRequired: true, authMethods: null, mfaRequired: false });
    expect([before.status, during.body.error, after.status]).toEqual([200, 'sso_required', 200]);
  });

  test('is rejected for an unknown organization', async () => {
    const { emulator } = await signingIn();

    await expect(emulator.setAuthenticationPolicy('org_nobody', {})).rejects.toMatchObject({
      code: 'entity_not_found',
    });
  });
});

describe('a seed is rejected if the authentication policy', () => {
  const problemOf = async (seed: object): Promise<string> =>
    createEmulator({ seed }).then(
      () => 'none',
      (error) => error.message.split('\n')[1].trim(),
    );
  const at = 'organizations[0].authentication_policy';

  test.each([
    [{ sso_required: 'yes' }, `${at}.sso_required must be a boolean; found a string.`],
    [{ sso_requird: true }, `${at}.sso_requird is not a known field; did you mean sso_required?`],
    [{ auth_methods: { paswword: true } }, `${at}.auth_methods.paswword is not a known field; did you mean password?`],
    [
      { sso_required: true, auth_methods: { password: true } },
      `${at}.auth_methods: Conflicts with sso_required, which allows no other method; remove one of the two.`,
    ],
  ])('is %o', async (policy, problem) => {
    // The compiler would refuse this value, but a file may contain it.
    expect(await problemOf(seedWith(policy as AuthenticationPolicySeed))).toBe(problem);
  });

  test('has no effect because the organization has no verified domain', async () => {
    const seed = {
      organizations: [{ name: 'Acme', domains: ['acme.test'], authentication_policy: { mfa_required: true } }],
    };

    expect(await problemOf(seed)).toBe(
      `${at}: Has no effect: it applies to addresses in verified domains, and this organization has none; add one in domain_data.`,
    );
  });
});

test('a seed is rejected if a phone factor has no number', async () => {
  const seed: Seed = { users: [{ email: 'ada@example.com', auth_factors: [{ type: 'sms' }] }] };

  await expect(createEmulator({ seed })).rejects.toThrow(
    'users[0].auth_factors[0].phone_number is required for a factor of type sms',
  );
});
