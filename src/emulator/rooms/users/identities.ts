import { body, type Fields, optional, part, ref, string } from '../../../service/describe/define.js';
import { identity } from '../../../service/users.js';
import { badRequest } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import { users } from './records.js';

const identityRecord = part({ ...identity.shape, id: string, userId: string });
/** An identity as the emulator stores it; the service does not return the id. */
export interface IdentityRecord extends Stored<typeof identityRecord> {}

/** The provider accounts that are linked to users. */
export const identities = collection<IdentityRecord>({
  object: 'identity',
  prefix: 'identity',
  belongsTo: { userId: 'user' },
  index: ['idpId'],
  record: ref(identityRecord),
});

export const newIdentity = body({
  /** User to link the account to. */
  userId: string,
  /** Id of the user at the provider. */
  idpId: string,
  /** Provider, such as `GoogleOAuth`. */
  provider: string,
  /** Protocol; default `OAuth`. */
  type: optional(identity.shape.type),
});
/** The fields of a new identity. */
export interface NewIdentity extends Fields<typeof newIdentity> {}

/**
 * Link a provider account to a user.
 *
 * @throws {EmulatorRefusal} 404 for an unknown user, 400 if the account is already linked.
 */
export function addIdentity(memory: Memory, { userId, idpId, provider, type = 'OAuth' }: NewIdentity): IdentityRecord {
  memory.of(users).get(userId);
  if (
    memory
      .of(identities)
      .where('idpId', idpId)
      .find((other) => other.provider === provider)
  )
    throw badRequest('identity_already_linked', `This ${provider} account is already linked to a user`);
  return memory.of(identities).insert({ userId, idpId, provider, type });
}

export const identityFacts: Facts<IdentityRecord> = {
  model: identity,
  all: (memory) => memory.of(identities),
  columns: ['provider'],
  empty: 'No linked accounts.',
};
