import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { seedFolder } from './file.js';

const company = 'examples/company.yaml';
const fileOf = seedFolder();

describe('the seed examples/company.yaml', () => {
  const listed = async (send: Awaited<ReturnType<typeof stage>>['send'], path: string) =>
    (await send(`GET ${path}`)).body.data;

  test('creates organizations with domains, metadata, retention periods and roles', async () => {
    const { send } = await stage({ seed: company });

    const northwind = await send('GET /organizations/org_northwind');
    const retention = await send('GET /organizations/org_northwind/audit_logs_retention');
    const roles = await listed(send, '/organizations/org_northwind/roles');
    const elsewhere = await listed(send, '/organizations/org_litware/roles');

    expect(northwind.body).toMatchObject({
      name: 'Northwind Traders',
      external_id: 'crm-1001',
      metadata: { plan: 'enterprise', region: 'eu' },
      domains: [
        { domain: 'northwind.test', state: 'verified' },
        { domain: 'northwind-freight.test', state: 'pending' },
      ],
    });
    expect(retention.body).toEqual({ retention_period_in_days: 365 });
    expect(roles.map(({ slug }: { slug: string }) => slug)).toEqual(['admin', 'analyst', 'member', 'dock-manager']);
    expect(roles[0]).toMatchObject({ name: 'Administrator', type: 'EnvironmentRole' });
    expect(roles[3]).toMatchObject({ name: 'Dock manager', type: 'OrganizationRole', permissions: ['docks:plan'] });
    expect(elsewhere.map(({ slug }: { slug: string }) => slug)).toEqual(['admin', 'analyst', 'member']);
  });

  test('creates users with identities, memberships and invitations', async () => {
    const { send } = await stage({ seed: company });

    const ada = await send('GET /user_management/users/user_ada');
    const identities = await send('GET /user_management/users/user_dmitri/identities');
    const memberships = await listed(send, '/user_management/organization_memberships?user_id=user_ada&order=asc');
    const invitations = await listed(send, '/user_management/invitations');

    expect(ada.body).toMatchObject({
      email: 'ada@northwind.test',
      first_name: 'Ada',
      email_verified: true,
      external_id: 'staff-1',
      locale: 'en-GB',
      metadata: { theme: 'dark' },
    });
    expect(JSON.stringify(ada.body)).not.toContain('correct horse');
    expect(identities.body).toEqual([{ idp_id: '104857', type: 'OAuth', provider: 'GoogleOAuth' }]);
    expect(memberships).toMatchObject([
      { organization_id: 'org_northwind', role: { slug: 'admin' }, status: 'active' },
      { organization_id: 'org_tailspin', role: { slug: 'analyst' }, status: 'active' },
    ]);
    expect(invitations).toMatchObject([
      { email: 'erin@northwind.test', state: 'pending', expires_at: '2026-01-15T00:00:00.000Z' },
    ]);
  });

  test('creates connections, and directories with groups and users', async () => {
    const { send } = await stage({ seed: company });

    const connection = await send('GET /connections/conn_northwind');
    const directory = await send('GET /directories/directory_northwind');
    const groups = await listed(send, '/directory_groups?directory=directory_northwind&order=asc');
    const docks = await listed(send, '/directory_users?group=directory_group_docks&order=asc');

    expect(connection.body).toMatchObject({ connection_type: 'OktaSAML', name: 'Northwind Okta', state: 'active' });
    expect(connection.body.domains).toMatchObject([{ domain: 'northwind.test' }]);
    expect(directory.body).toMatchObject({ name: 'Northwind people', type: 'okta scim v2.0', state: 'linked' });
    expect(groups).toMatchObject([{ name: 'Operations' }, { id: 'directory_group_docks', idp_id: 'grp-docks' }]);
    expect(docks).toMatchObject([
      { id: 'directory_user_bruno', job_title: 'Dock manager' },
      { id: 'directory_user_farah', organization_id: 'org_northwind', raw_attributes: { shift: 'night' } },
    ]);
  });

  test('creates webhook endpoints, audit log actions and warrants', async () => {
    const { send } = await stage({ seed: company });

    const endpoints = await listed(send, '/webhook_endpoints');
    const actions = await listed(send, '/audit_logs/actions');
    const types = await listed(send, '/fga/v1/resource-types?order=asc');
    const q3 = await send('GET /fga/v1/resources/report/q3');
    const warrants = await listed(send, '/fga/v1/warrants?resource_type=report&resource_id=q3');
    const bruno = { resource_type: 'user', resource_id: 'user_bruno' };
    const check = (relation: string) =>
      send('POST /fga/v1/check', {
        checks: [{ resource_type: 'report', resource_id: 'q3', relation, subject: bruno }],
      });

    expect(endpoints).toMatchObject([{ id: 'we_backend', secret: 'whsec_example_only', status: 'disabled' }]);
    expect(actions).toMatchObject([{ name: 'report.exported', schema: { version: 1 } }]);
    expect(types.map(({ type }: { type: string }) => type)).toEqual(['user', 'team', 'folder', 'report']);
    expect(q3.body).toEqual({ resource_type: 'report', resource_id: 'q3', meta: { title: 'Third quarter' } });
    expect(warrants).toHaveLength(2);
    expect((await check('viewer')).body.result).toBe('authorized');
    expect((await check('owner')).body.result).toBe('not_authorized');
  });

  test('adds API keys with denied operations', async () => {
    const { send } = await stage({ seed: company });
    const with_ = (key: string) => ({ authorization: `Bearer ${key}` });

    const backend = await send('POST /organizations', { name: 'New' }, with_('sk_test_harbour_backend'));
    const reading = await send('GET /organizations', undefined, with_('sk_test_harbour_reporting'));
    const writing = await send('POST /organizations', { name: 'New' }, with_('sk_test_harbour_reporting'));

    expect([backend.status, reading.status, writing.status]).toEqual([200, 200, 403]);
  });

  test('creates objects without events, emails or webhook deliveries', async () => {
    const delivered: Request[] = [];
    const seed = { ...sample(), webhook_endpoints: [{ endpoint_url: 'https://app.test/hooks' }] };
    const deliver = async (request: Request) => {
      delivered.push(request);
      return new Response(null, { status: 204 });
    };

    const { emulator, send } = await stage({ seed, deliver });
    const quiet = await listed(send, '/events');
    await emulator.waitForDeliveries();
    const before = delivered.length;
    await send('POST /organizations', { name: 'Later' });
    await emulator.waitForDeliveries();

    expect(quiet).toEqual([]);
    expect(emulator.inbox.messages).toEqual([]);
    expect(before).toBe(0);
    expect(delivered).toHaveLength(1);
  });

  test('is restored by a reset, which removes records that were created later', async () => {
    const { emulator, send } = await stage({ seed: company });
    await send('DELETE /organizations/org_northwind');
    await send('POST /user_management/users', { email: 'new@northwind.test' });

    await emulator.reset();

    const organizations = await listed(send, '/organizations?order=asc');
    expect(organizations.map(({ id }: { id: string }) => id)).toEqual([
      'org_northwind',
      'org_tailspin',
      'org_litware',
      'org_fabrikam',
    ]);
    expect(await listed(send, '/user_management/users')).toHaveLength(5);
    expect(await listed(send, '/directory_users?directory=directory_northwind')).toHaveLength(3);
    expect((await send('GET /user_management/users?email=new%40northwind.test')).body.data).toEqual([]);
  });
});

