import { beforeAll, describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { apiKey, clientId } from '../sign-in/signing-in.js';

// The schema of the public service: which fields of each resource are always present, and which of them can be null.
// All others are omitted if they have no value.
interface Rule {
  readonly required: string;
  readonly nullable?: string;
}
const stamps = 'created_at updated_at';
const user: Rule = {
  required: `object id email email_verified first_name last_name profile_picture_url external_id last_sign_in_at ${stamps}`,
  nullable: 'first_name last_name name profile_picture_url external_id last_sign_in_at locale',
};
const organization: Rule = {
  required: `object id name allow_profiles_outside_organization domains ${stamps}`,
  nullable: 'external_id',
};
const domain: Rule = {
  required: `object id organization_id domain state verification_strategy ${stamps}`,
};
const membership: Rule = {
  required: `object id user_id organization_id status directory_managed role roles user ${stamps}`,
};
const invitation: Rule = {
  required: `object id email state accepted_at revoked_at expires_at organization_id inviter_user_id accepted_user_id role_slug ${stamps}`,
  nullable: 'accepted_at revoked_at organization_id inviter_user_id accepted_user_id role_slug',
};
const session: Rule = {
  required: `object id user_id ip_address user_agent auth_method status expires_at ended_at ${stamps}`,
  nullable: 'ip_address user_agent ended_at',
};
const connection: Rule = { required: `object id connection_type name state status domains ${stamps}` };
const directory: Rule = { required: `object id organization_id external_key type state name ${stamps}` };
const group: Rule = { required: `object id idp_id directory_id organization_id name ${stamps}` };
const directoryUser: Rule = {
  required: `object id directory_id organization_id idp_id email state raw_attributes custom_attributes ${stamps}`,
  nullable: 'email first_name last_name name job_title username',
};
const role: Rule = {
  required: `slug object id name description type resource_type_slug permissions ${stamps}`,
  nullable: 'description',
};
const authentication: Rule = { required: 'user access_token refresh_token' };
const auditSchema: Rule = { required: 'object version targets created_at' };
const endpoint: Rule = { required: `object id endpoint_url secret status events ${stamps}` };

const words = (text = ''): readonly string[] => text.split(' ').filter(Boolean);

/** Returns the missing fields of a record, and the fields that are null but must not be. */
const wrongIn = (record: Readonly<Record<string, unknown>>, { required, nullable }: Rule): readonly string[] => [
  ...words(required)
    .filter((field) => !(field in record))
    .map((field) => `no ${field}`),
  ...Object.keys(record)
    .filter((field) => record[field] === null && !words(nullable).includes(field))
    .map((field) => `${field} is null`),
];

const seed: Seed = {
  organizations: [
    { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'pending' }] },
    { id: 'org_bare', name: 'Bare' },
    { id: 'org_verified', name: 'Verified', domain_data: [{ domain: 'verified.test', state: 'verified' }] },
  ],
  users: [
    { id: 'user_ada', email: 'ada@acme.test', password: 'correct horse', email_verified: true },
    { id: 'user_bob', email: 'bob@else.test' },
  ],
  memberships: [{ id: 'om_bob', user_id: 'user_bob', organization_id: 'org_acme' }],
  connections: [{ id: 'conn_acme', organization_id: 'org_acme', connection_type: 'OktaSAML' }],
  directories: [
    {
      id: 'directory_acme',
      organization_id: 'org_acme',
      name: 'People',
      type: 'okta scim v2.0',
      users: [{ id: 'directory_user_bob', idp_id: 'bob' }],
      groups: [{ id: 'directory_group_all', idp_id: 'all', name: 'All' }],
    },
  ],
};

