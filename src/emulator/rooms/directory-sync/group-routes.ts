import { directorySync as api } from '../../../service/directory-sync.js';
import type { RoomPart } from '../../server/router.js';
import { mapPage } from '../../world/collection.js';
import { unprocessable } from '../../world/refusal.js';
import { directories } from './directories.js';
import { directoryGroups, directoryGroupView } from './groups.js';
import { directoryUsers, leaveGroup } from './users.js';

export const groupRoutes: RoomPart = {
  routes(router) {
    router.list(api.listGroups, ({ world, query, list }) => {
      const { directory, user, idpId } = query;
      if (directory === undefined && user === undefined)
        throw unprocessable(
          ['directory', 'user'].map((field) => ({
            field,
            code: 'required',
            message: 'is required: list the groups of a directory or of a user',
          })),
        );
      if (directory !== undefined) world.of(directories).get(directory);
      const member = user === undefined ? undefined : world.of(directoryUsers).get(user);
      const groups = world.of(directoryGroups);
      // One of the two is given, as was checked above.
      const home = member?.directoryId ?? directory!;
      const from = idpId !== undefined ? groups.where('idpId', idpId) : groups.where('directoryId', home);
      const page = from.page(
        list,
        ({ id, directoryId }) =>
          directoryId === home &&
          (directory === undefined || directory === home) &&
          (member === undefined || member.groupIds.includes(id)),
      );
      return mapPage(page, (group) => directoryGroupView(world, group));
    });

    router.on(api.getGroup, ({ world, params }) => directoryGroupView(world, world.of(directoryGroups).get(params.id)));
  },

  start(world) {
    const groups = world.of(directoryGroups);
    groups.onDelete(({ id }) => {
      for (const user of world.of(directoryUsers).where('groupIds', id).values()) leaveGroup(world, user, id);
    });
    world.of(directories).onDelete(({ id }) => {
      for (const group of groups.where('directoryId', id).values()) groups.delete(group.id);
    });
  },
};
