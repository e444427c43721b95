import type {
  Directory,
  DirectoryFilter,
  DirectoryGroup,
  DirectoryGroupFilter,
  DirectoryUser,
  DirectoryUserFilter,
} from '../service/directory-sync.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { directorySyncRoom } from './operations.js';

const api = directorySyncRoom('directorySync');

/** Check whether a directory is connected: `linked`, or `active` in the events of some deployments. */
export const isDirectoryActive = (directory: Pick<Directory, 'state'>): boolean =>
  directory.state === 'linked' || directory.state === 'active';

/** The directories of your customers, with their users and groups. */
export class DirectorySync extends Namespace {
  /**
   * List directories, newest first. Await the result for one page, or iterate over it to get all items.
   *
   * @example
   * for await (const directory of sallyport.directorySync.listDirectories({ organizationId: acme.id }))
   *   console.log(directory.name, directory.state);
   */
  listDirectories(params: DirectoryFilter & ListParams = {}, options?: ListOptions): PagePromise<Directory> {
    return this.pages(api('listDirectories'), { query: params }, options);
  }

  /**
   * Get a directory by id. Fields of the provider keep their original names.
   *
   * @throws {NotFoundError} No directory has this id.
   */
  getDirectory(id: string, options?: RequestOptions): Call<Directory> {
    return this.send(api('getDirectory'), { params: { id } }, options);
  }

  /**
   * Delete a directory permanently, with its users and groups.
   *
   * @throws {NotFoundError} No directory has this id.
   */
  deleteDirectory(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('deleteDirectory'), { params: { id } }, options);
  }

  /**
   * List the users of a directory or of one of its groups, newest first. Await the result for one page, or iterate over
   * it to get all items.
   *
   * The service allows 4 requests per second and directory. Iteration fetches 100 users at a time and waits when the
   * service asks for it.
   *
   * @throws {NotFoundError} No such directory or group exists.
   * @throws {UnprocessableError} Neither `directory` nor `group` is passed.
   * @example
   * for await (const user of sallyport.directorySync.listUsers({ directory: directory.id }))
   *   console.log(user.email, user.customAttributes);
   */
  listUsers(params: DirectoryUserFilter & ListParams, options?: ListOptions): PagePromise<DirectoryUser> {
    return this.pages(api('listUsers'), { query: params }, options);
  }

  /**
   * Get a directory user by id, with their groups.
   *
   * @throws {NotFoundError} No directory user has this id.
   */
  getUser(id: string, options?: RequestOptions): Call<DirectoryUser> {
    return this.send(api('getUser'), { params: { id } }, options);
  }

  /**
   * List the groups of a directory or of one of its users, newest first. Await the result for one page, or iterate over
   * it to get all items.
   *
   * @throws {NotFoundError} No such directory or user exists.
   * @throws {UnprocessableError} Neither `directory` nor `user` is passed.
   */
  listGroups(params: DirectoryGroupFilter & ListParams, options?: ListOptions): PagePromise<DirectoryGroup> {
    return this.pages(api('listGroups'), { query: params }, options);
  }

  /**
   * Get a directory group by id.
   *
   * @throws {NotFoundError} No directory group has this id.
   */
  getGroup(id: string, options?: RequestOptions): Call<DirectoryGroup> {
    return this.send(api('getGroup'), { params: { id } }, options);
  }
}
