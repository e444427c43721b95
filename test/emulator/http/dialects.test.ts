import { describe, expect, test } from 'vitest';
import { Sallyport } from '../../../src/index.js';
import { stage } from '../../stage.js';

// What the specification says about a field, and what the public service answers instead.

const both = async <T>(of: (world: Awaited<ReturnType<typeof stage>>) => Promise<T>) => ({
  spec: await of(await stage({ dialect: 'spec' })),
  workos: await of(await stage({ dialect: 'workos' })),
});
type World = Awaited<ReturnType<typeof stage>>;

const acme = { name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] };
const newOrganization = async ({ send }: World, body: object = acme) => (await send('POST /organizations', body)).body;
const newUser = async ({ send }: World, body: object = {}) =>
  (await send('POST /user_management/users', { email: 'ada@acme.test', ...body })).body;

describe('an absent field', () => {
  test('of a user is omitted in the spec dialect, but null in the workos dialect', async () => {
    const { spec, workos } = await both(newUser);

    expect(Object.keys(spec).sort()).toEqual([
      'created_at',
      'email',
      'email_verified',
      'external_id',
      'first_name',
      'id',
      'last_name',
      'last_sign_in_at',
      'locale',
      'metadata',
      'object',
      'updated_at',
    ]);
    expect(workos).toMatchObject({
      profile_picture_url: null,
      external_id: null,
    });
  });

  test('of an organization is omitted in the spec dialect, but null in the workos dialect', async () => {
    const { spec, workos } = await both(newOrganization);

    expect(spec).not.toHaveProperty('external_id');
    expect(spec).not.toHaveProperty('billing_customer_id');
    expect(workos.external_id).toBeNull();
    // The schema of the public service does not allow null here.
    expect(workos).not.toHaveProperty('stripe_customer_id');
  });

  test("is null in the client's results in both dialects", async () => {
    for (const dialect of ['spec', 'workos'] as const) {
      const { emulator } = await stage({ dialect });
      const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch, dialect });

      const user = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });

      expect([user.profilePictureUrl, user.externalId, user.lastSignInAt, user.locale]).toEqual([
        null,
        null,
        null,
        null,
      ]);
    }
  });
});

test("a user's optional field is returned in the spec dialect if the field has a value", async () => {
  const { emulator, send } = await stage({
    seed: { users: [{ id: 'user_ada', email: 'ada@acme.test', profile_picture_url: 'https://images.test/ada.png' }] },
  });

  expect((await send('GET /user_management/users/user_ada')).body.profile_picture_url).toBe(
    'https://images.test/ada.png',
  );
  await emulator.close();
});

test('a factor has userId in the spec dialect and user_id in the workos dialect', async () => {
  const { spec, workos } = await both(async (world) => {
    const { id } = await newUser(world);
    return (await world.send(`POST /user_management/users/${id}/auth_factors`, { type: 'totp' })).body;
  });

  expect(spec.authentication_factor.userId).toMatch(/^user_/);
  expect(spec.authentication_factor).not.toHaveProperty('user_id');
  expect(workos.authentication_factor.user_id).toMatch(/^user_/);
});

describe('a domain', () => {
  test('that is marked as verified at creation has a verification token only in the spec dialect', async () => {
    const { spec, workos } = await both(newOrganization);

    expect(spec.domains[0]).toMatchObject({
      state: 'verified',
      verification_strategy: 'dns',
      verification_token: expect.stringMatching(/^\w{25}$/),
    });
    expect(workos.domains[0]).toMatchObject({ state: 'verified', verification_strategy: 'manual' });
    expect(workos.domains[0]).not.toHaveProperty('verification_token');
  });

  test('that is marked as verified in an update keeps the verification strategy and token in the spec dialect', async () => {
    const { spec, workos } = await both(async (world) => {
      const before = await newOrganization(world, { name: 'Acme', domains: ['acme.test'] });
      const { body } = await world.send(`PUT /organizations/${before.id}`, acme);
      return { before: before.domains[0], after: body.domains[0] };
    });

    expect(spec.after).toEqual({ ...spec.before, state: 'verified' });
    expect(workos.after.verification_strategy).toBe('manual');
  });
});

test('the workos dialect omits absent parts of an audit log schema', async () => {
  const { spec, workos } = await both(async ({ send }) => {
    const address = '/audit_logs/actions/invoice.viewed/schemas';
    const created = await send(`POST ${address}`, { targets: [{ type: 'invoice' }] });
    const listed = await send(`GET ${address}`);
    const { body: actions } = await send('GET /audit_logs/actions');
    expect([listed.body.data, actions.data[0].schema]).toEqual([[created.body], created.body]);
    return created.body;
  });

  const given = {
    object: 'audit_log_schema',
    version: 1,
    targets: [{ type: 'invoice' }],
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  expect(spec).toEqual({ ...given, actor: {} });
  expect(workos).toEqual(given);
});

test('both dialects return the parts of an audit log schema that the caller sent', async () => {
  const schema = { actor: { metadata: { type: 'object' } }, targets: [], metadata: { type: 'object' } };

  const { spec, workos } = await both(
    async ({ send }) => (await send('POST /audit_logs/actions/invoice.viewed/schemas', schema)).body,
  );

  expect(spec).toMatchObject(schema);
  expect(workos).toMatchObject(schema);
});

test('the default audit log retention is 30 days in the spec dialect, and null in the workos dialect', async () => {
  const { spec, workos } = await both(async (world) => {
    const { id } = await newOrganization(world);
    return (await world.send(`GET /organizations/${id}/audit_logs_retention`)).body;
  });

  expect(spec).toEqual({ retention_period_in_days: 30 });
  expect(workos).toEqual({ retention_period_in_days: null });
});

describe('metadata and external ids', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v'.repeat(601)]));
  const long = { metadata: many, external_id: 'x'.repeat(129) };

  test('of organizations and users have no size limits in the spec dialect', async () => {
    const { spec, workos } = await both(async (world) => [
      (await world.send('POST /organizations', { name: 'Acme', ...long })).status,
      (await world.send('POST /user_management/users', { email: 'ada@acme.test', ...long })).status,
    ]);

    expect(spec).toEqual([200, 200]);
    expect(workos).toEqual([422, 422]);
  });

  test('have no size limits in the client', async () => {
    const { emulator } = await stage();
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

    const { metadata, externalId } = await sallyport.organizations.createOrganization({
      name: 'Acme',
      metadata: many,
      externalId: long.external_id,
    });

    expect([metadata, externalId]).toEqual([many, long.external_id]);
  });
});

