import { sso as api } from '../../../service/sso.js';
import type { RoomPart } from '../../http/router.js';
import { mapPage } from '../../store/selection.js';
import { hostOf } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import {
  type ConnectionRecord,
  connections,
  connectionsAt,
  connectionView,
  removeConnection,
  withoutIdpInitiation,
} from './records.js';

export const connectionRoutes: RoomPart = {
  routes(router) {
    router.list(api.listConnections, ({ memory, query, list }) => {
      const { organizationId, connectionType, domain } = query;
      const search = query.search?.toLowerCase();
      const all = memory.of(connections);
      const bySearch = ({ name }: ConnectionRecord): boolean =>
        search === undefined || name.toLowerCase().includes(search);
      const page =
        domain === undefined
          ? all.page(list, { organizationId, connectionType }, bySearch)
          : connectionsAt(memory, hostOf(domain) ?? domain).page(
              list,
              (one) =>
                (organizationId ?? one.organizationId) === one.organizationId &&
                (connectionType ?? one.connectionType) === one.connectionType &&
                bySearch(one),
            );
      return mapPage(page, (record) => connectionView(memory, record));
    });

    router.on(api.getConnection, ({ memory, params }) => connectionView(memory, memory.of(connections).get(params.id)));

    router.on(api.deleteConnection, ({ memory, params }) => removeConnection(memory, params.id));
  },

  start(memory) {
    memory.onDelete(organizations, ({ id }, memory) => {
      for (const connection of memory.of(connections).where('organizationId', id).values())
        removeConnection(memory, connection.id);
    });
    memory.onDelete(connections, ({ id }, memory) => {
      memory.of(withoutIdpInitiation).delete(id);
    });
  },
};
