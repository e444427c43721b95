import { beforeAll, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator, type EmulatorOptions, type Seed } from '../../../src/emulator/index.js';
import { Sallyport } from '../../../src/index.js';
import { tour, type Visit } from '../../parity/tour.js';
import { sender } from '../../servers/send.js';
import { specifiedOperations } from '../../spec/operations.js';
import { stage } from '../../stage.js';
import { seedFolder } from './file.js';

const seedFile = seedFolder();
const clock = '2026-05-04T08:00:00.000Z';

/** Every list of records that a seed can describe. */
const lists = [
  '/organizations?order=asc&limit=100',
  '/user_management/users?order=asc&limit=100',
  '/user_management/invitations?order=asc&limit=100',
  '/connections?order=asc&limit=100',
  '/directories?order=asc&limit=100',
  '/webhook_endpoints?order=asc&limit=100',
  '/audit_logs/actions?order=asc&limit=100',
  '/fga/v1/resource-types?limit=100',
  '/fga/v1/resources?limit=100',
  '/fga/v1/warrants?limit=100',
] as const;

/** Fields that an export leaves out: times, tokens, ids and tokens of connection domains, versions of action schemas. */
const unexportedFields =
  /^(?:created_at|updated_at|expires_at|token|verification_token|accept_invitation_url|external_key|version)$/;

const exportedFields = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, own) => {
      if (unexportedFields.test(key) || key === 'list_metadata') return undefined;
      // Expired and accepted invitations are left out too.
      return Array.isArray(own) ? own.filter((one) => one?.object !== 'invitation' || one.state === 'pending') : own;
    }),
  );

/** All lists of an emulator, including the lists of each organization, user and directory. */
async function listAll(emulator: Emulator): Promise<Record<string, unknown>> {
  const send = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
  const all: Record<string, unknown> = {};
  const list = async (path: string): Promise<readonly { readonly id: string }[]> => {
    const { status, body } = await send(`GET ${path}`);
    expect([path, status]).toEqual([path, 200]);
    all[path] = exportedFields(body);
    return body.data ?? body;
  };
  for (const path of lists) await list(path);
  for (const { id } of await list('/organizations?order=asc&limit=100')) {
    await list(`/organizations/${id}/roles`);
    await list(`/user_management/organization_memberships?organization_id=${id}&order=asc&limit=100`);
  }
  for (const { id } of await list('/user_management/users?order=asc&limit=100')) {
    await list(`/user_management/users/${id}/identities`);
    await list(`/user_management/users/${id}/authorized_applications?limit=100`);
    await list(`/user_management/users/${id}/auth_factors?limit=100`);
  }
  for (const { id } of await list('/directories?order=asc&limit=100')) {
    await list(`/directory_users?directory=${id}&order=asc&limit=100`);
    await list(`/directory_groups?directory=${id}&order=asc&limit=100`);
  }
  return all;
}

/** Create an emulator from the export of another one. */
const createFromExport = (text: string, options: EmulatorOptions = {}): Promise<Emulator> =>
  createEmulator({ clock, ids: 'another', seed: seedFile(text), ...options });

async function expectSame(first: Emulator, options: EmulatorOptions = {}): Promise<void> {
  const text = await first.export();
  const second = await createFromExport(text, options);

  expect(await second.export()).toBe(text);
  expect(await listAll(second)).toEqual(await listAll(first));
  await second.close();
}

