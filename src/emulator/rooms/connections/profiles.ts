import type { Profile } from '../../../service/sso.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { domainOfEmail, ownerOfEmail } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import {
  type ConnectionRecord,
  connections,
  insertProfile,
  type NewProfile,
  type ProfileRecord,
  profiles,
} from './records.js';

/** A user as an identity provider reports it. Omitted fields keep their known values. */
export interface ConnectionIdentity extends Omit<NewProfile, 'id' | 'connectionId' | 'role' | 'groups'> {
  /** Groups of the user at the identity provider. */
  readonly groups?: readonly string[] | undefined;
}

/** Create or update the profile of an identity at a connection. */
export function upsertProfile(memory: Memory, connectionId: string, identity: ConnectionIdentity): ProfileRecord {
  const { email, idpId = email, firstName, lastName, groups, customAttributes, rawAttributes } = identity;
  const before = memory
    .of(profiles)
    .where('idpId', idpId)
    .find((profile) => profile.connectionId === connectionId);
  if (!before) return insertProfile(memory, { ...identity, connectionId, groups: [...(groups ?? [])] });
  return memory.of(profiles).update(before.id, {
    email,
    firstName: firstName === undefined ? before.firstName : firstName,
    lastName: lastName === undefined ? before.lastName : lastName,
    groups: groups ? [...groups] : before.groups,
    customAttributes: customAttributes ?? before.customAttributes,
    rawAttributes: rawAttributes ?? before.rawAttributes,
  });
}

/** Convert a profile to the API format. */
export function profileView(memory: Memory, record: ProfileRecord): View<Profile> {
  const { connectionType, organizationId } = memory.of(connections).get(record.connectionId);
  const { id, connectionId, idpId, email, firstName, lastName, role, groups, customAttributes, rawAttributes } = record;
  const profile = { id, connectionId, connectionType, organizationId, email, firstName, lastName, idpId };
  const all = { ...profile, role, groups, customAttributes, rawAttributes };
  if (!memory.settings.dialect.extraResponseFields) return all;
  const name = [firstName, lastName].filter(Boolean).join(' ') || null;
  return { ...all, name, roles: role ? [role] : null };
}

/** Check whether an address is in a verified domain of the connection's organization. */
export const isInVerifiedDomain = (memory: Memory, { organizationId }: ConnectionRecord, email: string): boolean =>
  organizationId !== null && ownerOfEmail(memory, email) === organizationId;

/**
 * Check whether a connection accepts a profile with this address. SAML requires a domain of the organization, verified or not.
 */
export function admits(memory: Memory, { organizationId, connectionType }: ConnectionRecord, email: string): boolean {
  if (organizationId === null || !connectionType.endsWith('SAML')) return true;
  return (
    domainOfEmail(memory, email)?.organizationId === organizationId ||
    memory.of(organizations).get(organizationId).allowProfilesOutsideOrganization
  );
}

/** The message for a profile that `admits` refuses. */
export const notAdmitted =
  'The email address of the profile is not in a domain of the organization, and the organization does not allow profiles outside its domains.';
