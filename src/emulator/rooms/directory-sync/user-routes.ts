import { directorySync as api } from '../../../service/directory-sync.js';
import type { ListExchange, RawInput, RoomPart } from '../../http/router.js';
import { unprocessable } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import type { Memory } from '../../world/memory.js';
import { directories } from './directories.js';
import { directoryGroups } from './groups.js';
import { directoryUsers, directoryUserView } from './users.js';

export const userRoutes: RoomPart = {
  routes(router) {
    const listUsers = ({ memory, query, list }: ListExchange<typeof api.listUsers>) => {
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
      if (directory !== undefined) memory.of(directories).get(directory);
      if (group !== undefined) memory.of(directoryGroups).get(group);
      const filter = { directoryId: directory, groupIds: group, idpId, addresses: address };
      const page = memory.of(directoryUsers).page(list, filter);
      return mapPage(page, (record) => directoryUserView(memory, record));
    };
    router.list(api.listUsers, listUsers, { subject: directoryOf });

    router.on(api.getUser, ({ memory, params }) => directoryUserView(memory, memory.of(directoryUsers).get(params.id)));
  },
};

/** Find the directory whose users are listed. The query names it directly or by a group. */
const directoryOf = (memory: Memory, { query }: RawInput): string | undefined =>
  query.get('directory') ?? memory.of(directoryGroups).find(query.get('group') ?? '')?.directoryId;