describe('the workos dialect', () => {
  let send: Awaited<ReturnType<typeof stage>>['send'];
  let emulator: Awaited<ReturnType<typeof stage>>['emulator'];
  let signedIn: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    ({ send, emulator } = await stage({ dialect: 'workos', seed }));
    const { body } = await send('POST /user_management/authenticate', {
      client_id: clientId,
      client_secret: apiKey,
      grant_type: 'password',
      email: 'ada@acme.test',
      password: 'correct horse',
    });
    signedIn = body;
  });

  test.each<[string, Rule]>([
    ['/user_management/users/user_bob', user],
    ['/organizations/org_acme', organization],
    ['/organizations/org_bare', organization],
    ['/user_management/organization_memberships/om_bob', membership],
    ['/connections/conn_acme', connection],
    ['/directories/directory_acme', directory],
    ['/directory_groups/directory_group_all', group],
    ['/directory_users/directory_user_bob', directoryUser],
  ])('returns all required fields for GET %s, and null only in nullable fields', async (path, rule) => {
    const { status, body } = await send(`GET ${path}`);

    expect([status, ...wrongIn(body, rule)]).toEqual([200]);
  });

  test.each<[string, Rule]>([
    ['/user_management/users/user_ada/sessions', session],
    ['/authorization/organizations/org_acme/roles', role],
  ])('returns all required fields in each record for GET %s', async (path, rule) => {
    const { data } = (await send(`GET ${path}`)).body;

    expect(data.length).toBeGreaterThan(0);
    expect(data.flatMap((record: Record<string, unknown>) => wrongIn(record, rule))).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, Rule]>([
    ['/organization_domains', { organization_id: 'org_bare', domain: 'bare.test' }, domain],
    [
      '/user_management/invitations',
      { email: 'eve@acme.test' },
      { ...invitation, required: `${invitation.required} token accept_invitation_url` },
    ],
    ['/audit_logs/actions/invoice.viewed/schemas', { targets: [{ type: 'invoice' }] }, auditSchema],
    ['/webhook_endpoints', { endpoint_url: 'https://app.test/hooks', events: ['user.created'] }, endpoint],
  ])('returns all required fields for POST %s', async (path, fields, rule) => {
    const { status, body } = await send(`POST ${path}`, fields);

    expect([status, ...wrongIn(body, rule)]).toEqual([201]);
  });

  test.each(['org_acme', 'org_verified'])('returns all required domain fields in the organization %s', async (id) => {
    const { domains } = (await send(`GET /organizations/${id}`)).body;

    expect(domains).toHaveLength(1);
    expect(domains.flatMap((record: Record<string, unknown>) => wrongIn(record, domain))).toEqual([]);
  });

  test('returns all required fields and no null fields in the token response for a user without an organization', () => {
    expect(wrongIn(signedIn, authentication)).toEqual([]);
  });

  test('publishes signing keys with their certificates', async () => {
    const [key] = (await send(`GET /sso/jwks/${clientId}`)).body.keys;

    expect(wrongIn(key, { required: 'alg kty use kid n e x5c x5t#S256' })).toEqual([]);
  });

  test.each<[string, Rule, () => Promise<unknown>]>([
    ['user.created', user, () => send('POST /user_management/users', { email: 'new@else.test' })],
    ['organization.created', organization, () => send('POST /organizations', { name: 'New' })],
    [
      'organization_domain.created',
      domain,
      () => send('POST /organization_domains', { organization_id: 'org_bare', domain: 'more.test' }),
    ],
    [
      'organization_membership.created',
      { ...membership, required: membership.required.replace(' user ', ' ') },
      () =>
        send('POST /user_management/organization_memberships', { user_id: 'user_bob', organization_id: 'org_bare' }),
    ],
    ['invitation.created', invitation, () => send('POST /user_management/invitations', { email: 'joe@else.test' })],
    ['session.created', session, async () => undefined],
    [
      'dsync.user.created',
      directoryUser,
      () => emulator.createDirectoryUser({ directoryId: 'directory_acme', idpId: 'cy' }),
    ],
  ])('emits %s events that contain the resource and the actor', async (name, rule, act) => {
    await act();

    const { data } = (await send(`GET /events?events=${name}&limit=100`)).body;
    const event = data.at(-1);

    expect(wrongIn(event, { required: 'object id event data created_at context' })).toEqual([]);
    expect(wrongIn(event.data, rule)).toEqual([]);
    expect(wrongIn(event.context, { required: 'client_id actor' })).toEqual([]);
    expect(wrongIn(event.context.actor, { required: 'id source name', nullable: 'name' })).toEqual([]);
  });

  test("rejects an invalid request with status 422 and the public service's error code", async () => {
    const { status, body } = await send('POST /user_management/users', {});

    expect([status, body.code]).toEqual([422, 'invalid_request_parameters']);
  });
});

test('the spec dialect rejects an invalid request with the code validation_error', async () => {
  const { send } = await stage();

  expect((await send('POST /user_management/users', {})).body.code).toBe('validation_error');
});
