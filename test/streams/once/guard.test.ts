import type { Event } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { guardedObject, sortKeyOf } from '../../../src/streams/once/guard.js';
import { eventAt } from './events.js';

describe('guardedObject()', () => {
  test.each([
    ['user.updated', { id: 'user_1' }, 'user/user_1'],
    [
      'organization_membership.deleted',
      { id: 'om_1', userId: 'user_1', organizationId: 'org_1' },
      'organization_membership/om_1',
    ],
    [
      'organization_domain.verification_failed',
      { organizationDomain: { id: 'org_domain_1' } },
      'organization_domain/org_domain_1',
    ],
    ['organization_role.updated', { organizationId: 'org_1', slug: 'admin' }, 'organization_role/org_1/admin'],
    ['role.updated', { slug: 'admin' }, 'role/admin'],
    ['permission.created', { id: 'perm_1', slug: 'read' }, 'permission/perm_1'],
    ['dsync.activated', { id: 'directory_1' }, 'dsync/directory_1'],
    ['dsync.user.created', { id: 'directory_user_1' }, 'dsync.user/directory_user_1'],
    ['dsync.group.updated', { id: 'directory_group_1' }, 'dsync.group/directory_group_1'],
    ['dsync.group.user_added', { group: { id: 'g_1' }, user: { id: 'u_1' } }, 'dsync.group/g_1/u_1'],
    ['dsync.group.user_removed', { group: { id: 'g_1' }, user: { id: 'u_1' } }, 'dsync.group/g_1/u_1'],
    ['group.member_added', { groupId: 'g_1', organizationMembershipId: 'om_1' }, 'group/g_1/om_1'],
    ['group.updated', { id: 'g_1' }, 'group/g_1'],
    ['invitation.accepted', { id: 'invitation_1' }, 'invitation/invitation_1'],
    ['connection.deactivated', { id: 'conn_1' }, 'connection/conn_1'],
    ['invoice.paid', { id: 'invoice_1' }, 'invoice/invoice_1'],
  ])('returns the object that the event %s changes', (type, data, object) => {
    expect(guardedObject(eventAt(1, type, data))).toBe(object);
  });

  test.each([
    ['authentication.password_succeeded', { id: 'user_1', userId: 'user_1' }],
    ['session.revoked', { id: 'session_1' }],
    ['password_reset.created', { id: 'password_reset_1' }],
    ['vault.data.read', { id: 'x' }],
    ['connection.saml_certificate_renewed', { connection: { id: 'conn_1' } }],
    ['agent.registration.expired', { agentRegistrationId: 'x' }],
  ])('returns undefined for the event %s', (type, data) => {
    expect(guardedObject(eventAt(1, type, data))).toBeUndefined();
  });

  test('returns undefined for the event dsync.group.user_added if the user is null', () => {
    const data = { group: { id: 'g_1' }, user: null };

    expect(guardedObject(eventAt(1, 'dsync.group.user_added', data))).toBeUndefined();
  });

  test("uses the original event type if the event's data is unreadable", () => {
    const unread = {
      ...eventAt(1, 'unknown', { id: 'user_1' }),
      problem: { event: 'user.updated', message: '' },
    } as Event;

    expect(guardedObject(unread)).toBe('user/user_1');
  });
});

describe('sortKeyOf()', () => {
  const millisecond = (type: string, id: string) => sortKeyOf(eventAt(1, type, { id: 'x' }, id))!;

  test('orders events by timestamp, regardless of the event ids', () => {
    expect(
      sortKeyOf(eventAt(2, 'user.updated', {}, 'event_a'))! > sortKeyOf(eventAt(1, 'user.updated', {}, 'event_b'))!,
    ).toBe(true);
  });

  test('orders events with equal timestamps by type: creations first, deletions last', () => {
    const inOrder = [
      millisecond('user.created', 'event_9'),
      millisecond('user.updated', 'event_1'),
      millisecond('user.updated', 'event_2'),
      millisecond('user.deleted', 'event_0'),
    ];

    expect(inOrder.toSorted()).toEqual(inOrder);
  });

  test('returns undefined for an event without a timestamp', () => {
    expect(sortKeyOf({ ...eventAt(1, 'user.updated', {}), createdAt: '' })).toBeUndefined();
  });
});
