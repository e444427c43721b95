import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { connections, insertConnection, insertProfile, newConnection, newProfile, profiles } from './records.js';

const { connectionId: _owner, ...profileFields } = newProfile.shape;

export const seedProfile = body(profileFields);

export const seedConnection = body({
  ...newConnection.shape,
  /** Users who can sign in with the connection. */
  profiles: maybe(array(ref<Fields<typeof seedProfile>>(seedProfile))),
});

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
