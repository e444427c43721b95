import type { Event } from 'sallyport';
import { objectsOf } from 'sallyport/streams';
import { describe, expect, test } from 'vitest';
import type { AnyModel } from '../../src/service/describe/define.js';
import { type EventName, eventNames } from '../../src/service/events/names.js';
import { payloads } from '../../src/service/events/payloads.js';
import { guardedObject } from '../../src/streams/once/guard.js';

/** By event type: the objects of an event whose fields contain their own paths, and the key of the guarded object. */
const expected: Readonly<Record<EventName, readonly [objects: string, guarded: string | undefined]>> = {
  'user.created': ['id', 'user/id'],
  'user.updated': ['id', 'user/id'],
  'user.deleted': ['id', 'user/id'],
  'organization.created': ['id', 'organization/id'],
  'organization.updated': ['id', 'organization/id'],
  'organization.deleted': ['id', 'organization/id'],
  'organization_domain.created': ['id', 'organization_domain/id'],
  'organization_domain.updated': ['id', 'organization_domain/id'],
  'organization_domain.deleted': ['id', 'organization_domain/id'],
  'organization_domain.verified': ['id', 'organization_domain/id'],
  'organization_domain.verification_failed': ['organizationDomain.id', 'organization_domain/organizationDomain.id'],
  'organization_membership.created': ['id userId user.id', 'organization_membership/id'],
  'organization_membership.updated': ['id userId user.id', 'organization_membership/id'],
  'organization_membership.deleted': ['id userId user.id', 'organization_membership/id'],
  'organization_role.created': ['organization_role:organizationId:slug', 'organization_role/organizationId/slug'],
  'organization_role.updated': ['organization_role:organizationId:slug', 'organization_role/organizationId/slug'],
  'organization_role.deleted': ['organization_role:organizationId:slug', 'organization_role/organizationId/slug'],
  'role.created': ['role:slug', 'role/slug'],
  'role.updated': ['role:slug', 'role/slug'],
  'role.deleted': ['role:slug', 'role/slug'],
  'permission.created': ['id', 'permission/id'],
  'permission.updated': ['id', 'permission/id'],
  'permission.deleted': ['id', 'permission/id'],
  'invitation.created': ['id', 'invitation/id'],
  'invitation.accepted': ['id', 'invitation/id'],
  'invitation.revoked': ['id', 'invitation/id'],
  'invitation.resent': ['id', 'invitation/id'],
  'email_verification.created': ['id userId', undefined],
  'magic_auth.created': ['id userId', undefined],
  'password_reset.created': ['id userId', undefined],
  'password_reset.succeeded': ['id userId', undefined],
  'session.created': ['id userId', undefined],
  'session.revoked': ['id userId', undefined],
  'authentication.email_verification_succeeded': ['userId', undefined],
  'authentication.magic_auth_succeeded': ['userId', undefined],
  'authentication.mfa_succeeded': ['userId', undefined],
  'authentication.oauth_succeeded': ['userId', undefined],
  'authentication.passkey_succeeded': ['userId', undefined],
  'authentication.password_succeeded': ['userId', undefined],
  'authentication.reauthentication_succeeded': ['userId', undefined],
  'authentication.sso_succeeded': ['userId', undefined],
  'authentication.sso_started': ['userId', undefined],
  'authentication.sso_failed': ['userId', undefined],
  'authentication.sso_timed_out': ['userId', undefined],
  'authentication.email_verification_failed': ['userId', undefined],
  'authentication.magic_auth_failed': ['userId', undefined],
  'authentication.mfa_failed': ['userId', undefined],
  'authentication.oauth_failed': ['userId', undefined],
  'authentication.passkey_failed': ['userId', undefined],
  'authentication.password_failed': ['userId', undefined],
  'authentication.radar_risk_detected': ['userId', undefined],
  'radar.challenge_created': ['userId', undefined],
  'connection.activated': ['id', 'connection/id'],
  'connection.deactivated': ['id', 'connection/id'],
  'connection.deleted': ['id', 'connection/id'],
  'connection.saml_certificate_renewal_required': ['connection.id', undefined],
  'connection.saml_certificate_renewed': ['connection.id', undefined],
  'dsync.activated': ['id', 'dsync/id'],
  'dsync.deleted': ['id', 'dsync/id'],
  'dsync.user.created': ['id', 'dsync.user/id'],
  'dsync.user.updated': ['id', 'dsync.user/id'],
  'dsync.user.deleted': ['id', 'dsync.user/id'],
  'dsync.group.created': ['id', 'dsync.group/id'],
  'dsync.group.updated': ['id', 'dsync.group/id'],
  'dsync.group.deleted': ['id', 'dsync.group/id'],
  'dsync.group.user_added': ['user.id group.id', 'dsync.group/group.id/user.id'],
  'dsync.group.user_removed': ['user.id group.id', 'dsync.group/group.id/user.id'],
  'group.member_added': ['groupId organizationMembershipId', 'group/groupId/organizationMembershipId'],
  'group.member_removed': ['groupId organizationMembershipId', 'group/groupId/organizationMembershipId'],
  'agent.registration.deleted': ['agentRegistrationId', undefined],
  'agent.registration.expired': ['agentRegistrationId', undefined],
  'agent.registration.refreshed': ['agentRegistrationId', undefined],
  'agent.registration.revoked': ['agentRegistrationId', undefined],
  'agent.registration.organization.switched': ['agentRegistrationId', undefined],
  'dsync.token.created': ['id user_id', 'dsync.token/id'],
  'dsync.token.revoked': ['id user_id', 'dsync.token/id'],
  'group.created': ['id user_id', 'group/id'],
  'group.updated': ['id user_id', 'group/id'],
  'group.deleted': ['id user_id', 'group/id'],
  'api_key.created': ['id user_id', 'api_key/id'],
  'api_key.updated': ['id user_id', 'api_key/id'],
  'api_key.revoked': ['id user_id', 'api_key/id'],
  'flag.created': ['id user_id', 'flag/id'],
  'flag.updated': ['id user_id', 'flag/id'],
  'flag.deleted': ['id user_id', 'flag/id'],
  'flag.rule_updated': ['id user_id', 'flag/id'],
  'pipes.connected_account.connected': ['id user_id', 'pipes.connected_account/id'],
  'pipes.connected_account.disconnected': ['id user_id', 'pipes.connected_account/id'],
  'pipes.connected_account.reauthorization_needed': ['id user_id', 'pipes.connected_account/id'],
  'pipes.connected_account.connection_failed': ['id user_id', 'pipes.connected_account/id'],
  'pipes.account_connection.connected': ['id user_id', 'pipes.account_connection/id'],
  'pipes.account_connection.disconnected': ['id user_id', 'pipes.account_connection/id'],
  'pipes.account_connection.reauthorization_needed': ['id user_id', 'pipes.account_connection/id'],
  'pipes.account_connection.connection_failed': ['id user_id', 'pipes.account_connection/id'],
  'pipes.account_connection.add_failed': ['id user_id', 'pipes.account_connection/id'],
  'waitlist_user.created': ['id user_id', 'waitlist_user/id'],
  'waitlist_user.approved': ['id user_id', 'waitlist_user/id'],
  'waitlist_user.denied': ['id user_id', 'waitlist_user/id'],
  'agent.registration.created': ['id user_id', 'agent.registration/id'],
  'agent.registration.claim.attempt.created': ['id user_id', 'agent.registration.claim.attempt/id'],
  'agent.registration.claim.completed': ['id user_id', 'agent.registration.claim/id'],
  'agent.registration.credential.issued': ['id user_id', 'agent.registration.credential/id'],
  'agent.blueprint.created': ['id user_id', 'agent.blueprint/id'],
  'agent.blueprint.updated': ['id user_id', 'agent.blueprint/id'],
  'agent.blueprint.deleted': ['id user_id', 'agent.blueprint/id'],
  'agent.instance.created': ['id user_id', 'agent.instance/id'],
  'agent.instance.deleted': ['id user_id', 'agent.instance/id'],
  'agent.instance.session.created': ['id user_id', 'agent.instance.session/id'],
  'agent.instance.session.revoked': ['id user_id', 'agent.instance.session/id'],
  'resource_export.created': ['id user_id', 'resource_export/id'],
  'resource_export.completed': ['id user_id', 'resource_export/id'],
  'resource_export.failed': ['id user_id', 'resource_export/id'],
  'resource_export.downloaded': ['id user_id', 'resource_export/id'],
  'session.reauthenticated': ['id user_id', undefined],
  'action.authentication.denied': ['id user_id', undefined],
  'action.user_registration.denied': ['id user_id', undefined],
  'vault.data.created': ['id user_id', undefined],
  'vault.data.read': ['id user_id', undefined],
  'vault.data.updated': ['id user_id', undefined],
  'vault.data.deleted': ['id user_id', undefined],
  'vault.metadata.read': ['id user_id', undefined],
  'vault.names.listed': ['id user_id', undefined],
  'vault.dek.read': ['id user_id', undefined],
  'vault.dek.decrypted': ['id user_id', undefined],
  'vault.kek.created': ['id user_id', undefined],
  'vault.kek.deleted': ['id user_id', undefined],
  'vault.byok_key.verification_completed': ['id user_id', undefined],
  'vault.byok_key.deleted': ['id user_id', undefined],
};

