import { sso as api } from '../../../service/sso.js';
import type { RoomPart } from '../../server/router.js';
import { mapPage } from '../../world/collection.js';
import { hostOf } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import { connections, connectionView, domainsOf, profiles, removeConnection, withoutIdpInitiation } from './records.js';

export const connectionRoutes: RoomPart = {
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
      return mapPage(page, (connection) => connectionView(world, connection));
    });

    router.on(api.getConnection, ({ world, params }) => connectionView(world, world.of(connections).get(params.id)));

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
  },
};