describe('an emulator seeded with an export', () => {
  test('reproduces the data of the example company', async () => {
    await expectSame(await createEmulator({ seed: 'examples/company.yaml', clock, ids: 'first' }));
  });

  test('reproduces the data of an empty emulator', async () => {
    await expectSame(await createEmulator({ clock }));
  });

  describe('of another emulator', () => {
    let visited: Emulator;
    beforeAll(async () => {
      visited = await createEmulator({ seed: 'examples/company.yaml', clock, ids: 'tour', autoApprove: true });
      await visited.listen(0);
      const sallyport = new Sallyport(visited.credentials);
      const visit: Visit = { sallyport, emulator: visited, fetch };
      for (const { id } of specifiedOperations) await tour[id]!(visit);
      return () => visited.close();
    });

    test('reproduces the data left by calls to every operation', () => expectSame(visited));

    test('keeps passwords, webhook secrets, and API keys with denied operations', async () => {
      const seed: Seed = {
        users: [{ email: 'ada@acme.test', password: 'a quiet harbour at dawn', email_verified: true }],
        webhook_endpoints: [{ endpoint_url: 'http://127.0.0.1:9/hook', secret: 'whsec_of_the_first' }],
        api_keys: [{ value: 'sk_test_other', deny: ['DELETE /organizations/*'] }],
      };
      const first = await createEmulator({ seed, clock });
      const second = await createFromExport(await first.export());
      const send = sender(second.fetch, second.url, 'sk_test_other');

      const endpoints = await send('GET /webhook_endpoints');
      const refused = await send('DELETE /organizations/org_none');
      const signedIn = (password: string) =>
        send('POST /user_management/authenticate', {
          grant_type: 'password',
          client_id: second.credentials.clientId,
          client_secret: second.credentials.apiKey,
          email: 'ada@acme.test',
          password,
        });

      expect(endpoints.body.data[0].secret).toBe('whsec_of_the_first');
      expect(refused.status).toBe(403);
      expect((await signedIn('a quiet harbour at dawn')).status).toBe(200);
      expect((await signedIn('another harbour')).status).toBe(400);
    });
  });

  test('keeps every value that differs from its default', async () => {
    const first = await createEmulator({
      clock,
      seed: {
        application_name: 'Acme: the app',
        custom_claims: { 'https://acme.test/plan': "{{ organization.metadata.plan || 'free' }}" },
        redirect_uris: ['http://localhost:3000/callback'],
        faults: [{ operation: 'organizations.create', status: 503, times: 3 }],
        roles: [{ slug: 'owner', permissions: ['all'] }, { slug: 'member' }],
        organizations: [
          {
            id: 'org_acme',
            name: 'Acme',
            metadata: { yes: 'no', '0': '1' },
            domain_data: [{ domain: 'acme.test', state: 'verified' }],
            roles: [{ slug: 'guest' }],
            entitlements: ['sso'],
            feature_flags: ['dark'],
            authentication_policy: { auth_methods: { magic_auth: true } },
          },
        ],
        users: [
          {
            id: 'user_ada',
            email: 'Ada@acme.test',
            first_name: '007',
            auth_factors: [{ type: 'totp', totp_secret: 'ABCDEFGHIJKLMNOP' }],
            feature_flags: ['beta'],
          },
        ],
        connections: [
          { id: 'conn_none', connection_type: 'OktaSAML', organization_id: 'org_acme', domains: [] },
          { id: 'conn_all', connection_type: 'OktaSAML', organization_id: 'org_acme', state: 'draft' },
        ],
        directories: [
          {
            id: 'directory_acme',
            name: 'Acme',
            organization_id: 'org_acme',
            domain: null,
            users: [{ idp_id: 'x', email: 'x@acme.test', username: null }],
          },
        ],
      },
    });

    await expectSame(first);
    const text = await first.export();
    expect(text).toMatch(/domains: \[\]/);
    expect(text).toMatch(/domain: null/);
  });

  test('reproduces the data of the example company in the workos dialect', async () => {
    const options = { dialect: 'workos' } as const;
    const first = await createEmulator({ seed: 'examples/company.yaml', clock, ids: 'first', ...options });

    await expectSame(first, options);
  });

  test('has no warrants for a deleted resource type and no invitations for existing members', async () => {
    const { emulator, send } = await stage();
    await send('POST /fga/v1/resource-types', { type: 'report', relations: { editor: {} } });
    await send('POST /fga/v1/resource-types', { type: 'user', relations: {} });
    await send('POST /fga/v1/warrants', {
      resource_type: 'report',
      resource_id: '7',
      relation: 'editor',
      subject: { resource_type: 'user', resource_id: 'ada' },
    });
    await send('DELETE /fga/v1/resource-types/report');
    const organization = await send('POST /organizations', { name: 'Acme' });
    const organizationId = organization.body.id;
    await send('POST /user_management/invitations', { email: 'ada@acme.test', organization_id: organizationId });
    const user = await send('POST /user_management/users', { email: 'ada@acme.test' });
    await send('POST /user_management/organization_memberships', {
      user_id: user.body.id,
      organization_id: organizationId,
    });

    const seed = JSON.parse(await emulator.export({ format: 'json' }));

    expect([seed.warrants, seed.invitations]).toEqual([undefined, undefined]);
    expect(seed.resources).toEqual([{ resource_type: 'user', resource_id: 'ada' }]);
    await (await createEmulator({ seed })).close();
  });
});

describe('the export', () => {
  test('is served as YAML and JSON, and the YAML starts with a list of the omitted data', async () => {
    const emulator = await createEmulator({ seed: 'examples/company.yaml', clock });
    const headers = { authorization: `Bearer ${emulator.credentials.apiKey}` };

    const yaml = await emulator.fetch('/_emulator/export', { headers });
    const json = await emulator.fetch('/_emulator/export?format=json', { headers });

    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await yaml.text();
    expect(text).toBe(await emulator.export());
    expect(text).toMatch(/^# A world of an emulator.*\n(?:# .*\n)*# .*sessions, tokens/);
    expect(await json.text()).toBe(await emulator.export({ format: 'json' }));
  });

  test('omits the authentication policy of an organization without a verified domain, and notes the omission', async () => {
    const emulator = await createEmulator({
      seed: {
        organizations: [
          { id: 'org_verified', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
          { id: 'org_pending', name: 'Initech', domain_data: [{ domain: 'initech.test', state: 'pending' }] },
        ],
      },
    });
    for (const id of ['org_verified', 'org_pending']) await emulator.setAuthenticationPolicy(id, { mfaRequired: true });

    const { organizations } = JSON.parse(await emulator.export({ format: 'json' }));

    expect(organizations).toMatchObject([
      { id: 'org_verified', authentication_policy: { mfa_required: true } },
      { id: 'org_pending' },
    ]);
    expect(organizations[1]).not.toHaveProperty('authentication_policy');
    const head = (await emulator.export()).match(/^(?:#.*\n)+/)?.[0].replaceAll(/\n# /g, ' ');
    expect(head).toContain('authentication policies of organizations without a verified domain');
  });

  test('contains the data of only one environment', async () => {
    const emulator = await createEmulator({
      seed: { organizations: [{ name: 'Staging Inc.' }] },
      production: { seed: { organizations: [{ name: 'Production Inc.' }] } },
    });

    expect(await emulator.export()).not.toContain('Production Inc.');
    expect(await emulator.production.export()).toContain('Production Inc.');
  });

  test('cannot be requested in a format other than YAML or JSON', async () => {
    const { send } = await stage();

    expect(await send('GET /_emulator/export?format=toml')).toMatchObject({ status: 422 });
  });
});
