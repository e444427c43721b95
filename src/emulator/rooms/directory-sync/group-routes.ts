import { directorySync as api } from '../../../service/directory-sync.js';
import type { RoomPart } from '../../http/router.js';
import { unprocessable } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import { directories } from './directories.js';
import { directoryGroups, directoryGroupView } from './groups.js';
import { directoryUsers, leaveGroup } from './users.js';

export const groupRoutes: RoomPart = {
  routes(router) {
    router.list(api.listGroups, ({ memory, query, list }) => {
      const { directory, user, idpId } = query;
      if (directory === undefined && user === undefined)
        throw unprocessable(
          ['directory', 'user'].map((field) => ({
            field,
            code: 'required',
            message: 'is required: list the groups of a directory or of a user',
          })),
        );
      if (directory !== undefined) memory.of(directories).get(directory);
      const member = user === undefined ? undefined : memory.of(directoryUsers).get(user);
      const groups = memory.of(directoryGroups);
      const page = member
        ? groups
            .among(member.groupIds)
            .page(
              list,
              (group) =>
                group.directoryId === (directory ?? group.directoryId) && group.idpId === (idpId ?? group.idpId),
            )
        : groups.page(list, { directoryId: directory, idpId });
      return mapPage(page, (record) => directoryGroupView(memory, record));
    });

    router.on(api.getGroup, ({ memory, params }) =>
      directoryGroupView(memory, memory.of(directoryGroups).get(params.id)),
    );
  },

  start(memory) {
    memory.onDelete(directoryGroups, ({ id }, memory) => {
      for (const user of memory.of(directoryUsers).where('groupIds', id).values()) leaveGroup(memory, user, id);
    });
  },
};
