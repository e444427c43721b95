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
  collection: connections,
  entry: ref<Fields<typeof seedConnection>>(seedConnection),
  plant: insertConnection,
  // Without `domains`, the connection uses the domains of the organization.
  exportedFields: (_, { ownDomains, ownHosts }) => (ownDomains ? { domains: [...ownHosts] } : {}),
  children: {
    profiles: {
      collection: profiles,
      plant: (memory, profile, { id }) => insertProfile(memory, { ...profile, connectionId: id }),
    },
  },
});
