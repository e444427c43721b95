import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { connections, insertConnection, insertProfile, newConnection, newProfile, profiles } from './records.js';

const { connectionId: _owner, ...profileFields } = newProfile.shape;

/** Somebody who can sign in by a connection. */
export const seedProfile = body(profileFields);

/** A connection with the people who can sign in by it. */
export const seedConnection = body({
  ...newConnection.shape,
  /** The people who can sign in by it. */
  profiles: maybe(array(ref<Fields<typeof seedProfile>>(seedProfile))),
});

/** Links of organizations to their identity providers. */
export const connectionsSection = section({
  name: 'connections',
  noun: 'connection',
  refersTo: { organizationId: 'organization' },
  entry: ref<Fields<typeof seedConnection>>(seedConnection),
  plant: insertConnection,
  export: (world) => world.of(connections).values(),
  // Without them, they are those of the organization.
  exportedFields: (_, { ownDomains, ownHosts }) => (ownDomains ? { domains: [...ownHosts] } : {}),
  children: {
    profiles: {
      noun: 'profile',
      plant: (world, profile, { id }) => insertProfile(world, { ...profile, connectionId: id }),
      export: (world, { id }) => world.of(profiles).where('connectionId', id).values(),
    },
  },
});
