import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import {
  type AuthorizedApplicationRecord,
  addConnectApplication,
  authorizeApplication,
  authorizedApplications,
  connectApplications,
  type NewConnectApplication,
  newAuthorization,
  newConnectApplication,
} from './authorized-applications.js';
import { addIdentity, identities, newIdentity } from './identities.js';
import { type PasswordRecord, passwords } from './passwords.js';
import { addUser, newUser, users } from './records.js';
import { noteSeeded } from './seeded.js';

export const connectApplicationsSection = section({
  name: 'connectApplications',
  collection: connectApplications,
  alias: 'clientId',
  entry: ref<NewConnectApplication>(newConnectApplication),
  plant: addConnectApplication,
});

const { userId: _linked, ...identityFields } = newIdentity.shape;

export const seedIdentity = body(identityFields);

const { userId: _owner, ...authorizationFields } = newAuthorization.shape;

export const seedAuthorization = body(authorizationFields);

export const seedUser = body({
  ...newUser.shape,
  /** Provider accounts that are linked to the user. */
  identities: maybe(array(ref<Fields<typeof seedIdentity>>(seedIdentity))),
  /** Applications that the user has authorized. */
  authorizedApplications: maybe(array(ref<Fields<typeof seedAuthorization>>(seedAuthorization))),
});
type SeedUser = Fields<typeof seedUser>;

/** Password hashes by seed entry. They are cached because hashing is slow, and every reset applies the seed again. */
const hashes = new WeakMap<SeedUser, PasswordRecord>();

export const usersSection = section({
  name: 'users',
  collection: users,
  entry: ref<SeedUser>(seedUser),
  async plant(memory, user) {
    const { password, ...fields } = user;
    const hash = hashes.get(user);
    if (password === undefined) return noteSeeded(memory, await addUser(memory, fields));
    if (hash)
      return noteSeeded(
        memory,
        await addUser(memory, { ...fields, passwordHash: hash.hash, passwordHashType: hash.type }),
      );
    const record = noteSeeded(memory, await addUser(memory, user));
    hashes.set(user, memory.of(passwords).get(record.id)!);
    return record;
  },
  exportedFields(memory, { id }) {
    const password = memory.of(passwords).get(id);
    return password ? { passwordHash: password.hash, passwordHashType: password.type } : {};
  },
  children: {
    identities: {
      collection: identities,
      plant: (memory, identity, { id }) => addIdentity(memory, { ...identity, userId: id }),
    },
    authorizedApplications: {
      collection: authorizedApplications,
      plant: (memory, authorization, { id }) => authorizeApplication(memory, { ...authorization, userId: id }),
      // Without `grantedScopes`, a new authorization gets all scopes of the application.
      exportedFields: (_, { grantedScopes }: AuthorizedApplicationRecord) => ({ grantedScopes: [...grantedScopes] }),
    },
  },
});
