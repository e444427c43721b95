import { keySetAddress } from '../service/addresses.js';
import type { SigningKeys } from '../service/jwks.js';
import type { Session, SessionRevoke } from '../service/sessions.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { Authentication } from './authentication.js';
import { userManagementRooms } from './operations.js';

const api = userManagementRooms('sessions');
const keySet = userManagementRooms('jwks');

/** The `userManagement` methods for sessions. */
export abstract class Sessions extends Authentication {
  /**
   * List a user's sessions, newest first, including ended ones. Await the result for one page, or iterate over it to
   * get all items.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No user has this id.
   * @example
   * for await (const session of sallyport.userManagement.listSessions(user.id)) console.log(session.userAgent);
   */
  listSessions(userId: string, params: ListParams = {}, options?: ListOptions): PagePromise<Session> {
    return this.pages(api('list'), { params: { id: userId }, query: params }, options);
  }

  /**
   * End a session. It can no longer be refreshed, but its access tokens work until they expire.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No session has this id.
   */
  revokeSession(payload: SessionRevoke, options?: RequestOptions): Call<void> {
    return this.send(api('revoke'), { body: payload }, options);
  }

  /**
   * Get the public keys that verify a client's access tokens. The default is the client id that this client was created
   * with.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {InvalidArgumentError} No client id is passed or configured.
   * @throws {NotFoundError} No client has this id.
   */
  getJwks(clientId = this.transport.config.clientId ?? '', options?: RequestOptions): Call<SigningKeys> {
    return this.send(keySet('get'), { params: { clientId } }, options);
  }

  /**
   * Build the URL of the public keys that verify a client's access tokens, for a JWT library that fetches them itself.
   * The default is the client id that this client was created with. This sends no request.
   *
   * @throws {InvalidArgumentError} No client id is passed or configured.
   */
  getJwksUrl(clientId = this.transport.config.clientId ?? ''): string {
    return this.transport.address(keySetAddress.get, {}, { clientId });
  }
}