test('only one organization can have an empty external id', async () => {
  const { send } = await stage();
  const first = await send('POST /organizations', { name: 'Acme', external_id: '' });
  const second = await send('POST /organizations', { name: 'Other', external_id: '' });

  expect([first.status, second.status, second.body.code]).toEqual([200, 400, 'external_id_already_used']);
});

test('only the workos dialect gives an invited user a pending membership before acceptance', async () => {
  const { spec, workos } = await both(async (world) => {
    const { id: organizationId } = await newOrganization(world);
    const { id: userId } = await newUser(world);
    const statuses = async () =>
      (
        await world.send(`GET /user_management/organization_memberships?user_id=${userId}&statuses=active,pending`)
      ).body.data.map(({ status }: { status: string }) => status);
    const events: string[] = [];
    world.emulator.onEvent(({ event }) => events.push(event));

    const { body } = await world.send('POST /user_management/invitations', {
      email: 'ada@acme.test',
      organization_id: organizationId,
    });
    const invited = await statuses();
    await world.send(`POST /user_management/invitations/${body.id}/accept`);
    return { invited, accepted: await statuses(), events };
  });

  expect(spec).toEqual({
    invited: [],
    accepted: ['active'],
    events: ['invitation.created', 'invitation.accepted', 'organization_membership.created'],
  });
  expect(workos).toEqual({
    invited: ['pending'],
    accepted: ['active'],
    events: [
      'invitation.created',
      'organization_membership.created',
      'invitation.accepted',
      'organization_membership.updated',
    ],
  });
});

test('directories and directory groups have an object field only in the workos dialect', async () => {
  const { spec, workos } = await both(async (world) => {
    const events: Record<string, unknown>[] = [];
    const { id } = await world.emulator.createDirectory({ name: 'People' });
    const group = await world.emulator.createDirectoryGroup({ directoryId: id, name: 'Cranes' });
    await world.emulator.createDirectoryUser({ directoryId: id, email: 'ada@acme.test', groups: [group.id] });
    const { body: users } = await world.send(`GET /directory_users?directory=${id}`);
    const { body: groups } = await world.send(`GET /directory_groups?directory=${id}`);
    const { body } = await world.send('GET /events?events=dsync.activated,dsync.group.created,dsync.group.user_added');
    for (const { data } of body.data) events.push(data.group ?? data);
    return [
      (await world.send(`GET /directories/${id}`)).body,
      users.data[0].groups[0],
      groups.data[0],
      (await world.send(`GET /directory_groups/${group.id}`)).body,
      ...events,
    ].map(({ object }) => object);
  });

  expect(spec).toEqual(Array(7).fill(undefined));
  expect(workos).toEqual([
    'directory',
    'directory_group',
    'directory_group',
    'directory_group',
    'directory',
    'directory_group',
    'directory_group',
  ]);
});

describe('the provider fields of a directory', () => {
  const ofProvider = {
    apiKey: 'bamboo_key',
    subdomain: 'acme',
    endpoint: 'https://acme.bamboohr.test/v1',
    username: 'reader',
    externalKey: 'key_1',
  };

  test('can be seeded, and are returned by the client', async () => {
    const { emulator, send } = await stage({
      seed: {
        directories: [
          {
            id: 'directory_acme',
            name: 'People',
            type: 'bamboohr',
            api_key: 'bamboo_key',
            subdomain: 'acme',
            endpoint: 'https://acme.bamboohr.test/v1',
            username: 'reader',
            external_key: 'key_1',
          },
        ],
      },
    });
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

    const { apiKey, subdomain, endpoint, username, externalKey } =
      await sallyport.directorySync.getDirectory('directory_acme');

    expect({ apiKey, subdomain, endpoint, username, externalKey }).toEqual(ofProvider);
    expect((await send('GET /directories/directory_acme')).body).toMatchObject({ api_key: 'bamboo_key' });
  });

  test('are omitted in both dialects if they have no value', async () => {
    const { spec, workos } = await both(async ({ emulator, send }) => {
      const { id } = await emulator.createDirectory({ name: 'People', username: null });
      return Object.keys((await send(`GET /directories/${id}`)).body);
    });

    for (const name of ['api_key', 'subdomain', 'endpoint', 'username'])
      expect([...spec, ...workos]).not.toContain(name);
  });

  test('must be strings', async () => {
    const { emulator } = await stage();

    await expect(
      // @ts-expect-error: a subdomain is a text
      emulator.createDirectory({ name: 'People', subdomain: 7 }),
    ).rejects.toMatchObject({ code: 'validation_error' });
  });
});
