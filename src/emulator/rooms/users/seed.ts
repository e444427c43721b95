import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import {
  type AuthorizationRecord,
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

/** Applications that sign users in through the service. */
export const connectApplicationsSection = section({
  name: 'connectApplications',
  noun: 'connect application',
  alias: 'clientId',
  entry: ref<NewConnectApplication>(newConnectApplication),
  plant: addConnectApplication,
  export: (world) => world.of(connectApplications).values(),
});

const { userId: _linked, ...identityFields } = newIdentity.shape;

/** An account at another provider, linked to a user. */
export const seedIdentity = body(identityFields);

const { userId: _owner, ...authorizationFields } = newAuthorization.shape;

/** The access that a user has given to an application. */
export const seedAuthorization = body(authorizationFields);

/** A user with what belongs to one. */
export const seedUser = body({
  ...newUser.shape,
  /** Accounts at other providers, linked to the user. */
  identities: maybe(array(ref<Fields<typeof seedIdentity>>(seedIdentity))),
  /** Applications to which the user has given access. */
  authorizedApplications: maybe(array(ref<Fields<typeof seedAuthorization>>(seedAuthorization))),
});
type SeedUser = Fields<typeof seedUser>;

/** The hashes of users' passwords by the user: hashing is slow, and a reset plants them all again. */
const hashes = new WeakMap<SeedUser, PasswordRecord>();

/** People who can sign in. */
export const usersSection = section({
  name: 'users',
  noun: 'user',
  entry: ref<SeedUser>(seedUser),
  async plant(world, user) {
    const { password, ...fields } = user;
    const hash = hashes.get(user);
    if (password === undefined) return noteSeeded(world, await addUser(world, fields));
    if (hash)
      return noteSeeded(
        world,
        await addUser(world, { ...fields, passwordHash: hash.hash, passwordHashType: hash.type }),
      );
    const record = noteSeeded(world, await addUser(world, user));
    hashes.set(user, world.of(passwords).get(record.id)!);
    return record;
  },
  export: (world) => world.of(users).values(),
  exportedFields(world, { id }) {
    const password = world.of(passwords).get(id);
    return password ? { passwordHash: password.hash, passwordHashType: password.type } : {};
  },
  children: {
    identities: {
      plant: (world, identity, { id }) => addIdentity(world, { ...identity, userId: id }),
      export: (world, { id }) => world.of(identities).where('userId', id).values(),
    },
    authorizedApplications: {
      noun: 'authorized application',
      refersTo: { applicationId: 'connect application' },
      plant: (world, authorization, { id }) => authorizeApplication(world, { ...authorization, userId: id }),
      export: (world, { id }) => world.of(authorizedApplications).where('userId', id).values(),
      // Without them, they are all that the application may ask for.
      exportedFields: (_, { grantedScopes }: AuthorizationRecord) => ({ grantedScopes: [...grantedScopes] }),
    },
  },
});
