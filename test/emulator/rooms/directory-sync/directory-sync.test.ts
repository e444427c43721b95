import { describe, expect, test } from 'vitest';
import type { EmulatorOptions, NewDirectoryUser } from '../../../../src/emulator/index.js';
import type { RawAnswer } from '../../../servers/send.js';
import { stage } from '../../../stage.js';

const ids = ({ body }: RawAnswer): string[] => body.data.map(({ id }: { id: string }) => id);

/** Start with the directory of Acme, with two groups and two users, and a directory without an organization. */
async function startWithDirectories(options: EmulatorOptions = {}) {
  const { emulator, send } = await stage(options);
  const acme = await send('POST /organizations', {
    name: 'Acme',
    domain_data: [{ domain: 'acme.test', state: 'verified' }],
  });
  await emulator.createDirectory({
    id: 'directory_acme',
    organizationId: acme.body.id,
    name: 'Acme people',
    type: 'okta scim v2.0',
  });
  await emulator.createDirectory({ id: 'directory_other', name: 'Others', domain: 'other.test', state: 'unlinked' });
  const directoryId = 'directory_acme';
  await emulator.createDirectoryGroup({ id: 'directory_group_dev', directoryId, name: 'Developers', idpId: 'grp-1' });
  await emulator.createDirectoryGroup({ id: 'directory_group_ops', directoryId, name: 'Operations', idpId: 'grp-2' });
  await emulator.createDirectoryUser({
    id: 'directory_user_ada',
    directoryId,
    idpId: 'okta-ada',
    email: 'Ada@acme.test',
    firstName: 'Ada',
    lastName: 'Nolan',
    jobTitle: 'Engineer',
    groups: ['directory_group_dev'],
    customAttributes: { cost_center: '4100' },
    rawAttributes: { userName: 'ada' },
  });
  await emulator.createDirectoryUser({ id: 'directory_user_bo', directoryId, idpId: 'okta-bo', email: 'bo@acme.test' });
  return { emulator, send, acme: acme.body };
}

/** The events, without this number of first ones. */
const eventsAfter = async (send: (line: string) => Promise<RawAnswer>, since = 0) =>
  (await send('GET /events?limit=100')).body.data.slice(since);
const count = async (send: (line: string) => Promise<RawAnswer>) => (await eventsAfter(send)).length;

