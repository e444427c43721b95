import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

/** A seed with Acme, its domain, and a directory with a group; Ada is in the directory and in Acme. */
async function company() {
  const { emulator, send } = await stage({
    dialect: 'workos',
    seed: {
      organizations: [{ id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'pending' }] }],
      users: [{ id: 'user_ada', email: 'ada@acme.test' }],
      memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
      directories: [
        {
          id: 'directory_acme',
          organization_id: 'org_acme',
          name: 'Acme people',
          groups: [{ id: 'directory_group_dev', name: 'Developers' }],
          users: [{ id: 'directory_user_ada', email: 'ada@acme.test', groups: ['directory_group_dev'] }],
        },
      ],
    },
  });
  const first = async (path: string) => (await send(`GET ${path}`)).body.data[0];
  return { emulator, send, first };
}

describe('a list that is read again', () => {
  test('shows changes of a record', async () => {
    const { send, first } = await company();
    expect(await first('/user_management/users')).toMatchObject({ first_name: null });

    await send('PUT /user_management/users/user_ada', { first_name: 'Ada' });

    expect(await first('/user_management/users')).toMatchObject({ first_name: 'Ada' });
  });

  test('shows new and verified domains of an organization', async () => {
    const { emulator, send, first } = await company();
    const { domains } = await first('/organizations');
    expect(domains).toMatchObject([{ domain: 'acme.test', state: 'pending' }]);

    await emulator.verifyDomain(domains[0].id);
    await send('POST /organization_domains', { organization_id: 'org_acme', domain: 'acme.example' });

    expect((await first('/organizations')).domains).toMatchObject([
      { domain: 'acme.test', state: 'verified' },
      { domain: 'acme.example', state: 'pending' },
    ]);
  });

  test('shows the new name of a group, and omits a deleted group', async () => {
    const { emulator, first } = await company();
    const list = '/directory_users?directory=directory_acme';
    expect((await first(list)).groups).toMatchObject([{ name: 'Developers' }]);

    await emulator.updateDirectoryGroup('directory_group_dev', { name: 'Engineers' });
    expect((await first(list)).groups).toMatchObject([{ name: 'Engineers' }]);

    await emulator.deleteDirectoryGroup('directory_group_dev');
    expect((await first(list)).groups).toEqual([]);
  });

  test('shows the new name of an organization in a membership', async () => {
    const { send, first } = await company();
    const list = '/user_management/organization_memberships?user_id=user_ada';
    expect(await first(list)).toMatchObject({ organization_name: 'Acme' });

    await send('PUT /organizations/org_acme', { name: 'Acme Corporation' });

    expect(await first(list)).toMatchObject({ organization_name: 'Acme Corporation' });
  });

  test('shows that a record has expired', async () => {
    const { emulator, send, first } = await company();
    await send('POST /user_management/invitations', { email: 'grace@acme.test' });
    expect(await first('/user_management/invitations')).toMatchObject({ state: 'pending' });

    await emulator.clock.advance('31d');

    expect(await first('/user_management/invitations')).toMatchObject({ state: 'expired' });
  });
});