type Data = Record<string, unknown>;

/** Returns data with every described field. The value of each string field is the path of the field. */
const sampleOfModel = ({ shape }: AnyModel, path = ''): Data =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { kind, model }]) => [
      name,
      model ? sampleOfModel(model, `${path}${name}.`) : kind === 'string' ? `${path}${name}` : null,
    ]),
  );

function sampleOf(type: EventName): Data {
  const { model } = (payloads as Partial<Record<EventName, { readonly model?: AnyModel }>>)[type] ?? {};
  // Undescribed data keeps its wire names.
  return model ? sampleOfModel(model) : { id: 'id', user_id: 'user_id', organization_id: 'organization_id' };
}

/** Returns the same data with wire names, as in an event with unreadable data. */
const withWireNames = (data: Data): Data =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value instanceof Object ? withWireNames(value as Data) : value,
    ]),
  );

const eventOf = (type: string, data: Data, problem?: object): Event =>
  ({ object: 'event', id: 'event_1', event: type, data, createdAt: '2026-01-01T00:00:00.000Z', problem }) as never;

test('the service has 128 event types', () => {
  expect(eventNames).toHaveLength(128);
  expect(Object.keys(expected)).toEqual([...eventNames]);
});

describe.each(Object.entries(expected))('the %s event', (type, [objects, guarded]) => {
  test('refers to exactly the documented objects', () => {
    const event = eventOf(type, sampleOf(type as EventName));

    expect([objectsOf(event).join(' '), guardedObject(event)]).toEqual([objects, guarded]);
  });

  test('keeps the documented object references even if the event data cannot be parsed', () => {
    const event = eventOf('unknown', withWireNames(sampleOf(type as EventName)), { event: type, message: '' });

    // A role is then grouped with unreadable events.
    const found = objectsOf(event)
      .join(' ')
      .replace('unknown:', `${type.split('.')[0]}:`);
    expect([found, guardedObject(event)]).toEqual([objects, guarded]);
  });
});
