import type { Invitation, InvitationFilter, InvitationSend } from '../service/invitations.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { Memberships } from './memberships.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('invitations');

/** The `userManagement` methods for invitations. */
export abstract class Invitations extends Memberships {
  /**
   * Get an invitation by id.
   *
   * @throws {NotFoundError} No invitation has this id.
   */
  getInvitation(id: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api('get'), { params: { id } }, options);
  }

  /** List invitations, newest first. Await the result for one page, or iterate over it to get all items. */
  listInvitations(params: InvitationFilter & ListParams = {}, options?: ListOptions): PagePromise<Invitation> {
    return this.pages(api('list'), { query: params }, options);
  }

  /**
   * Invite a person by email. Accepting the invitation creates the user and, with `organizationId`, the membership. The
   * invitation expires after 7 days unless you pass `expiresInDays`.
   *
   * @throws {InvalidArgumentError} `expiresInDays` is not between 1 and 30.
   * @throws {BadRequestError} The person is already a member, or has a pending invitation.
   * @throws {NotFoundError} No such organization or inviter exists.
   * @throws {UnprocessableError} No such role exists.
   * @example
   * const invitation = await sallyport.userManagement.sendInvitation({
   *   email: 'ada@acme.test',
   *   organizationId: acme.id,
   *   expiresInDays: 14,
   * });
   */
  sendInvitation(payload: InvitationSend, options?: RequestOptions): Call<Invitation> {
    return this.send(api('send'), { body: payload }, options);
  }

  /**
   * Revoke a pending invitation. Its link stops working immediately.
   *
   * @throws {BadRequestError} The invitation is no longer pending.
   * @throws {NotFoundError} No invitation has this id.
   */
  revokeInvitation(id: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api('revoke'), { params: { id } }, options);
  }

  /**
   * Find the invitation that a link's token belongs to.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No invitation has this token.
   */
  findInvitationByToken(token: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api('findByToken'), { params: { token } }, options);
  }

  /**
   * Accept an invitation on behalf of the invited person. This creates the user and the membership.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {BadRequestError} The invitation is no longer pending.
   * @throws {NotFoundError} No invitation has this id.
   */
  acceptInvitation(id: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api('accept'), { params: { id } }, options);
  }
}
