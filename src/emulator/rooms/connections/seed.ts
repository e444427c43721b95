import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { connections, insertConnection, insertProfile, newConnection, newProfile, profiles } from './records.js';

const { connectionId: _owner, ...profileFields } = newProfile.shape;

/** A user who can sign in with a connection. */
export const seedProfile = body(profileFields);

/** A connection and the users who can sign in with it. */
export const seedConnection = body({
  ...newConnection.shape,
  /** Users who can sign in with the connection. */
  profiles: maybe(array(ref<Fields<typeof seedProfile>>(seedProfile))),
});

/** Connections to identity providers. */
export const connectionsSection = section({
  name: 'connections',
  noun: 'connection',
  refersTo: { organizationId: 'organization' },
  entry: ref<Fields<typeof seedConnection>>(seedConnection),
  plant: insertConnection,
  export: (memory) => memory.of(connections).values(),
  // Without `domains`, the connection uses the domains of the organization.
  exportedFields: (_, { ownDomains, ownHosts }) => (ownDomains ? { domains: [...ownHosts] } : {}),
  children: {
    profiles: {
      noun: 'profile',
      plant: (memory, profile, { id }) => insertProfile(memory, { ...profile, connectionId: id }),
      export: (memory, { id }) => memory.of(profiles).where('connectionId', id).values(),
    },
  },
});
