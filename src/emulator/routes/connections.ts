import { sso as api } from '../../service/sso.js';
import type { Room } from '../router.js';
import { connections, domainsOf, profiles, removeConnection, shownConnection } from '../state/connections.js';
import { hostOf } from '../state/organization-domains.js';
import { organizations } from '../state/organizations.js';
import { withoutIdpInitiation } from '../state/planned-failures.js';
import { profileLinks } from '../state/sso-profiles.js';
import { users } from '../state/users.js';
import { mapPage } from '../store.js';

export const connectionsRoom: Room = {
  routes(router) {
    router.list(api.listConnections, ({ world, query, list }) => {
      const { organizationId, connectionType, domain } = query;
      const host = domain === undefined ? undefined : (hostOf(domain) ?? domain);
      const search = query.search?.toLowerCase();
      const all = world.of(connections);
      const from = organizationId === undefined ? all : all.where('organizationId', organizationId);
      const page = from.page(list, (connection) => {
        if (connectionType !== undefined && connection.connectionType !== connectionType) return false;
        if (search !== undefined && !connection.name.toLowerCase().includes(search)) return false;
        return host === undefined || domainsOf(world, connection).some((own) => own.domain === host);
      });
      return mapPage(page, (connection) => shownConnection(world, connection));
    });

    router.on(api.getConnection, ({ world, params }) => shownConnection(world, world.of(connections).get(params.id)));

    router.on(api.deleteConnection, ({ world, params }) => removeConnection(world, params.id));
  },

  start(world) {
    world.of(organizations).onDelete(({ id }) => {
      for (const connection of world.of(connections).where('organizationId', id).values())
        removeConnection(world, connection.id);
    });
    world.of(connections).onDelete(({ id }) => {
      world.of(profiles).deleteWhere('connectionId', id);
      world.of(withoutIdpInitiation).delete(id);
    });
    world.of(profiles).onDelete(({ id }) => world.of(profileLinks).deleteWhere('profileId', id));
    world.of(users).onDelete(({ id }) => world.of(profileLinks).deleteWhere('userId', id));
  },
};