const dev = {
  id: 'directory_group_dev',
  idp_id: 'grp-1',
  directory_id: 'directory_acme',
  name: 'Developers',
  raw_attributes: {},
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

describe('in the directories API,', () => {
  test("a directory has the fields defined in the specification, and the organization's domain", async () => {
    const { send, acme } = await startWithDirectories();

    expect((await send('GET /directories/directory_acme')).body).toEqual({
      id: 'directory_acme',
      domain: 'acme.test',
      name: 'Acme people',
      organization_id: acme.id,
      state: 'linked',
      type: 'okta scim v2.0',
      external_key: expect.stringMatching(/^\w+$/),
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([
    ['', ['directory_other', 'directory_acme']],
    ['?order=asc&limit=1', ['directory_acme']],
    ['?search=ACME', ['directory_acme']],
    ['?search=nobody', []],
    ['?domain=other.test', ['directory_other']],
    ['?domain=nobody.test', []],
    ['?organization_id=org_none', []],
  ])('GET /directories%s returns the matching directories', async (query, expected) => {
    const { send } = await startWithDirectories();

    expect(ids(await send(`GET /directories${query}`))).toEqual(expected);
  });

  test('the list of directories can be filtered by organization', async () => {
    const { send, acme } = await startWithDirectories();

    expect(ids(await send(`GET /directories?organization_id=${acme.id}`))).toEqual(['directory_acme']);
  });

  test('only a linked directory emits dsync.activated, which contains the external key and the domains', async () => {
    const { send, acme } = await startWithDirectories();

    const { body } = await send('GET /events?events=dsync.activated');

    expect(body.data).toHaveLength(1);
    expect(body.data[0].data).toMatchObject({
      id: 'directory_acme',
      state: 'linked',
      domains: [{ object: 'organization_domain', id: acme.domains[0].id, domain: 'acme.test' }],
    });
    expect(body.data[0].data.external_key).toMatch(/^\w+$/);
  });

  test('a directory emits dsync.activated only once, when the directory is linked', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);

    await emulator.updateDirectory('directory_other', { name: 'The others' });
    await emulator.updateDirectory('directory_other', { state: 'linked' });
    await emulator.updateDirectory('directory_other', { state: 'linked' });

    expect((await send('GET /directories/directory_other')).body).toMatchObject({
      name: 'The others',
      state: 'linked',
    });
    expect((await eventsAfter(send, before)).map(({ event }: { event: string }) => event)).toEqual(['dsync.activated']);
  });

  test.each([
    ['spec', 'linked'],
    ['workos', 'active'],
  ] as const)('the %s dialect calls the state of a linked directory "%s" in events', async (dialect, inEvents) => {
    const { send } = await startWithDirectories({ dialect });

    await send('DELETE /directories/directory_acme');

    const { body } = await send('GET /events?events=dsync.activated,dsync.deleted');
    expect(body.data.map(({ data }: { data: { state: string } }) => data.state)).toEqual([inEvents, inEvents]);
    const [other] = (await send('GET /directories')).body.data;
    expect(other.state).toBe('unlinked');
  });

  test('deleting a directory also deletes its users and groups, and emits only one event', async () => {
    const { send } = await startWithDirectories();
    const before = await count(send);

    const answer = await send('DELETE /directories/directory_acme');

    expect(answer).toMatchObject({ status: 200, body: '' });
    for (const path of [
      'directories/directory_acme',
      'directory_users/directory_user_ada',
      `directory_groups/${dev.id}`,
    ])
      expect((await send(`GET /${path}`)).status).toBe(404);
    const events = await eventsAfter(send, before);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ event: 'dsync.deleted', data: { id: 'directory_acme', name: 'Acme people' } });
    expect(events[0].data).not.toHaveProperty('external_key');
  });

  test('deleting a directory returns 202 in the workos dialect, and 404 if the directory is already deleted', async () => {
    const { send } = await startWithDirectories({ dialect: 'workos' });

    expect((await send('DELETE /directories/directory_acme')).status).toBe(202);
    expect((await send('DELETE /directories/directory_acme')).status).toBe(404);
  });

  test('deleting an organization also deletes its directories', async () => {
    const { send, acme } = await startWithDirectories();

    await send(`DELETE /organizations/${acme.id}`);

    expect(ids(await send('GET /directories'))).toEqual(['directory_other']);
    expect((await send('GET /events?events=dsync.deleted')).body.data).toHaveLength(1);
  });
});

describe('in the directory users API,', () => {
  test('a user has the fields defined in the specification, including the current groups', async () => {
    const { send, acme } = await startWithDirectories();

    expect((await send('GET /directory_users/directory_user_ada')).body).toEqual({
      object: 'directory_user',
      id: 'directory_user_ada',
      idp_id: 'okta-ada',
      directory_id: 'directory_acme',
      organization_id: acme.id,
      first_name: 'Ada',
      last_name: 'Nolan',
      email: 'Ada@acme.test',
      emails: [{ primary: true, type: 'work', value: 'Ada@acme.test' }],
      username: 'Ada@acme.test',
      job_title: 'Engineer',
      groups: [{ ...dev, organization_id: acme.id }],
      state: 'active',
      custom_attributes: { cost_center: '4100' },
      raw_attributes: { userName: 'ada' },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([
    ['directory=directory_acme', ['directory_user_bo', 'directory_user_ada']],
    ['directory=directory_acme&order=asc', ['directory_user_ada', 'directory_user_bo']],
    ['directory=directory_acme&limit=1&after=directory_user_bo', ['directory_user_ada']],
    ['directory=directory_other', []],
    ['group=directory_group_dev', ['directory_user_ada']],
    ['group=directory_group_ops', []],
    ['directory=directory_other&group=directory_group_dev', []],
    ['directory=directory_acme&idp_id=okta-bo', ['directory_user_bo']],
    ['directory=directory_other&idp_id=okta-bo', []],
    ['group=directory_group_dev&idp_id=okta-bo', []],
    ['directory=directory_acme&email=ada%40ACME.test', ['directory_user_ada']],
    ['directory=directory_acme&email=nobody%40acme.test', []],
    ['group=directory_group_dev&email=bo%40acme.test', []],
    ['directory=directory_acme&email=bo%40acme.test&idp_id=okta-ada', []],
  ])('GET /directory_users?%s returns the matching users', async (query, expected) => {
    const { send } = await startWithDirectories();

    expect(ids(await send(`GET /directory_users?${query}`))).toEqual(expected);
  });

  test('the list of users requires a directory or a group', async () => {
    const { send } = await startWithDirectories();

    for (const query of ['', '?email=bo%40acme.test'])
      expect(await send(`GET /directory_users${query}`)).toMatchObject({
        status: 422,
        body: {
          code: 'validation_error',
          errors: [
            { field: 'directory', code: 'required' },
            { field: 'group', code: 'required' },
          ],
        },
      });
  });

  test('a request for the users in an unknown group returns 404', async () => {
    const { send } = await startWithDirectories();

    expect(await send('GET /directory_users?group=directory_group_none')).toMatchObject({
      status: 404,
      body: { code: 'entity_not_found' },
    });
  });

  test('a new user emits an event, and then one event for each group', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);

    await emulator.createDirectoryUser({
      directoryId: 'directory_acme',
      email: 'cy@acme.test',
      groups: ['directory_group_ops', 'directory_group_dev'],
    });

    const [created, first, second, ...rest] = await eventsAfter(send, before);
    expect(rest).toEqual([]);
    expect(created).toMatchObject({ event: 'dsync.user.created', data: { email: 'cy@acme.test', groups: [] } });
    expect(first).toMatchObject({
      event: 'dsync.group.user_added',
      data: {
        directory_id: 'directory_acme',
        user: { object: 'directory_user', id: created.data.id, groups: [{ id: 'directory_group_ops' }] },
        group: { id: 'directory_group_ops', name: 'Operations' },
      },
    });
    expect(second.data.group.id).toBe('directory_group_dev');
  });

  test('an updated user emits an event with the previous values under wire names', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);
    await emulator.clock.advance('1h');

    await emulator.updateDirectoryUser('directory_user_ada', {
      jobTitle: 'Lead',
      state: 'inactive',
      firstName: 'Ada',
      customAttributes: { cost_center: '4200' },
    });

    const [updated, ...rest] = await eventsAfter(send, before);
    expect(rest).toEqual([]);
    expect(updated).toMatchObject({
      event: 'dsync.user.updated',
      data: {
        id: 'directory_user_ada',
        job_title: 'Lead',
        state: 'inactive',
        custom_attributes: { cost_center: '4200' },
        groups: [{ id: 'directory_group_dev' }],
        updated_at: '2026-01-01T01:00:00.000Z',
      },
    });
    expect(updated.data.previous_attributes).toEqual({
      job_title: 'Engineer',
      state: 'active',
      custom_attributes: { cost_center: '4100' },
    });
    const { body } = await send('GET /directory_users/directory_user_ada');
    expect(body.job_title).toBe('Lead');
    expect(body).not.toHaveProperty('previous_attributes');
  });

  test('an update without changes does not emit an event', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);
    await emulator.clock.advance('1h');

    await emulator.updateDirectoryUser('directory_user_ada', { jobTitle: 'Engineer', email: 'Ada@acme.test' });

    expect(await eventsAfter(send, before)).toEqual([]);
    expect((await send('GET /directory_users/directory_user_ada')).body.updated_at).toBe('2026-01-01T00:00:00.000Z');
  });

  test('a new email address replaces the primary address, even in the email filter', async () => {
    const { emulator, send } = await startWithDirectories();
    await emulator.updateDirectoryUser('directory_user_ada', {
      emails: [
        { primary: false, type: 'home', value: 'ada@home.test' },
        { primary: true, type: 'work', value: 'ada@acme.test' },
      ],
    });

    await emulator.updateDirectoryUser('directory_user_ada', { email: 'nolan@acme.test' });

    const { body } = await send('GET /directory_users/directory_user_ada');
    expect(body.email).toBe('nolan@acme.test');
    expect(body.emails).toEqual([
      { primary: true, type: 'work', value: 'nolan@acme.test' },
      { primary: false, type: 'home', value: 'ada@home.test' },
    ]);
    const found = async (email: string) =>
      ids(await send(`GET /directory_users?directory=directory_acme&email=${email}`));
    expect(await found('nolan@acme.test')).toEqual(['directory_user_ada']);
    expect(await found('ada@home.test')).toEqual(['directory_user_ada']);
    expect(await found('ada@acme.test')).toEqual([]);
  });

  test('a secondary address that becomes primary is listed only once', async () => {
    const { emulator } = await startWithDirectories();
    await emulator.updateDirectoryUser('directory_user_ada', {
      emails: [
        { primary: true, type: 'work', value: 'ada@acme.test' },
        { primary: false, type: 'home', value: 'ada@home.test' },
      ],
    });

    const { emails } = await emulator.updateDirectoryUser('directory_user_ada', { email: 'ada@home.test' });

    expect(emails).toEqual([{ primary: true, type: 'work', value: 'ada@home.test' }]);
  });

  test("a deleted user emits an event that lists the user's groups, and is removed from the groups", async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);

    await emulator.deleteDirectoryUser('directory_user_ada');

    const events = await eventsAfter(send, before);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      event: 'dsync.user.deleted',
      data: { id: 'directory_user_ada', groups: [{ id: 'directory_group_dev' }] },
    });
    expect(ids(await send('GET /directory_users?group=directory_group_dev'))).toEqual([]);
    await expect(emulator.deleteDirectoryUser('directory_user_ada')).rejects.toMatchObject({ status: 404 });
  });

  test('a user can have only a role that belongs to the environment or the organization', async () => {
    const { emulator, send } = await startWithDirectories();
    await emulator.updateDirectoryUser('directory_user_ada', { role: { slug: 'admin' } });

    expect((await send('GET /directory_users/directory_user_ada')).body.role).toEqual({ slug: 'admin' });
    await expect(emulator.updateDirectoryUser('directory_user_ada', { role: { slug: 'none' } })).rejects.toMatchObject({
      status: 422,
      code: 'role_not_found',
    });
  });

  test.each<[string, Omit<NewDirectoryUser, 'directoryId'> & { directoryId?: string }, number, string]>([
    ['in an unknown directory', { directoryId: 'directory_none' }, 404, 'entity_not_found'],
    ['with a repeated provider id', { idpId: 'okta-ada' }, 409, 'directory_user_already_exists'],
    ['in an unknown group', { groups: ['directory_group_none'] }, 404, 'entity_not_found'],
    [
      'in a group of another directory',
      { directoryId: 'directory_other', groups: ['directory_group_dev'] },
      422,
      'directory_mismatch',
    ],
  ])('a user cannot be created %s', async (_what, user, status, code) => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);

    const made = emulator.createDirectoryUser({ directoryId: 'directory_acme', ...user });

    await expect(made).rejects.toMatchObject({ status, code });
    expect(await eventsAfter(send, before)).toEqual([]);
  });

  test("a user's provider id cannot be changed to another user's provider id", async () => {
    const { emulator } = await startWithDirectories();

    const taken = emulator.updateDirectoryUser('directory_user_bo', { idpId: 'okta-ada' });

    await expect(taken).rejects.toMatchObject({ status: 409, code: 'directory_user_already_exists' });
    expect(await emulator.updateDirectoryUser('directory_user_bo', { idpId: 'okta-bo-2' })).toMatchObject({
      idpId: 'okta-bo-2',
    });
  });

  test('users in two directories can have the same provider id', async () => {
    const { emulator } = await startWithDirectories();

    const user = await emulator.createDirectoryUser({ directoryId: 'directory_other', idpId: 'okta-ada' });

    expect(user).toMatchObject({ idpId: 'okta-ada', organizationId: null, email: null, emails: [], username: null });
  });
});

