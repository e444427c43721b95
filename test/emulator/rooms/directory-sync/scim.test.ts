import { expect, test } from 'vitest';
import type { RawAnswer } from '../../../servers/send.js';
import { stage } from '../../../stage.js';

const ids = ({ body }: RawAnswer): string[] => body.data.map(({ id }: { id: string }) => id);

/** Start with a directory with two groups and three users, and another directory with one user. */
async function startWithDirectories() {
  const { emulator, send } = await stage();
  const directoryId = 'directory_acme';
  await emulator.createDirectory({ id: directoryId, name: 'Acme' });
  await emulator.createDirectory({ id: 'directory_other', name: 'Others' });
  await emulator.createDirectoryGroup({ id: 'directory_group_dev', directoryId, name: 'Developers' });
  await emulator.createDirectoryGroup({ id: 'directory_group_ops', directoryId, name: 'Operations' });
  await emulator.createDirectoryUser({
    id: 'directory_user_ada',
    directoryId,
    email: 'ada@acme.test',
    username: 'ada',
    firstName: 'Ada',
    lastName: 'Nolan',
    rawAttributes: { userName: 'ada' },
    groups: ['directory_group_dev', 'directory_group_ops'],
  });
  await emulator.createDirectoryUser({ id: 'directory_user_bo', directoryId });
  // This id does not have the usual prefix.
  await emulator.createDirectoryUser({ id: 'cy', directoryId });
  await emulator.createDirectoryUser({ id: 'directory_user_zoe', directoryId: 'directory_other' });
  return { emulator, send };
}

test('the SCIM list of users has SCIM ids and `listMetadata`', async () => {
  const { send } = await startWithDirectories();

  const { status, body } = await send('GET /directories/directory_acme/users?limit=1&after=scim_usr_bo');

  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'list',
    data: [
      {
        id: 'scim_usr_ada',
        first_name: 'Ada',
        last_name: 'Nolan',
        username: 'ada',
        emails: [{ primary: true, type: 'work', value: 'ada@acme.test' }],
        raw_attributes: { userName: 'ada' },
      },
    ],
    listMetadata: { before: 'scim_usr_ada', after: null },
  });
});

test('the SCIM list of users contains every user in the directory once, and no other users', async () => {
  const { send } = await startWithDirectories();
  const first = await send('GET /directories/directory_acme/users?limit=2');

  const second = await send(`GET /directories/directory_acme/users?limit=2&after=${first.body.listMetadata.after}`);

  expect(ids(first)).toEqual(['scim_usr_cy', 'scim_usr_bo']);
  expect(ids(second)).toEqual(['scim_usr_ada']);
});

test('the SCIM list of users accepts the cursor of a deleted user', async () => {
  const { emulator, send } = await startWithDirectories();
  await emulator.deleteDirectoryUser('directory_user_bo');

  expect(ids(await send('GET /directories/directory_acme/users?after=scim_usr_bo'))).toEqual(['scim_usr_ada']);
});

test.each(['scim_usr_none', 'directory_user_bo', 'scim_grp_dev'])(
  'the SCIM list of users rejects the cursor %s',
  async (cursor) => {
    const { send } = await startWithDirectories();

    expect(await send(`GET /directories/directory_acme/users?after=${cursor}`)).toMatchObject({
      status: 422,
      body: { code: 'invalid_cursor' },
    });
  },
);

test('the SCIM list of groups has SCIM ids and `listMetadata`', async () => {
  const { send } = await startWithDirectories();

  const { body } = await send('GET /directories/directory_acme/groups?limit=1');

  expect(body).toEqual({
    object: 'list',
    data: [{ id: 'scim_grp_ops', name: 'Operations' }],
    listMetadata: { before: null, after: 'scim_grp_ops' },
  });
});

test("a user can be read by SCIM id, even if the user's own id has no prefix", async () => {
  const { send } = await startWithDirectories();

  expect((await send('GET /directories/directory_acme/users/scim_usr_ada')).body.first_name).toBe('Ada');
  expect((await send('GET /directories/directory_acme/users/scim_usr_cy')).body.id).toBe('scim_usr_cy');
});

test("a user's SCIM groups are returned as a plain array, without a list object", async () => {
  const { send } = await startWithDirectories();

  expect((await send('GET /directories/directory_acme/users/scim_usr_ada/groups')).body).toEqual([
    { id: 'scim_grp_dev', name: 'Developers' },
    { id: 'scim_grp_ops', name: 'Operations' },
  ]);
  expect((await send('GET /directories/directory_acme/users/scim_usr_bo/groups')).body).toEqual([]);
});

test.each([
  'directories/directory_acme/users/scim_usr_none',
  'directories/directory_acme/users/scim_usr_zoe',
  'directories/directory_acme/users/directory_user_ada',
  'directories/directory_other/users/scim_usr_ada',
  'directories/directory_acme/users/scim_usr_zoe/groups',
])('the SCIM path %s returns 404', async (path) => {
  const { send } = await startWithDirectories();

  expect(await send(`GET /${path}`)).toMatchObject({ status: 404, body: { code: 'entity_not_found' } });
});
