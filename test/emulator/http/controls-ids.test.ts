import { describe, expect, test } from 'vitest';
import { namedControlsOf } from '../../../src/emulator/http/control.js';
import { createEmulator } from '../../../src/emulator/index.js';
import { controls } from '../../../src/emulator/registry.js';
import { descriptorOf } from '../../../src/service/describe/operation.js';
import { company } from '../../parity/controls/row.js';
import { stage } from '../../stage.js';
import { seedFolder } from '../seed/file.js';

const seedFile = seedFolder();

/** Two requests for each control that accepts an id. They can collide only on the id. */
const pairs: Readonly<Record<string, readonly [one: object, other: object]>> = {
  createRole: [{ slug: 'auditor' }, { slug: 'owner' }],
  createConnectApplication: [{ name: 'One' }, { name: 'Other' }],
  authorizeApplication: [
    { user_id: 'user_ada', application_id: 'conn_app_notes' },
    { user_id: 'user_bob', application_id: 'conn_app_notes' },
  ],
  createConnection: [{ connection_type: 'OktaSAML' }, { connection_type: 'GoogleOAuth' }],
  createProfile: [
    { connection_id: 'conn_okta', email: 'ada@acme.test' },
    { connection_id: 'conn_okta', email: 'bob@acme.test' },
  ],
  createDirectory: [{ name: 'One' }, { name: 'Other' }],
  createDirectoryUser: [
    { directory_id: 'directory_acme', idp_id: 'one' },
    { directory_id: 'directory_acme', idp_id: 'other' },
  ],
  createDirectoryGroup: [
    { directory_id: 'directory_acme', name: 'One' },
    { directory_id: 'directory_acme', name: 'Other' },
  ],
};

const seed = {
  ...company,
  users: [...company.users!, { id: 'user_bob', email: 'bob@acme.test' }],
  connect_applications: [...company.connect_applications!, { id: 'conn_app_mail', name: 'Mail' }],
};
const withId = namedControlsOf(controls).filter(
  ({ operation: { io } }) => io.body && 'id' in (descriptorOf(io.body).model?.shape ?? {}),
);
const cases = withId.map(({ name, operation }) => [name, `${operation.method} ${operation.path}`] as const);

test('the id tests cover every control that accepts an id', () => {
  expect(withId.map(({ name }) => name).sort()).toEqual(Object.keys(pairs).sort());
});

describe('a caller-chosen id', () => {
  test.each(cases)('that is already taken makes %s fail without changing anything', async (name, line) => {
    const { emulator, send } = await stage({ seed });
    const [one, other] = pairs[name]!;
    expect((await send(line, { ...one, id: 'chosen' })).status).toBe(200);
    const { ids: _, ...before } = emulator.snapshot().worlds.staging!;

    const answer = await send(line, { ...other, id: 'chosen' });

    expect([answer.status, answer.body.code]).toEqual([409, 'id_already_used']);
    expect(answer.body.message).toMatch(
      /^There is already an? .+ with the id "chosen". Choose another id, or leave it out/,
    );
    const { ids: _ids, ...after } = emulator.snapshot().worlds.staging!;
    expect(after).toEqual(before);
  });

  test.each(cases)('with an invalid format is rejected by %s', async (name, line) => {
    const { send } = await stage({ seed });

    for (const id of ['', 'a b', 'a/b', 'a,b', 'a%20b', '.', '..', 'é', 'a\n']) {
      const answer = await send(line, { ...pairs[name]![0], id });

      expect([id, answer.status, answer.body.errors?.[0]]).toEqual([
        id,
        422,
        { field: 'id', code: 'invalid_format', message: 'must be made of letters, digits, _, -, . and ~' },
      ]);
    }
  });

  test.each(cases)(
    'with a valid format is accepted by %s, and can be exported and seeded again',
    async (name, line) => {
      const { emulator, send } = await stage({ seed });

      const answer = await send(line, { ...pairs[name]![0], id: 'A.b~c-_1' });
      const exported = JSON.parse(await emulator.export({ format: 'json' }));

      expect([answer.status, answer.body.id]).toEqual([200, 'A.b~c-_1']);
      expect(JSON.parse(await (await createEmulator({ seed: exported })).export({ format: 'json' }))).toEqual(exported);
    },
  );
});

