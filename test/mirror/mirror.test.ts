import { describe, expect, test } from 'vitest';
import { emptySqlite, strictSqlite } from '../databases/sqlite.js';
import { companyOf } from './company.js';
import { life, lifeIn } from './life.js';
import { mirrorWorld } from './world.js';

describe('a mirror', () => {
  test('contains the users, organizations and memberships that were created before its first run', async () => {
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

  test('follows changes and deletions after its first copy', async () => {
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

  test('copies, follows, reads and verifies records with node-sqlite3-wasm', async () => {
    expect(await lifeIn(emptySqlite())).toEqual(life);
  });

  test('copies, follows, reads and verifies records with the strict statements of better-sqlite3', async () => {
    expect(await lifeIn(strictSqlite())).toEqual(life);
  });

  test('repairs nothing if verification finds no differences', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    await companyOf(sallyport, 3, 1);
    const mirror = await mirrorOf();
    void mirror.run();
    await mirror.ready();

    expect(await mirror.verify({ repair: true })).toEqual({ records: 7, found: [], remaining: [] });
  });

  test('stops with write_failed if the database rejects a record in the first copy, and resumes in the next run', async () => {
    const into = emptySqlite();
    const { sallyport, mirrorOf } = await mirrorWorld({}, into);
    const { id } = await sallyport.userManagement.createUser({ email: 'bad@acme.test' });
    const mirror = await mirrorOf();
    into.exec(`CREATE TRIGGER refuse BEFORE INSERT ON sallyport_users WHEN NEW.email LIKE 'bad@%'
      BEGIN SELECT RAISE(ABORT, 'refused by the application'); END`);

    await expect(mirror.run()).rejects.toMatchObject({
      name: 'MirrorError',
      code: 'write_failed',
      message: expect.stringMatching(/^A page of users could not be written.*refused by the application/s),
    });

    into.exec('DROP TRIGGER refuse');
    const next = await mirrorOf();
    void next.run();
    await next.ready();
    expect(into.all('SELECT id FROM sallyport_users')).toEqual([{ id }]);
  });

  test('reports a service outage once, and resumes after the outage', async () => {
    const { emulator, sallyport, problems, mirrorOf } = await mirrorWorld();
    const mirror = await mirrorOf();
    void mirror.run();
    await mirror.ready();

    const outage = await emulator.faults.add({ operation: 'events.list', status: 503 });
    await expect.poll(async () => (await mirror.status()).state).toBe('outage');
    await emulator.faults.remove(outage.id);
    const user = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    await mirror.settled({ kind: 'users', ...user });

    expect(problems).toMatchObject([{ code: 'service' }]);
  });
});