/** A small seed as an object. */
const sample = (): Seed => ({
  organizations: [
    { id: 'org_a', name: 'A', domain_data: [{ id: 'org_domain_a', domain: 'A.test', state: 'pending' }] },
  ],
  users: [{ id: 'user_a', email: 'a@a.test', password: 'a good password' }],
  invitations: [{ id: 'invitation_a', email: 'b@a.test', organization_id: 'org_a', inviter_user_id: 'user_a' }],
});

describe('a seed', () => {
  test('is copied, so later changes to the seed object have no effect', async () => {
    const seed = { directories: [{ id: 'd', name: 'D', users: [{ id: 'u', raw_attributes: { tags: ['one'] } }] }] };
    const { emulator, send } = await stage({ seed });

    seed.directories[0]!.users[0]!.raw_attributes.tags.push('two');
    await emulator.reset();

    expect((await send('GET /directory_users/u')).body.raw_attributes).toEqual({ tags: ['one'] });
  });

  test.each([
    ['the path of a YAML file', () => fileOf('organizations:\n  - { id: org_a, name: A }\n')],
    ['a URL object for a YAML file', () => pathToFileURL(fileOf('organizations:\n  - { id: org_a, name: A }\n'))],
    ['a URL string for a YAML file', () => pathToFileURL(fileOf('organizations: [{ id: org_a, name: A }]')).href],
    [
      'the path of a JSON file',
      () => fileOf('{\n\t"organizations": [\n\t\t{ "id": "org_a", "name": "A" }\n\t]\n}', 'json'),
    ],
    ['an object', () => ({ organizations: [{ id: 'org_a', name: 'A' }] })],
  ])('can be passed as %s', async (_what, seed) => {
    const { send } = await stage({ seed: seed() });

    expect((await send('GET /organizations/org_a')).body.name).toBe('A');
  });

  test('can have empty sections or no sections', async () => {
    const { send } = await stage({ seed: fileOf('# nothing yet\nusers:\norganizations: []\n') });
    const empty = await stage({ seed: fileOf('# nothing at all\n') });

    expect((await send('GET /user_management/users')).body.data).toEqual([]);
    expect((await empty.send('GET /organizations')).body.data).toEqual([]);
  });

  test('can use anchors and merge keys in YAML', async () => {
    const seed = fileOf(`
organizations:
  - { id: org_a, name: A, metadata: &labels { plan: team } }
  - { id: org_b, name: B, metadata: { <<: *labels, region: eu } }
`);
    const { send } = await stage({ seed });

    expect((await send('GET /organizations/org_b')).body.metadata).toEqual({ plan: 'team', region: 'eu' });
  });

  test('can set the ids of domains and invitations', async () => {
    const { send } = await stage({ seed: sample() });

    expect((await send('GET /organization_domains/org_domain_a')).body).toMatchObject({
      domain: 'a.test',
      organization_id: 'org_a',
    });
    expect((await send('GET /user_management/invitations/invitation_a')).body.email).toBe('b@a.test');
  });

  test('can contain users with authentication factors and authorized applications', async () => {
    const seed: Seed = {
      connect_applications: [{ id: 'conn_app_docs', client_id: 'client_docs', name: 'Docs', scopes: ['read'] }],
      users: [
        {
          id: 'user_a',
          email: 'a@a.test',
          auth_factors: [{ id: 'auth_factor_a', type: 'totp', totp_secret: 'JBSWY3DPEHPK3PXP' }],
          authorized_applications: [{ application_id: 'client_docs' }],
        },
      ],
    };
    const { send } = await stage({ seed });

    const factors = await send('GET /user_management/users/user_a/auth_factors');
    const applications = await send('GET /user_management/users/user_a/authorized_applications');

    expect(factors.body.data).toMatchObject([{ id: 'auth_factor_a', totp: { user: 'a@a.test' } }]);
    expect(applications.body.data).toMatchObject([{ granted_scopes: ['read'], application: { name: 'Docs' } }]);
  });

  test('with roles replaces all built-in roles except member', async () => {
    const { send } = await stage({ seed: { roles: [{ slug: 'captain' }], organizations: [{ id: 'o', name: 'O' }] } });
    const without = await stage({ seed: { organizations: [{ id: 'o', name: 'O' }] } });
    const slugs = ({ body }: { body: { data: { slug: string }[] } }) => body.data.map(({ slug }) => slug);

    expect(slugs(await send('GET /organizations/o/roles'))).toEqual(['captain', 'member']);
    expect(slugs(await without.send('GET /organizations/o/roles'))).toEqual(['admin', 'member']);
  });

  test('can contain twenty thousand directory users, which a reset restores', async () => {
    const users = Array.from({ length: 20_000 }, (_, at) => ({
      id: `directory_user_${at}`,
      idp_id: `okta-${at}`,
      email: `person${at}@a.test`,
      groups: ['directory_group_all'],
    }));
    const groups = [{ id: 'directory_group_all', name: 'All' }];
    const { emulator, send } = await stage({ seed: { directories: [{ id: 'd', name: 'D', groups, users }] } });

    await emulator.reset();

    const page = await send('GET /directory_users?directory=d&limit=1');
    expect(page.body.data).toMatchObject([{ id: 'directory_user_19999' }]);
  });
});