describe('in the directory groups API,', () => {
  test('a group has the fields defined in the specification', async () => {
    const { send, acme } = await startWithDirectories();

    expect((await send('GET /directory_groups/directory_group_dev')).body).toEqual({
      ...dev,
      organization_id: acme.id,
    });
  });

  test.each([
    ['directory=directory_acme', ['directory_group_ops', 'directory_group_dev']],
    ['directory=directory_acme&idp_id=grp-1', ['directory_group_dev']],
    ['directory=directory_other&idp_id=grp-1', []],
    ['directory=directory_other', []],
    ['user=directory_user_ada', ['directory_group_dev']],
    ['user=directory_user_bo', []],
    ['directory=directory_other&user=directory_user_ada', []],
  ])('GET /directory_groups?%s returns the matching groups', async (query, expected) => {
    const { send } = await startWithDirectories();

    expect(ids(await send(`GET /directory_groups?${query}`))).toEqual(expected);
  });

  test('the list of groups requires a directory or a user', async () => {
    const { send } = await startWithDirectories();

    expect(await send('GET /directory_groups')).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'directory' }, { field: 'user' }] },
    });
    expect((await send('GET /directory_groups?user=directory_user_none')).status).toBe(404);
  });

  test('a renamed group emits an event with the previous name, and its members show the new name', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);

    await emulator.updateDirectoryGroup('directory_group_dev', { name: 'Engineers' });
    await emulator.updateDirectoryGroup('directory_group_dev', { name: 'Engineers' });

    const events = await eventsAfter(send, before);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ event: 'dsync.group.updated', data: { name: 'Engineers' } });
    expect(events[0].data.previous_attributes).toEqual({ name: 'Developers' });
    const { body } = await send('GET /directory_users/directory_user_ada');
    expect(body.groups[0].name).toBe('Engineers');
  });

  test('joining a group and leaving a group each emit one event', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);
    const who = { userId: 'directory_user_bo', groupId: 'directory_group_dev' };

    const joined = await emulator.addUserToGroup(who);
    await emulator.addUserToGroup(who);
    const both = ids(await send('GET /directory_users?group=directory_group_dev&order=asc'));
    const left = await emulator.removeUserFromGroup(who);
    await emulator.removeUserFromGroup(who);

    expect(joined.groups).toMatchObject([{ id: 'directory_group_dev' }]);
    expect(both).toEqual(['directory_user_ada', 'directory_user_bo']);
    expect(left.groups).toEqual([]);
    const events = await eventsAfter(send, before);
    expect(events.map(({ event }: { event: string }) => event)).toEqual([
      'dsync.group.user_added',
      'dsync.group.user_removed',
    ]);
    expect(events[1].data).toMatchObject({
      directory_id: 'directory_acme',
      user: { id: 'directory_user_bo', groups: [] },
      group: { id: 'directory_group_dev' },
    });
  });

  test('a user cannot join a group in another directory', async () => {
    const { emulator } = await startWithDirectories();
    const { id: userId } = await emulator.createDirectoryUser({ directoryId: 'directory_other' });

    await expect(emulator.addUserToGroup({ userId, groupId: 'directory_group_dev' })).rejects.toMatchObject({
      status: 422,
      code: 'directory_mismatch',
    });
  });

  test('a deleted group emits one event, and its former members no longer list the group', async () => {
    const { emulator, send } = await startWithDirectories();
    const before = await count(send);

    await emulator.deleteDirectoryGroup('directory_group_dev');

    const events = await eventsAfter(send, before);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ event: 'dsync.group.deleted', data: { id: 'directory_group_dev' } });
    expect((await send('GET /directory_users/directory_user_ada')).body.groups).toEqual([]);
  });

  test('two groups in a directory cannot have the same provider id', async () => {
    const { emulator } = await startWithDirectories();

    const made = emulator.createDirectoryGroup({ directoryId: 'directory_acme', name: 'Twins', idpId: 'grp-1' });
    const changed = emulator.updateDirectoryGroup('directory_group_ops', { idpId: 'grp-1' });

    await expect(made).rejects.toMatchObject({ status: 409, code: 'directory_group_already_exists' });
    await expect(changed).rejects.toMatchObject({ status: 409, code: 'directory_group_already_exists' });
  });
});

