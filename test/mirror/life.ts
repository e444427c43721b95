import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createMirror } from '../../src/mirror/mirror.js';
import type { OnceDatabase } from '../../src/streams/once/drivers.js';

/** Copy, follow, read, verify and repair with a database, and return what came of it. */
export async function lifeIn(into: OnceDatabase) {
  const emulator = await createEmulator();
  const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const { userManagement, organizations } = client;
  const ada = await userManagement.createUser({ email: 'ada@acme.test', firstName: 'Ada' });
  const bo = await userManagement.createUser({ email: 'bo@acme.test' });
  const acme = await organizations.createOrganization({ name: 'Acme' });
  const ids = { userId: ada.id, organizationId: acme.id };
  const membership = await userManagement.createOrganizationMembership({ ...ids, roleSlug: 'member' });
  const mirror = createMirror(client, { into, maxLagMs: 20_000, pollMs: 50 }, 2_000);
  await mirror.setUp();
  await mirror.setUp();
  const running = mirror.run();
  await mirror.ready({ timeoutMs: 20_000 });
  const copied = (await mirror.status()).counts;

  const changed = await userManagement.updateOrganizationMembership(membership.id, { roleSlug: 'admin' });
  await userManagement.deleteUser(bo.id);
  await mirror.settled({ kind: 'memberships', ...changed });
  await mirror.settled({ kind: 'users', ...bo, updatedAt: changed.updatedAt }, { timeoutMs: 20_000 });
  const { record } = await mirror.membership(ada.id, acme.id);
  const followed = (await mirror.status()).counts;
  const { found, remaining } = await mirror.verify({ repair: true });
  await mirror.close();
  await running;
  await emulator.close();
  return { copied, role: record?.role.slug, followed, found, remaining };
}

/** What comes of it. */
export const life = {
  copied: { organizations: 1, users: 2, memberships: 1 },
  role: 'admin',
  followed: { organizations: 1, users: 1, memberships: 1 },
  found: [],
  remaining: [],
};
