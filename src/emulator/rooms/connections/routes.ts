import { sso as api } from '../../../service/sso.js';
import type { RoomPart } from '../../server/router.js';
import { mapPage } from '../../world/selection.js';
import { hostOf, organizationDomains } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import { connections, connectionView, profiles, removeConnection, withoutIdpInitiation } from './records.js';

export const connectionRoutes: RoomPart = {
  routes(router) {
    router.list(api.listConnections, ({ world, query, list }) => {
      const { organizationId, connectionType, domain } = query;
      // Connections have the domains of their organizations, and a domain has one owner.
      const owner =
        domain === undefined
          ? undefined
          : (world.of(organizationDomains).by('domain', hostOf(domain) ?? '')?.organizationId ?? '');
      const search = query.search?.toLowerCase();
      const page = world
        .of(connections)
        .page(
          list,
          { organizationId: owner ?? organizationId, connectionType },
          (connection) =>
            (organizationId ?? connection.organizationId) === connection.organizationId &&
            (search === undefined || connection.name.toLowerCase().includes(search)),
        );
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
