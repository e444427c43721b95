import type { Event } from 'sallyport';
import { objectsOf } from 'sallyport/streams';
import { expect, test } from 'vitest';

const eventOf = (event: string, data: object): Event =>
  ({ object: 'event', id: 'event_1', event, data, createdAt: '2026-01-01T00:00:00.000Z' }) as never;

test.each([
  ['user.updated', { id: 'user_1', email: 'ada@acme.test' }, ['user_1']],
  ['session.revoked', { id: 'session_1', userId: 'user_1', organizationId: 'org_1' }, ['session_1', 'user_1']],
  ['organization_membership.created', { id: 'om_1', userId: 'user_1', organizationId: 'org_1' }, ['om_1', 'user_1']],
  ['dsync.user.created', { id: 'directory_user_1', directoryId: 'directory_1' }, ['directory_user_1']],
  [
    'dsync.group.user_added',
    { directoryId: 'directory_1', user: { id: 'directory_user_1' }, group: { id: 'directory_group_1' } },
    ['directory_user_1', 'directory_group_1'],
  ],
  ['group.member_added', { groupId: 'group_1', organizationMembershipId: 'om_1' }, ['group_1', 'om_1']],
  ['organization_domain.verification_failed', { organizationDomain: { id: 'org_domain_1' } }, ['org_domain_1']],
  ['authentication.password_failed', { userId: null, email: 'Ada@acme.test' }, ['ada@acme.test']],
  ['role.updated', { slug: 'admin' }, ['role:admin']],
  ['organization_role.updated', { organizationId: 'org_1', slug: 'admin' }, ['organization_role:org_1:admin']],
  ['api_key.created', { id: 'key_1', user_id: 'user_1' }, ['key_1', 'user_1']],
  ['vault.names.listed', { actor: 'somebody' }, []],
])('objectsOf() returns the objects of the event %s', (event, data, objects) => {
  expect(objectsOf(eventOf(event, data))).toEqual(objects);
});
