import { describe, expect, test } from 'vitest';
import { emptySqlite, strictSqlite } from '../databases/sqlite.js';
import { companyOf } from './company.js';
import { life, lifeIn } from './life.js';
import { mirrorWorld } from './world.js';

describe('a mirror', () => {
  test('has the users, organizations and memberships from before it ran', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    const user = await sallyport.userManagement.createUser({ email: 'ada@acme.test', firstName: 'Ada' });
    const organization = await sallyport.organizations.createOrganization({ name: 'Acme' });
    const membership = await sallyport.userManagement.createOrganizationMembership({
      userId: user.id,
      organizationId: organization.id,
      roleSlug: 'member',
    });
    const mirror = await mirrorOf();

    void mirror.run();
    await mirror.ready();

    expect((await mirror.user(user.id)).record).toEqual(user);
    expect((await mirror.organization(organization.id)).record).toEqual(organization);
    expect((await mirror.membership(user.id, organization.id)).record).toEqual(membership);
    expect((await mirror.status()).counts).toEqual({ organizations: 1, users: 1, memberships: 1 });
  });

  test('has changes and deletions after it has copied', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const bo = await sallyport.userManagement.createUser({ email: 'bo@acme.test' });
    const mirror = await mirrorOf();
    void mirror.run();
    await mirror.ready();

    const changed = await sallyport.userManagement.updateUser({ userId: ada.id, firstName: 'Ada' });
    await sallyport.userManagement.deleteUser(bo.id);
    await mirror.settled({ kind: 'users', ...changed });

    expect((await mirror.user(ada.id)).record?.firstName).toBe('Ada');
    await expect.poll(async () => (await mirror.user(bo.id)).record).toBeNull();
    expect((await mirror.status()).counts.users).toBe(1);
  });

  test('copies, follows, reads and verifies in node-sqlite3-wasm', async () => {
    expect(await lifeIn(emptySqlite())).toEqual(life);
  });

  test('copies, follows, reads and verifies with statements that refuse to return rows they do not have', async () => {
    expect(await lifeIn(strictSqlite())).toEqual(life);
  });

  test('without differences verifies and repairs nothing', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    await companyOf(sallyport, 3, 1);
    const mirror = await mirrorOf();
    void mirror.run();
    await mirror.ready();

    expect(await mirror.verify({ repair: true })).toEqual({ records: 7, found: [], remaining: [] });
  });
});