test('authorizing an application again with an id that is already taken fails without changing anything', async () => {
  const { emulator, send } = await stage({ seed });
  const authorize = (user_id: string, id: string) =>
    send('POST /_emulator/authorized_applications', { id, user_id, application_id: 'conn_app_notes' });
  await authorize('user_ada', 'ofAda');
  await authorize('user_bob', 'ofBob');
  const before = emulator.snapshot().worlds.staging!['authorized application'];

  const taken = await authorize('user_bob', 'ofAda');
  const after = emulator.snapshot().worlds.staging!['authorized application'];
  const same = await authorize('user_bob', 'ofBob');

  expect([taken.status, taken.body.code, same.status]).toEqual([409, 'id_already_used', 200]);
  expect(after).toEqual(before);
});

test.each([
  ['addApiKey', 'key', 'POST /_emulator/api_keys', { value: 'sk_live_sallyport_emulator' }, 409],
  ['createRole', 'slug', 'POST /_emulator/roles', { slug: 'auditor' }, 422],
  [
    'createConnectApplication',
    'client ID',
    'POST /_emulator/connect_applications',
    { name: 'N', client_id: 'client_n' },
    400,
  ],
  [
    'createProfile',
    'email address',
    'POST /_emulator/profiles',
    { connection_id: 'conn_okta', email: 'ada@acme.test' },
    409,
  ],
  [
    'createDirectoryUser',
    'provider id',
    'POST /_emulator/directory_users',
    { directory_id: 'directory_acme', idp_id: 'x' },
    409,
  ],
  [
    'createDirectoryGroup',
    'provider id',
    'POST /_emulator/directory_groups',
    { directory_id: 'directory_acme', idp_id: 'x', name: 'X' },
    409,
  ],
  ['addRedirectUri', 'redirect URI', 'POST /_emulator/redirect_uris', { uri: 'http://localhost:3000/callback' }, 409],
])('%s rejects a duplicate %s', async (_name, _field, line, body, status) => {
  const { send } = await stage({ seed });
  await send(line, body);

  const again = await send(line, body);

  expect([again.status, again.body.code]).toEqual([
    status,
    expect.stringMatching(/_(?:already_used|already_exists|taken)$/),
  ]);
});

test('an environment role cannot have the same slug as an organization role', async () => {
  const { send } = await stage({ seed });
  await send('POST /_emulator/roles', { slug: 'auditor', organization_id: 'org_acme' });

  const answer = await send('POST /_emulator/roles', { slug: 'auditor' });

  expect([answer.status, answer.body.code]).toEqual([422, 'role_slug_already_used']);
});

test('createProfile rejects an unknown role, as a seed does', async () => {
  const { send } = await stage({ seed });
  const profile = { connection_id: 'conn_okta', email: 'ada@acme.test', role: { slug: 'captain' } };

  const refused = await send('POST /_emulator/profiles', profile);
  await send('POST /_emulator/roles', { slug: 'captain' });
  const created = await send('POST /_emulator/profiles', profile);

  expect([refused.status, refused.body.code, refused.body.errors[0].field]).toEqual([
    422,
    'role_not_found',
    'role.slug',
  ]);
  expect(created.status).toBe(200);
});

test('addApiKey rejects a deny rule without a path, as a seed does', async () => {
  const { send } = await stage();

  const refused = await send('POST /_emulator/api_keys', { value: 'sk_test_one', deny: ['GET /users', 'DELETE'] });
  const created = await send('POST /_emulator/api_keys', { value: 'sk_test_one', deny: ['GET /users', 'DELETE *'] });

  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ field: 'deny.1', code: 'invalid_value', message: 'must be a method and a path, such as PUT /organizations/*' }],
  ]);
  expect(created.status).toBe(200);
});

test('a directory group attribute named "<<" can be exported and seeded again', async () => {
  const { emulator, send } = await stage({ seed });
  await send('POST /_emulator/directory_groups', {
    directory_id: 'directory_acme',
    name: 'Merged',
    raw_attributes: { '<<': 'a merge key of YAML' },
  });
  const exported = await emulator.export();

  const other = await createEmulator({ seed: seedFile(exported) });

  expect(await other.export()).toBe(exported);
});
