import { describe, expect, test } from 'vitest';
import { emptySqlite } from '../databases/sqlite.js';
import { mirrorWorld } from './world.js';

describe('a mirror', () => {
  test('requests a missing record from the service at most once a minute', async () => {
    const into = emptySqlite();
    const { sallyport, mirrorOf } = await mirrorWorld({}, into);
    const { id: userId } = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const { id: organizationId } = await sallyport.organizations.createOrganization({ name: 'Acme' });
    let now = Date.parse('2026-05-04T08:00:00.000Z');
    const mirror = await mirrorOf({ now: () => now });
    // Another process runs the mirror, and has not seen the membership yet.
    into.run('UPDATE sallyport_mirrors SET fresh_at = ?', [new Date().toISOString()]);
    expect(await mirror.membership(userId, organizationId)).toEqual({
      record: null,
      asOf: '2026-05-04T08:00:00.000Z',
    });
    const membership = await sallyport.userManagement.createOrganizationMembership({ userId, organizationId });

    now += 59_999;
    expect(await mirror.membership(userId, organizationId)).toEqual({
      record: null,
      asOf: '2026-05-04T08:00:00.000Z',
    });
    now += 1;
    expect(await mirror.membership(userId, organizationId)).toEqual({
      record: membership,
      asOf: '2026-05-04T08:01:00.000Z',
    });
  });
});
