import { scim as api } from '../../../service/legacy.js';
import type { RoomPart } from '../../http/router.js';
import { notFound, unprocessableField } from '../../store/refusal.js';
import type { CollectionItem, ListQuery, Page } from '../../store/selection.js';
import type { Memory } from '../../world/memory.js';
import { directories } from './directories.js';
import { type DirectoryGroupRecord, directoryGroups } from './groups.js';
import { type DirectoryUserRecord, directoryUsers } from './users.js';

// The legacy SCIM API returns the same directories under other ids.

/** Prefixes of an id in the legacy API and in the other APIs. */
interface IdPrefixes {
  readonly scim: string;
  readonly directory: string;
}
const users: IdPrefixes = { scim: 'scim_usr_', directory: 'directory_user_' };
const groups: IdPrefixes = { scim: 'scim_grp_', directory: 'directory_group_' };

export const scimRoutes: RoomPart = {
  routes(router) {
    router.list(
      api.listUsers,
      ({ memory, params, list }) => {
        const { id } = memory.of(directories).get(params.scimEndpointId);
        const all = memory.of(directoryUsers);
        const knows = (user: string) => all.find(user) !== undefined;
        return renamedPage(all.where('directoryId', id).page(storedCursors(users, list, knows)), users, scimUser);
      },
      { cursors: 'listMetadata' },
    );

    router.list(
      api.listGroups,
      ({ memory, params, list }) => {
        const { id } = memory.of(directories).get(params.scimEndpointId);
        const all = memory.of(directoryGroups);
        const knows = (group: string) => all.find(group) !== undefined;
        return renamedPage(all.where('directoryId', id).page(storedCursors(groups, list, knows)), groups, scimGroup);
      },
      { cursors: 'listMetadata' },
    );

    router.on(api.getUser, ({ memory, params }) => scimUser(userAt(memory, params)));

    router.on(api.listUserGroups, ({ memory, params }) =>
      userAt(memory, params).groupIds.map((id) => scimGroup(memory.of(directoryGroups).get(id))),
    );
  },
};

/** Find a user of this directory. @throws {EmulatorRefusal} 404. */
function userAt(
  memory: Memory,
  { scimEndpointId, id }: { readonly scimEndpointId: string; readonly id: string },
): DirectoryUserRecord {
  const directory = memory.of(directories).get(scimEndpointId);
  const all = memory.of(directoryUsers);
  const storedId = storedIdOf(users, id, (user) => all.find(user) !== undefined);
  const user = storedId === undefined ? undefined : all.find(storedId);
  if (user?.directoryId !== directory.id) throw notFound('SCIM directory user', id);
  return user;
}

const scimUser = ({ id, firstName, lastName, username, emails, rawAttributes }: DirectoryUserRecord) => ({
  id: scimId(users, id),
  firstName,
  lastName,
  username,
  emails,
  rawAttributes,
});

const scimGroup = ({ id, name }: DirectoryGroupRecord) => ({ id: scimId(groups, id), name });

const scimId = ({ scim, directory }: IdPrefixes, id: string): string =>
  scim + (id.startsWith(directory) ? id.slice(directory.length) : id);

/** Convert a SCIM id to the stored id. Returns undefined if the prefix is wrong. Ids from a seed may lack the usual prefix. */
function storedIdOf({ scim, directory }: IdPrefixes, id: string, knows: (id: string) => boolean): string | undefined {
  if (!id.startsWith(scim)) return undefined;
  const rest = id.slice(scim.length);
  return !knows(directory + rest) && knows(rest) ? rest : directory + rest;
}

function storedCursors(naming: IdPrefixes, list: ListQuery, knows: (id: string) => boolean): ListQuery {
  const storedCursor = (name: 'after' | 'before'): string | undefined => {
    const cursor = list[name];
    if (cursor === undefined) return undefined;
    const id = storedIdOf(naming, cursor, knows);
    if (id !== undefined) return id;
    const message = `must be an id from this list, which starts with ${naming.scim}`;
    throw unprocessableField(name, 'invalid_cursor', message);
  };
  return { ...list, after: storedCursor('after'), before: storedCursor('before') };
}

const renamedPage = <T extends CollectionItem, U>(page: Page<T>, naming: IdPrefixes, each: (item: T) => U): Page<U> => {
  const { before, after } = page.listMetadata;
  return {
    data: page.data.map(each),
    listMetadata: { before: before && scimId(naming, before), after: after && scimId(naming, after) },
  };
};
