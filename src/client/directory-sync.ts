import {
  directorySync as api,
  type Directory,
  type DirectoryFilter,
  type DirectoryGroup,
  type DirectoryGroupFilter,
  type DirectoryUser,
  type DirectoryUserFilter,
} from '../service/directory-sync.js';
import type { Call } from '../transport/call.js';
import { Namespace } from '../transport/namespace.js';
import type { ListParams, RequestOptions } from '../transport/options.js';
import type { Pages } from '../transport/pages.js';

/** Whether a directory is connected: `linked`, or `active` as events of some deployments write it. */
export const isDirectoryActive = (directory: Pick<Directory, 'state'>): boolean =>
  directory.state === 'linked' || directory.state === 'active';

/** The directories of your customers, with the people and groups in them. */
export class DirectorySync extends Namespace {
  /**
   * Directories, newest first. Await it for one page; iterate it for all of them.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @example
   * for await (const directory of sallyport.directorySync.listDirectories({ organizationId: acme.id }))
   *   console.log(directory.name, directory.state);
   */
  listDirectories(params: DirectoryFilter & ListParams = {}, options?: RequestOptions): Pages<Directory> {
    return this.pages(api.listDirectories, { query: params }, options);
  }

  /**
   * One directory. Fields that only its provider has are kept under the names they came with.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @throws {NotFoundError} No directory has this id.
   */
  getDirectory(id: string, options?: RequestOptions): Call<Directory> {
    return this.send(api.getDirectory, { params: { id } }, options);
  }

  /**
   * Nothing; the directory is gone for good, with its users and groups.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @throws {NotFoundError} No directory has this id.
   */
  deleteDirectory(id: string, options?: RequestOptions): Call<void> {
    return this.send(api.deleteDirectory, { params: { id } }, options);
  }

  /**
   * The people in a directory or in one of its groups, newest first. Await it for one page; iterate it for all of them.
   *
   * The service answers 4 requests a second for each directory. Iterating asks for 100 users at a time, and a request
   * that comes too early is repeated when the service says so.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @throws {UnprocessableError} Neither a directory nor a group is given.
   * @throws {RateLimitError} Other requests for this directory left no room, also after the retries.
   * @example
   * for await (const user of sallyport.directorySync.listUsers({ directory: directory.id }))
   *   console.log(user.email, user.customAttributes);
   */
  listUsers(params: DirectoryUserFilter & ListParams, options?: RequestOptions): Pages<DirectoryUser> {
    return this.pages(api.listUsers, { query: params }, options);
  }

  /**
   * One person in a directory, with their groups.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @throws {NotFoundError} No directory user has this id.
   */
  getUser(id: string, options?: RequestOptions): Call<DirectoryUser> {
    return this.send(api.getUser, { params: { id } }, options);
  }

  /**
   * The groups of a directory or of one of its users, newest first. Await it for one page; iterate it for all of them.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @throws {UnprocessableError} Neither a directory nor a user is given.
   */
  listGroups(params: DirectoryGroupFilter & ListParams, options?: RequestOptions): Pages<DirectoryGroup> {
    return this.pages(api.listGroups, { query: params }, options);
  }

  /**
   * One group of a directory.
   *
   * Specification: Endpoints > Directory sync.
   *
   * @throws {NotFoundError} No directory group has this id.
   */
  getGroup(id: string, options?: RequestOptions): Call<DirectoryGroup> {
    return this.send(api.getGroup, { params: { id } }, options);
  }
}
