import { directorySync as api } from '../../../service/directory-sync.js';
import type { RoomPart } from '../../server/router.js';
import { mapPage } from '../../world/collection.js';
import { unprocessable } from '../../world/refusal.js';
import { directories } from './directories.js';
import { directoryGroups } from './groups.js';
import { directoryUsers, directoryUserView } from './users.js';

export const userRoutes: RoomPart = {
  routes(router) {
    router.list(api.listUsers, ({ world, query, list }) => {
      const { directory, group, idpId } = query;
      const address = query.email?.toLowerCase();
      if (directory === undefined && group === undefined)
        throw unprocessable(
          ['directory', 'group'].map((field) => ({
            field,
            code: 'required',
            message: 'is required: list the users of a directory or of a group',
          })),
        );
      if (directory !== undefined) world.of(directories).get(directory);
      if (group !== undefined) world.of(directoryGroups).get(group);
      const users = world.of(directoryUsers);
      // From the narrowest there is, so that no page has to look at everybody.
      const from =
        address !== undefined
          ? users.where('addresses', address)
          : idpId !== undefined
            ? users.where('idpId', idpId)
            : group !== undefined
              ? users.where('groupIds', group)
              : // One of the two is given, as was checked above.
                users.where('directoryId', directory!);
      const page = from.page(
        list,
        (user) =>
          (directory === undefined || user.directoryId === directory) &&
          (group === undefined || user.groupIds.includes(group)) &&
          (idpId === undefined || user.idpId === idpId),
      );
      return mapPage(page, (user) => directoryUserView(world, user));
    });

    router.on(api.getUser, ({ world, params }) => directoryUserView(world, world.of(directoryUsers).get(params.id)));
  },

  start(world) {
    world.of(directories).onDelete(({ id }) => {
      const users = world.of(directoryUsers);
      // The newest first: taking out the last of many moves nothing.
      for (const user of users.where('directoryId', id).values().reverse()) users.delete(user.id);
    });
  },
};
