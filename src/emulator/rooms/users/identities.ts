import { body, type Fields, optional, part, ref, string } from '../../../service/describe/define.js';
import { type Identity, identity } from '../../../service/users.js';
import { badRequest } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';
import { users } from './records.js';

/** An identity as the emulator stores it; the id is for the emulator only. */
export interface IdentityRecord extends Identity {
  readonly id: string;
  readonly userId: string;
}

/** The accounts at other providers that users have linked. */
export const identities = collection<IdentityRecord>({
  object: 'identity',
  prefix: 'identity',
  index: ['userId', 'idpId'],
  record: ref<IdentityRecord>(part({ ...identity.shape, id: string, userId: string })),
});

export const newIdentity = body({
  /** User to whom the account is linked. */
  userId: string,
  /** The user's id at the provider. */
  idpId: string,
  /** The provider, `GoogleOAuth`. */
  provider: string,
  /** Protocol; `OAuth` when not given. */
  type: optional(identity.shape.type),
});
/** An identity to link. */
export interface NewIdentity extends Fields<typeof newIdentity> {}

/**
 * Link an account at another provider to a user.
 *
 * @throws {Refusal} 404 for an unknown user, 400 when the account is linked already.
 */
export function addIdentity(world: World, { userId, idpId, provider, type = 'OAuth' }: NewIdentity): IdentityRecord {
  world.of(users).get(userId);
  if (
    world
      .of(identities)
      .where('idpId', idpId)
      .find((other) => other.provider === provider)
  )
    throw badRequest('identity_already_linked', `This ${provider} account is linked to a user already`);
  return world.of(identities).insert({ userId, idpId, provider, type });
}
