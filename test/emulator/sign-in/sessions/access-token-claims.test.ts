import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../../src/emulator/index.js';
import { claimsOf, signingIn } from '../signing-in.js';

const company: Seed = {
  roles: [{ slug: 'admin', permissions: ['reports:read', 'reports:write'] }, { slug: 'member' }],
  custom_claims: {
    aud: 'reports.acme.test',
    'urn:acme:plan': "{{ organization.metadata.plan || 'free' }}",
    'urn:acme:name': '{{ user.first_name || \'Somebody\' }} {{ user.last_name || "of Acme" }} ({{ user.email }})',
    'urn:acme:verified': '{{ user.email_verified }}',
    'urn:acme:labels': '{{ user.metadata }}',
    'urn:acme:place': { domain: '{{ organization.domains.0.domain }}', since: '{{ user.metadata.since }}', beta: true },
    'urn:acme:member': '{{ organization_membership.role.slug || user.id }}',
  },
  organizations: [
    {
      id: 'org_acme',
      name: 'Acme',
      metadata: { plan: 'enterprise' },
      domain_data: [{ domain: 'acme.test', state: 'verified' }],
      entitlements: ['audit-logs', 'sso'],
      feature_flags: ['new-dashboard'],
    },
    { id: 'org_bell', name: 'Bell' },
  ],
  users: [
    {
      id: 'user_ada',
      email: 'ada@acme.test',
      email_verified: true,
      password: 'correct horse',
      first_name: 'Ada',
      metadata: { theme: 'dark' },
      feature_flags: ['beta-search', 'new-dashboard'],
    },
  ],
  memberships: [
    { user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'admin' },
    { user_id: 'user_ada', organization_id: 'org_bell' },
  ],
};

/** Returns Ada's claims in an organization, and a function that refreshes and reads them again. */
async function claimed(seed: Seed = company, options = {}) {
  const world = await signingIn({ seed, ...options });
  const { body: refusal } = await world.byPassword('ada@acme.test');
  const { body } = await world.grant('urn:service:oauth:grant-type:organization-selection', {
    pending_authentication_token: refusal.pending_authentication_token,
    organization_id: 'org_acme',
  });
  let refreshToken = body.refresh_token;
  const again = async (fields: Readonly<Record<string, unknown>> = {}) => {
    const next = await world.refresh(refreshToken, fields);
    refreshToken = next.body.refresh_token ?? refreshToken;
    return next.status === 200 ? claimsOf(next.body.access_token) : next.body;
  };
  return { ...world, claims: claimsOf(body.access_token), again };
}

describe('an access token', () => {
  test("contains the role's permissions, the organization's entitlements, and the feature flags", async () => {
    const { claims } = await claimed();

    expect(claims).toMatchObject({
      org_id: 'org_acme',
      role: 'admin',
      roles: ['admin'],
      permissions: ['reports:read', 'reports:write'],
      entitlements: ['audit-logs', 'sso'],
      feature_flags: ['new-dashboard', 'beta-search'],
    });
  });

  test('contains every role of the membership, and each permission only once', async () => {
    const roles = [
      { slug: 'editor', permissions: ['reports:read', 'reports:write'] },
      { slug: 'auditor', permissions: ['reports:read', 'logs:read'] },
    ];
    const memberships = [{ user_id: 'user_ada', organization_id: 'org_acme', role_slugs: ['auditor', 'editor'] }];
    const { emulator } = await signingIn({ seed: { ...company, roles, memberships, custom_claims: {} } });

    const { accessToken } = await emulator.signInAs('user_ada', { organizationId: 'org_acme' });

    expect(claimsOf(accessToken)).toMatchObject({
      role: 'editor',
      roles: ['editor', 'auditor'],
      permissions: ['reports:read', 'reports:write', 'logs:read'],
    });
  });

  test("omits entitlements if the organization has none, and contains the user's feature flags", async () => {
    const { again } = await claimed();

    const claims = await again({ organization_id: 'org_bell' });

    expect(claims).toMatchObject({
      org_id: 'org_bell',
      role: 'member',
      feature_flags: ['beta-search', 'new-dashboard'],
    });
    expect(claims).not.toHaveProperty('entitlements');
  });

  test('reflects changed permissions, entitlements, feature flags and custom claims after a refresh', async () => {
    const { emulator, again } = await claimed();
    const [admin] = (
      await emulator
        .fetch(`${emulator.url}/organizations/org_acme/roles`, {
          headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
        })
        .then((answer) => answer.json())
    ).data;

    await emulator.updateRole(admin.id, { permissions: ['reports:read'] });
    await emulator.setEntitlements('org_acme', ['sso']);
    await emulator.setOrganizationFeatureFlags('org_acme', []);
    await emulator.setUserFeatureFlags('user_ada', ['beta-search']);
    await emulator.setCustomClaims({ plan: '{{ organization.name }}' });
    const claims = await again();

    expect(claims).toMatchObject({
      permissions: ['reports:read'],
      entitlements: ['sso'],
      feature_flags: ['beta-search'],
      plan: 'Acme',
    });
    expect(claims).not.toHaveProperty('urn:acme:plan');
  });
});

