import { describe, expect, test } from 'vitest';
import { emptySqlite } from '../databases/sqlite.js';
import { mirrorWorld } from './world.js';

describe('a mirror', () => {
  test('that was stopped for more than 30 days copies all records again, and removes deleted records', async () => {
    const { emulator, sallyport, mirrorOf } = await mirrorWorld();
    const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const bo = await sallyport.userManagement.createUser({ email: 'bo@acme.test' });
    const before = await mirrorOf();
    void before.run();
    await before.ready();
    await before.close();

    await sallyport.userManagement.deleteUser(bo.id);
    await sallyport.userManagement.updateUser({ userId: ada.id, firstName: 'Ada' });
    await emulator.clock.advance('40d');
    const after = await mirrorOf();
    void after.run();

    await expect.poll(async () => (await after.status()).counts.users).toBe(1);
    await expect.poll(async () => (await after.user(ada.id).catch(() => undefined))?.record?.firstName).toBe('Ada');
    expect((await after.user(bo.id)).record).toBeNull();
  });

  test('that is restarted with an additional record type copies the records of the new type', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    await sallyport.organizations.createOrganization({ name: 'Acme' });
    const before = await mirrorOf({ of: ['users'] });
    void before.run();
    await before.ready();
    await before.close();

    const after = await mirrorOf({ of: ['users', 'organizations'] });
    void after.run();

    await expect.poll(async () => (await after.status()).counts).toEqual({ users: 1, organizations: 1 });
  });

  test('resumes an interrupted copy even if the record at the cursor has been deleted', async () => {
    const into = emptySqlite();
    const { sallyport, mirrorOf } = await mirrorWorld({}, into);
    const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const mirror = await mirrorOf({ of: ['users'] });
    const now = new Date().toISOString();
    const progress = { of: ['users'], since: now, beganAt: Date.now(), kind: 'users', open: { '': 'user_unknown' } };
    into.run('UPDATE sallyport_mirrors SET progress = ?', [JSON.stringify(progress)]);

    void mirror.run();
    await mirror.ready();

    expect((await mirror.user(ada.id)).record).toEqual(ada);
  });

  test('rejects reads until a process runs the mirror', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const reader = await mirrorOf();
    await expect(reader.user(ada.id)).rejects.toMatchObject({ code: 'mirror_stale' });

    const first = await mirrorOf();
    const second = await mirrorOf();
    void first.run();
    await first.ready();
    void second.run();
    await expect.poll(async () => (await second.status()).state).toBe('standby');
    await first.close();

    await expect.poll(async () => (await second.status()).state).toBe('following');
    expect((await reader.user(ada.id)).record).toEqual(ada);
  });

  test("contains a directory's users, groups and memberships until the directory is deleted", async () => {
    const { emulator, sallyport, mirrorOf } = await mirrorWorld();
    const { id: organizationId } = await sallyport.organizations.createOrganization({ name: 'Acme' });
    const { id: directoryId } = await emulator.createDirectory({ organizationId, name: 'Okta' });
    const one = await emulator.createDirectoryUser({ directoryId, email: 'ada@acme.test' });
    const group = await emulator.createDirectoryGroup({ directoryId, name: 'Docks' });
    await emulator.addUserToGroup({ groupId: group.id, userId: one.id });
    const mirror = await mirrorOf({ of: ['directories', 'directory_users', 'directory_groups'] });
    const counts = async () => Object.values((await mirror.status()).counts);

    void mirror.run();
    await mirror.ready();
    expect(await counts()).toEqual([1, 1, 1, 1]);

    const other = await emulator.createDirectoryUser({ directoryId, email: 'bo@acme.test' });
    await emulator.addUserToGroup({ groupId: group.id, userId: other.id });
    await emulator.removeUserFromGroup({ groupId: group.id, userId: one.id });
    await expect.poll(counts).toEqual([1, 1, 2, 1]);
    await sallyport.directorySync.deleteDirectory(directoryId);
    await expect.poll(counts).toEqual([0, 0, 0, 0]);
  });
});
