import type {
  OrganizationMembership,
  OrganizationMembershipCreate,
  OrganizationMembershipFilter,
  OrganizationMembershipUpdate,
} from '../service/memberships.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { userManagementRooms } from './operations.js';
import { Users } from './users.js';

const api = userManagementRooms('organizationMemberships');

/** The `userManagement` methods for memberships. */
export abstract class Memberships extends Users {
  /**
   * Get a membership by id.
   *
   * @throws {NotFoundError} No membership has this id.
   */
  getOrganizationMembership(id: string, options?: RequestOptions): Call<OrganizationMembership> {
    return this.send(api('get'), { params: { id } }, options);
  }

  /**
   * List memberships of a user or an organization, newest first. In dialect `workos`, the list has only active ones unless
   * you pass `statuses`. Await the result for one page, or iterate over it to get all items.
   *
   * @throws {BadRequestError} No filter is passed, and this deployment of the service requires one.
   * @example
   * const members = sallyport.userManagement.listOrganizationMemberships({ organizationId: acme.id });
   * for await (const member of members) console.log(member.userId, member.role.slug);
   */
  listOrganizationMemberships(
    params: OrganizationMembershipFilter & ListParams = {},
    options?: ListOptions,
  ): PagePromise<OrganizationMembership> {
    return this.pages(api('list'), { query: params }, options);
  }

  /**
   * Add a user to an organization. A user can be a member of any number of organizations. The role is `member` unless
   * you pass `roleSlug` or `roleSlugs`.
   *
   * @throws {NotFoundError} No such user or organization exists.
   * @throws {BadRequestError} The user is already a member.
   * @throws {UnprocessableError} No such role exists, or both `roleSlug` and `roleSlugs` are passed.
   * @example
   * await sallyport.userManagement.createOrganizationMembership({
   *   userId: ada.id,
   *   organizationId: acme.id,
   *   roleSlug: 'admin',
   * });
   */
  createOrganizationMembership(
    payload: OrganizationMembershipCreate,
    options?: RequestOptions,
  ): Call<OrganizationMembership> {
    return this.send(api('create'), { body: payload }, options);
  }

  /**
   * Change the role or the roles of a membership.
   *
   * @throws {NotFoundError} No membership has this id.
   * @throws {UnprocessableError} No such role exists, or both `roleSlug` and `roleSlugs` are passed.
   */
  updateOrganizationMembership(
    id: string,
    payload: OrganizationMembershipUpdate,
    options?: RequestOptions,
  ): Call<OrganizationMembership> {
    return this.send(api('update'), { params: { id }, body: payload }, options);
  }

  /**
   * Remove a user from an organization.
   *
   * @throws {NotFoundError} No membership has this id.
   */
  deleteOrganizationMembership(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('delete'), { params: { id } }, options);
  }
}
