import { jwks as jwksApi, type SigningKeys } from '../service/jwks.js';
import { sessions as api, type Session, type SessionRevoke } from '../service/sessions.js';
import type { Call } from '../transport/call.js';
import type { ListParams, RequestOptions } from '../transport/options.js';
import type { Pages } from '../transport/pages.js';
import { Authentication } from './authentication.js';

/** The methods of `userManagement` that are about sessions, and all above. */
export abstract class Sessions extends Authentication {
  /**
   * A user's sessions, newest first, the ended ones among them. Await it for one page; iterate it for all of them.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {NotFoundError} No user has this id.
   * @example
   * for await (const session of sallyport.userManagement.listSessions(user.id)) console.log(session.userAgent);
   */
  listSessions(userId: string, params: ListParams = {}, options?: RequestOptions): Pages<Session> {
    return this.pages(api.list, { params: { id: userId }, query: params }, options);
  }

  /**
   * Nothing; the session is ended and cannot be refreshed any more. An access token it has handed out works until it
   * expires.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {NotFoundError} No session has this id.
   */
  revokeSession(payload: SessionRevoke, options?: RequestOptions): Call<void> {
    return this.send(api.revoke, { body: payload }, options);
  }

  /**
   * The public keys that sign the access tokens of a client; without `clientId`, of the one this client was made with.
   *
   * Beyond the specification: not every deployment of the service has it.
   *
   * @throws {InvalidArgumentError} No client id is given, and the client has none.
   * @throws {NotFoundError} No client has this id.
   */
  getJwks(clientId = this.transport.clientId ?? '', options?: RequestOptions): Call<SigningKeys> {
    return this.send(jwksApi.get, { params: { clientId: clientId } }, options);
  }

  /**
   * Address of the public keys that sign the access tokens of a client, for a JWT library that fetches them itself; nothing
   * is sent by this call. Without `clientId`, of the client that this one was made with.
   *
   * @throws {InvalidArgumentError} No client id is given, and the client has none.
   */
  getJwksUrl(clientId = this.transport.clientId ?? ''): string {
    return this.transport.address(jwksApi.get, undefined, { clientId: clientId });
  }
}