describe('custom claims', () => {
  test('can contain fields from the user, the organization and the membership', async () => {
    const { claims } = await claimed();

    expect(claims).toMatchObject({
      aud: 'reports.acme.test',
      'urn:acme:plan': 'enterprise',
      'urn:acme:name': 'Ada of Acme (ada@acme.test)',
      'urn:acme:verified': true,
      'urn:acme:labels': { theme: 'dark' },
      'urn:acme:place': { domain: 'acme.test', since: null, beta: true },
      'urn:acme:member': 'admin',
    });
  });

  test('use the default value of a placeholder if the organization lacks the field', async () => {
    const { again } = await claimed();

    const claims = await again({ organization_id: 'org_bell' });

    expect(claims).toMatchObject({ 'urn:acme:plan': 'free', 'urn:acme:place': { domain: null } });
  });

  test("do not replace the service's own claims", async () => {
    const { claims } = await claimed({ ...company, custom_claims: { sid: 'session_mine', role: 'owner' } });

    expect(claims.sid).toMatch(/^session_0/);
    expect(claims.role).toBe('admin');
  });

  test.each(['iss', 'sub', 'exp', 'iat', 'nbf', 'jti'])('cannot be named %s', async (name) => {
    const { emulator } = await signingIn();

    await expect(emulator.setCustomClaims({ [name]: 'mine' })).rejects.toMatchObject({
      status: 422,
      code: 'reserved_claim',
      message: expect.stringContaining(`claims.${name} `),
    });
  });

  test.each([
    ['{{ user.email', 'unclosed placeholder'],
    ['{{ usr.email }}', 'user, organization or organization_membership'],
    ['{{ user.email | upcase }}', 'user.email | upcase'],
    ['{{ }}', 'empty placeholder'],
  ])('are rejected if they contain the invalid placeholder %s', async (text, said) => {
    const { emulator } = await signingIn();

    await expect(emulator.setCustomClaims({ deep: [{ claim: text }] })).rejects.toMatchObject({
      status: 422,
      code: 'invalid_placeholder',
      message: expect.stringMatching(new RegExp(`claims\\.deep\\.0\\.claim .*${said.replace('|', '\\|')}`)),
    });
  });

  test('that insert an object into a string make a refresh fail, and the error names the field', async () => {
    const { again, emulator } = await claimed();
    await emulator.setCustomClaims({ labels: 'labels: {{ user.metadata }}' });

    const refusal = await again();

    expect(refusal).toMatchObject({
      code: 'invalid_custom_claims',
      message: expect.stringContaining('user.metadata is an object'),
    });
  });

  test('with a reserved name are rejected in a seed', async () => {
    await expect(signingIn({ seed: { custom_claims: { iss: 'me' } } })).rejects.toMatchObject({
      code: 'invalid_seed',
      message: expect.stringMatching(/custom_claims\.iss .*reserved/),
    });
  });
});
