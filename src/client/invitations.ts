import {
  invitations as api,
  type Invitation,
  type InvitationFilter,
  type InvitationSend,
} from '../service/invitations.js';
import type { Call } from '../transport/call.js';
import type { ListParams, RequestOptions } from '../transport/options.js';
import type { Pages } from '../transport/pages.js';
import { Memberships } from './memberships.js';

/** The methods of `userManagement` that are about invitations, and all above. */
export abstract class Invitations extends Memberships {
  /**
   * One invitation.
   *
   * Specification: Endpoints > Invitations.
   *
   * @throws {NotFoundError} No invitation has this id.
   */
  getInvitation(id: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api.get, { params: { id } }, options);
  }

  /**
   * Invitations, newest first. Await it for one page; iterate it for all of them.
   *
   * Specification: Endpoints > Invitations.
   */
  listInvitations(params: InvitationFilter & ListParams = {}, options?: RequestOptions): Pages<Invitation> {
    return this.pages(api.list, { query: params }, options);
  }

  /**
   * A new, pending invitation, which was just mailed. Accepting it creates the user and, with an `organizationId`, the
   * membership. It is good for 7 days unless `expiresInDays` says otherwise.
   *
   * Specification: Endpoints > Invitations.
   *
   * @throws {BadRequestError} The person is a member already, or has a pending invitation.
   * @throws {NotFoundError} There is no such organization, inviter or role.
   * @throws {UnprocessableError} A field is malformed.
   * @example
   * const invitation = await sallyport.userManagement.sendInvitation({
   *   email: 'ada@acme.test',
   *   organizationId: acme.id,
   *   expiresInDays: 14,
   * });
   */
  sendInvitation(payload: InvitationSend, options?: RequestOptions): Call<Invitation> {
    return this.send(api.send, { body: payload }, options);
  }

  /**
   * The invitation, revoked; its link stops working at once.
   *
   * Specification: Endpoints > Invitations.
   *
   * @throws {BadRequestError} The invitation is no longer pending.
   * @throws {NotFoundError} No invitation has this id.
   */
  revokeInvitation(id: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api.revoke, { params: { id } }, options);
  }

  /**
   * The invitation that a link's token belongs to. The specification has no such row: not every deployment of the service
   * offers it.
   *
   * @throws {NotFoundError} No invitation has this token.
   */
  findInvitationByToken(token: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api.findByToken, { params: { token } }, options);
  }

  /**
   * The invitation, accepted on the person's behalf: user and membership now exist. The specification has no such row: not
   * every deployment of the service offers it.
   *
   * @throws {BadRequestError} The invitation is no longer pending.
   * @throws {NotFoundError} No invitation has this id.
   */
  acceptInvitation(id: string, options?: RequestOptions): Call<Invitation> {
    return this.send(api.accept, { params: { id } }, options);
  }
}
