import { keySetAddress } from '../service/addresses.js';
import type { SigningKeys } from '../service/jwks.js';
import type { Session, SessionRevoke } from '../service/sessions.js';
import type { Call } from '../transport/call.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import { Authentication } from './authentication.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('sessions');
const keySet = userManagementRooms('jwks');

/** The methods of `userManagement` for sessions, and all above. */
export abstract class Sessions extends Authentication {
  /**
   * List a user's sessions, newest first, including those that have ended. Await the result for one page; iterate
   * over it for all of them.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {NotFoundError} No user has this id.
   * @example
   * for await (const session of sallyport.userManagement.listSessions(user.id)) console.log(session.userAgent);
   */
  listSessions(userId: string, params: ListParams = {}, options?: ListOptions): PagePromise<Session> {
    return this.pages(api('list'), { params: { id: userId }, query: params }, options);
  }

  /**
   * End a session. It can no longer be refreshed; the access tokens it has issued work until they expire.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {NotFoundError} No session has this id.
   */
  revokeSession(payload: SessionRevoke, options?: RequestOptions): Call<void> {
    return this.send(api('revoke'), { body: payload }, options);
  }

  /**
   * Get the public keys that sign the access tokens of a client; by default of the client id that this client was
   * made with.
   *
   * Not every deployment of the service offers this.
   *
   * @throws {InvalidArgumentError} No client id is passed, and the client has none.
   * @throws {NotFoundError} No client has this id.
   */
  getJwks(clientId = this.transport.clientId ?? '', options?: RequestOptions): Call<SigningKeys> {
    return this.send(keySet('get'), { params: { clientId } }, options);
  }

  /**
   * Build the address of the public keys that sign the access tokens of a client, for a JWT library that fetches them
   * itself. The default is the client id that this client was made with. This sends no request.
   *
   * @throws {InvalidArgumentError} No client id is passed, and the client has none.
   */
  getJwksUrl(clientId = this.transport.clientId ?? ''): string {
    return this.transport.address(keySetAddress.get, {}, { clientId });
  }
}
