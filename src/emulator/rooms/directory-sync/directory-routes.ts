import { directorySync as api } from '../../../service/directory-sync.js';
import type { RoomPart } from '../../http/router.js';
import { mapPage } from '../../store/selection.js';
import { hostOf } from '../organizations/domains.js';
import { organizations } from '../organizations/records.js';
import { directories, directoryView, removeDirectory } from './directories.js';

export const directoryRoutes: RoomPart = {
  routes(router) {
    router.list(
      api.listDirectories,
      ({ memory, query, list, raw }) => {
        const { organizationId } = query;
        const search = query.search?.toLowerCase();
        // An old filter that is no longer documented.
        const domain = raw.query.get('domain') || undefined;
        const host = domain === undefined ? undefined : (hostOf(domain) ?? domain);
        const page = memory
          .of(directories)
          .page(
            list,
            { organizationId, domain: host },
            ({ name }) => search === undefined || name.toLowerCase().includes(search),
          );
        return mapPage(page, (record) => directoryView(memory, record));
      },
      { reads: () => ['domain'] },
    );

    router.on(api.getDirectory, ({ memory, params }) => directoryView(memory, memory.of(directories).get(params.id)));

    router.on(api.deleteDirectory, ({ memory, params }) => removeDirectory(memory, params.id));
  },

  start(memory) {
    memory.onDelete(organizations, ({ id }, memory) => {
      for (const directory of memory.of(directories).where('organizationId', id).values())
        removeDirectory(memory, directory.id);
    });
  },
};