test("the pages of a directory's user list contain each existing user once, even while users are created and deleted", async () => {
  const { emulator, send } = await startWithDirectories();
  for (let n = 0; n < 250; n++)
    await emulator.createDirectoryUser({ id: `directory_user_${n}`, directoryId: 'directory_acme' });
  const seen: string[] = [];
  let after = '';

  for (;;) {
    const page = await send(`GET /directory_users?directory=directory_acme&limit=100${after && `&after=${after}`}`);
    seen.push(...ids(page));
    after = page.body.list_metadata.after;
    if (!after) break;
    await emulator.createDirectoryUser({ directoryId: 'directory_acme' });
    // This is the user of the cursor.
    await emulator.deleteDirectoryUser(after);
  }

  expect(seen).toHaveLength(252);
  expect(new Set(seen).size).toBe(252);
});

test('a reset removes all directories, and new directories can be created', async () => {
  const { emulator, send } = await startWithDirectories();

  await emulator.reset();

  expect(ids(await send('GET /directories'))).toEqual([]);
  const { id } = await emulator.createDirectory({ name: 'Anew' });
  await emulator.createDirectoryUser({ directoryId: id, email: 'ada@acme.test' });
  await send(`DELETE /directories/${id}`);
  expect((await send('GET /events?events=dsync.deleted')).body.data).toHaveLength(1);
});
