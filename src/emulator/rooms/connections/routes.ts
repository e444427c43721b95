import { sso as api } from '../../../service/sso.js';
import { viewsOf } from '../../http/render-cache.js';
import type { RoomPart } from '../../http/router.js';
import { hostOf } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import {
  type ConnectionRecord,
  connections,
  connectionsAt,
  connectionView,
  profiles,
  removeConnection,
  withoutIdpInitiation,
} from './records.js';

export const connectionRoutes: RoomPart = {
  routes(router) {
    router.list(api.listConnections, ({ world, query, list }) => {
      const { organizationId, connectionType, domain } = query;
      const search = query.search?.toLowerCase();
      const all = world.of(connections);
      const bySearch = ({ name }: ConnectionRecord): boolean =>
        search === undefined || name.toLowerCase().includes(search);
      const page =
        domain === undefined
          ? all.page(list, { organizationId, connectionType }, bySearch)
          : connectionsAt(world, hostOf(domain) ?? domain).page(
              list,
              (one) =>
                (organizationId ?? one.organizationId) === one.organizationId &&
                (connectionType ?? one.connectionType) === one.connectionType &&
                bySearch(one),
            );
      return viewsOf(page, connectionView);
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
