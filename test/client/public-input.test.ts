import { describe, expect, test } from 'vitest';
import { stage } from '../stage.js';

/** A client and an emulator in the dialect of the public service, with a user and an organization. */
async function acme() {
  const { emulator, sallyport } = await stage({ dialect: 'workos', client: { dialect: 'workos' } });
  const user = await sallyport.userManagement.createUser({ email: 'ada@example.com', name: 'Ada Nolan' });
  const organization = await sallyport.organizations.createOrganization({ name: 'Acme' });
  return { ...sallyport, emulator, user, place: { userId: user.id, organizationId: organization.id } };
}

describe('the client in the workos dialect can send', () => {
  test('the full name of a user', async () => {
    const { userManagement, user } = await acme();

    const renamed = await userManagement.updateUser({ userId: user.id, name: 'Ada King' });

    expect([user.name, renamed.name]).toEqual(['Ada Nolan', 'Ada King']);
  });

  test('several roles for a membership', async () => {
    const { userManagement, place } = await acme();

    const { id, roles } = await userManagement.createOrganizationMembership({
      ...place,
      roleSlugs: ['member', 'admin'],
    });
    const updated = await userManagement.updateOrganizationMembership(id, { roleSlugs: ['member'] });

    expect(roles).toEqual([{ slug: 'admin' }, { slug: 'member' }]);
    expect(updated.roles).toEqual([{ slug: 'member' }]);
  });

  test('several statuses as a filter for memberships', async () => {
    const { userManagement, place } = await acme();
    await userManagement.sendInvitation({ email: 'ada@example.com', organizationId: place.organizationId });
    const list = async (statuses?: ('active' | 'pending')[]) =>
      (await userManagement.listOrganizationMemberships({ userId: place.userId, statuses })).data.length;

    expect([await list(), await list(['active']), await list(['active', 'pending'])]).toEqual([0, 0, 1]);
  });

  test('the secret of an authenticator app', async () => {
    const { userManagement, user } = await acme();
    const factor = { userId: user.id, type: 'totp', totpSecret: 'JBSWY3DPEHPK3PXP' } as const;

    const { authenticationFactor } = await userManagement.enrollAuthFactor(factor);

    expect(authenticationFactor.totp?.secret).toBe('JBSWY3DPEHPK3PXP');
  });

  test('actor ids as a filter for an audit log export', async () => {
    const { auditLogs, emulator, place } = await acme();
    for (const id of ['user_1', 'user_2'])
      await auditLogs.createEvent(place.organizationId, {
        action: 'invoice.viewed',
        occurredAt: emulator.clock.iso(),
        actor: { type: 'user', id },
        targets: [],
        context: { location: '203.0.113.7' },
      });

    const { id } = await auditLogs.createExport({
      organizationId: place.organizationId,
      rangeStart: '2025-01-01T00:00:00.000Z',
      rangeEnd: '2027-01-01T00:00:00.000Z',
      actorIds: ['user_2'],
    });
    const { url } = await auditLogs.getExport(id);

    const csv = await (await emulator.fetch(url ?? '')).text();
    expect([csv.includes('user_1'), csv.includes('user_2')]).toEqual([false, true]);
  });
});
