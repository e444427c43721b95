import { eventsOf, type Place, type Row } from './row.js';

const people =
  (...fields: readonly string[]) =>
  async ({ send }: Place) =>
    (await send('GET /directory_users?directory=directory_acme&order=asc')).body.data.map(
      (user: Readonly<Record<string, unknown>>) => fields.map((field) => user[field]),
    );
const groups = async ({ send }: Place) =>
  (await send('GET /directory_groups?directory=directory_acme')).body.data.map(
    ({ name }: { readonly name: string }) => name,
  );
const directories = async ({ send }: Place) =>
  (await send('GET /directories')).body.data.map(({ name }: { readonly name: string }) => name);
const members = async ({ send }: Place) =>
  (await send('GET /directory_users?group=directory_group_docks')).body.data.map(
    ({ email }: { readonly email: string }) => email,
  );
const join = (place: Place) =>
  place.emulator.addUserToGroup({ userId: 'directory_user_grace', groupId: 'directory_group_docks' });
const membership = { user_id: 'directory_user_grace', group_id: 'directory_group_docks' };

/** Controls of what happens in a customer's directory. */
export const directoryRows: Readonly<Record<string, Row>> = {
  createDirectory: {
    inProcess: (emulator) => emulator.createDirectory({ name: 'Second', organizationId: 'org_acme' }),
    request: ['POST /_emulator/directories', { name: 'Second', organization_id: 'org_acme' }],
    answer: { name: 'Second', organization_id: 'org_acme', state: 'linked' },
    shows: (place) => eventsOf(place, 'dsync.activated'),
    then: ['dsync.activated'],
    refused: {
      inProcess: (emulator) => emulator.createDirectory({} as { name: string }),
      request: ['POST /_emulator/directories', {}],
      status: 422,
      code: 'validation_error',
      fields: ['name'],
    },
  },
  updateDirectory: {
    inProcess: (emulator) => emulator.updateDirectory('directory_acme', { name: 'Everybody' }),
    request: ['PATCH /_emulator/directories/directory_acme', { name: 'Everybody' }],
    answer: { id: 'directory_acme', name: 'Everybody', domain: 'acme.test' },
    shows: directories,
    then: ['Everybody'],
    refused: {
      inProcess: (emulator) => emulator.updateDirectory('directory_gone', { name: 'Everybody' }),
      request: ['PATCH /_emulator/directories/directory_gone', { name: 'Everybody' }],
      status: 404,
      code: 'entity_not_found',
    },
  },
  deleteDirectory: {
    inProcess: (emulator) => emulator.deleteDirectory('directory_acme'),
    request: ['DELETE /_emulator/directories/directory_acme'],
    shows: async (place) => [await directories(place), await eventsOf(place, 'dsync.deleted', 'dsync.user.deleted')],
    then: [[], ['dsync.deleted']],
    refused: {
      inProcess: (emulator) => emulator.deleteDirectory('directory_gone'),
      request: ['DELETE /_emulator/directories/directory_gone'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  createDirectoryUser: {
    inProcess: (emulator) =>
      emulator.createDirectoryUser({
        directoryId: 'directory_acme',
        email: 'ada@acme.test',
        jobTitle: 'Engineer',
        groups: ['directory_group_docks'],
        customAttributes: { costCenter: '4100' },
      }),
    request: [
      'POST /_emulator/directory_users',
      {
        directory_id: 'directory_acme',
        email: 'ada@acme.test',
        job_title: 'Engineer',
        groups: ['directory_group_docks'],
        custom_attributes: { costCenter: '4100' },
      },
    ],
    answer: { object: 'directory_user', email: 'ada@acme.test', job_title: 'Engineer', state: 'active' },
    shows: async (place) => [
      await people('email', 'custom_attributes')(place),
      await eventsOf(place, 'dsync.user.created', 'dsync.group.user_added'),
    ],
    then: [
      [
        ['grace@acme.test', {}],
        ['ada@acme.test', { costCenter: '4100' }],
      ],
      ['dsync.user.created', 'dsync.group.user_added'],
    ],
    refused: {
      inProcess: (emulator) => emulator.createDirectoryUser({ email: 'ada@acme.test' } as never),
      request: ['POST /_emulator/directory_users', { email: 'ada@acme.test' }],
      status: 422,
      code: 'validation_error',
      fields: ['directory_id'],
    },
  },
  updateDirectoryUser: {
    inProcess: (emulator) => emulator.updateDirectoryUser('directory_user_grace', { jobTitle: 'Admiral' }),
    request: ['PATCH /_emulator/directory_users/directory_user_grace', { job_title: 'Admiral' }],
    answer: { id: 'directory_user_grace', job_title: 'Admiral', first_name: 'Grace' },
    shows: people('job_title'),
    then: [['Admiral']],
    refused: {
      inProcess: (emulator) =>
        emulator.updateDirectoryUser('directory_user_grace', { jobTitle: 5 as unknown as string }),
      request: ['PATCH /_emulator/directory_users/directory_user_grace', { job_title: 5 }],
      status: 422,
      code: 'validation_error',
      fields: ['job_title'],
    },
  },
  deleteDirectoryUser: {
    inProcess: (emulator) => emulator.deleteDirectoryUser('directory_user_grace'),
    request: ['DELETE /_emulator/directory_users/directory_user_grace'],
    shows: people('id'),
    then: [],
    refused: {
      inProcess: (emulator) => emulator.deleteDirectoryUser('directory_user_gone'),
      request: ['DELETE /_emulator/directory_users/directory_user_gone'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  createDirectoryGroup: {
    inProcess: (emulator) => emulator.createDirectoryGroup({ directoryId: 'directory_acme', name: 'Cranes' }),
    request: ['POST /_emulator/directory_groups', { directory_id: 'directory_acme', name: 'Cranes' }],
    answer: { name: 'Cranes', directory_id: 'directory_acme' },
    shows: groups,
    then: ['Cranes', 'Docks'],
    refused: {
      inProcess: (emulator) =>
        emulator.createDirectoryGroup({ directoryId: 'directory_acme', name: 'Again', idpId: 'docks' }),
      request: ['POST /_emulator/directory_groups', { directory_id: 'directory_acme', name: 'Again', idp_id: 'docks' }],
      status: 409,
      code: 'directory_group_already_exists',
    },
  },
  updateDirectoryGroup: {
    inProcess: (emulator) => emulator.updateDirectoryGroup('directory_group_docks', { name: 'Quays' }),
    request: ['PATCH /_emulator/directory_groups/directory_group_docks', { name: 'Quays' }],
    answer: { id: 'directory_group_docks', name: 'Quays' },
    shows: groups,
    then: ['Quays'],
    refused: {
      inProcess: (emulator) => emulator.updateDirectoryGroup('directory_group_gone', { name: 'Quays' }),
      request: ['PATCH /_emulator/directory_groups/directory_group_gone', { name: 'Quays' }],
      status: 404,
      code: 'entity_not_found',
    },
  },
  deleteDirectoryGroup: {
    inProcess: (emulator) => emulator.deleteDirectoryGroup('directory_group_docks'),
    request: ['DELETE /_emulator/directory_groups/directory_group_docks'],
    shows: groups,
    then: [],
    refused: {
      inProcess: (emulator) => emulator.deleteDirectoryGroup('directory_group_gone'),
      request: ['DELETE /_emulator/directory_groups/directory_group_gone'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  addUserToGroup: {
    inProcess: (emulator) =>
      emulator.addUserToGroup({ userId: 'directory_user_grace', groupId: 'directory_group_docks' }),
    request: ['POST /_emulator/directory_groups/add_user', membership],
    answer: { id: 'directory_user_grace', groups: [{ name: 'Docks' }] },
    shows: members,
    then: ['grace@acme.test'],
    refused: {
      inProcess: (emulator) => emulator.addUserToGroup({ userId: 'directory_user_grace' } as never),
      request: ['POST /_emulator/directory_groups/add_user', { user_id: 'directory_user_grace' }],
      status: 422,
      code: 'validation_error',
      fields: ['group_id'],
    },
  },
  removeUserFromGroup: {
    before: join,
    inProcess: (emulator) =>
      emulator.removeUserFromGroup({ userId: 'directory_user_grace', groupId: 'directory_group_docks' }),
    request: ['POST /_emulator/directory_groups/remove_user', membership],
    answer: { id: 'directory_user_grace', groups: [] },
    shows: members,
    then: [],
    refused: {
      inProcess: (emulator) =>
        emulator.removeUserFromGroup({ userId: 'directory_user_gone', groupId: 'directory_group_docks' }),
      request: [
        'POST /_emulator/directory_groups/remove_user',
        { user_id: 'directory_user_gone', group_id: 'directory_group_docks' },
      ],
      status: 404,
      code: 'entity_not_found',
    },
  },
};
