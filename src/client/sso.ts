import { type SsoAuthorizationRequest, ssoAddresses } from '../service/addresses.js';
import type { Connection, ConnectionFilter, Profile, ProfileAndToken, ProfileAndTokenGet } from '../service/sso.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ExtraQuery, ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import {
  authorizationQuery,
  authorizeWithPkce,
  type OneOf,
  oneSelector,
  type PkceAuthorization,
} from './authorization.js';
import { ssoRoom } from './operations.js';

const api = ssoRoom('sso');

/** Ways to select how the user signs in. Callers pass one. */
interface SsoSelectors {
  /** Id of the connection to sign in with, prefix `conn_`. */
  connection: string;
  /** Id of the organization, prefix `org_`. The user signs in with its only connection. */
  organization: string;
  /** Social provider to sign in with. */
  provider: NonNullable<SsoAuthorizationRequest['provider']>;
}
/** How the user signs in: with a connection, the connection of an organization, or a social provider. */
export type SsoSelector = OneOf<SsoSelectors>;

/** Parameters of `getAuthorizationUrl`, without the sign-in selector. */
export interface SsoAuthorizationOptions
  extends ExtraQuery,
    Omit<SsoAuthorizationRequest, 'responseType' | 'clientId' | keyof SsoSelectors> {
  /** Client id; default: the one this client was created with. */
  readonly clientId?: string | null | undefined;
}

/** Parameters of `getAuthorizationUrlWithPKCE`, without the sign-in selector. The client creates the challenge. */
export interface SsoPkceAuthorizationOptions
  extends Omit<SsoAuthorizationOptions, 'codeChallenge' | 'codeChallengeMethod'> {}

/** Single sign-on for users that only exist in your application, and connections to identity providers. */
export class Sso extends Namespace {
  /**
   * Build the URL that starts a sign-in, to redirect the user's browser to. The user returns to `redirectUri` with your
   * `state` and either a `code` for `getProfileAndToken`, or `error` and `error_description`. This sends no request.
   *
   * @throws {InvalidArgumentError} None or several of `connection`, `organization` and `provider` are passed.
   * @throws {ConfigurationError} The client has no client id.
   * @example
   * const url = sallyport.sso.getAuthorizationUrl({
   *   organization: acme.id,
   *   redirectUri: 'https://app.acme.test/callback',
   *   state,
   * });
   */
  getAuthorizationUrl(options: SsoAuthorizationOptions & SsoSelector): string {
    const method = 'sso.getAuthorizationUrl';
    const { connection, organization, provider, ...rest } = orEmpty(options);
    return this.address(ssoAddresses.authorize, {
      ...authorizationQuery(method, rest, this.transport.config.clientId),
      ...oneSelector(method, { connection, organization, provider }),
    });
  }

  /**
   * Build the URL that starts a sign-in with PKCE, and the `codeVerifier` and `state` to keep until the user returns.
   * Public clients, which have no API key, need this; for others it adds security. This sends no request.
   *
   * @throws {InvalidArgumentError} None or several of `connection`, `organization` and `provider` are passed.
   * @throws {ConfigurationError} The client has no client id.
   */
  async getAuthorizationUrlWithPKCE(options: SsoPkceAuthorizationOptions & SsoSelector): Promise<PkceAuthorization> {
    return authorizeWithPkce(
      (pkce) => this.getAuthorizationUrl({ ...orEmpty(options), ...pkce }),
      orEmpty(options).state,
    );
  }

  /**
   * Get the profile of the user who returned with this code, and a short-lived token for `getProfile`. A code works
   * once. Codes of magic links are also exchanged here. Trust the organization or connection id; trust the email domain
   * only if the organization does not allow profiles outside its domains.
   *
   * @throws {UnexpectedResponseError} The service responds in the older form, without a connection. Call
   * `legacy.getProfileAndToken`.
   * @throws {BadRequestError} The code is unknown, was used or has expired, or belongs to another code verifier.
   * @example
   * const { profile } = await sallyport.sso.getProfileAndToken({ code });
   * if (profile.organizationId !== acme.id) throw new Error('Not one of ours');
   */
  getProfileAndToken(payload: ProfileAndTokenGet, options?: RequestOptions): Call<ProfileAndToken> {
    return this.send(api('getProfileAndToken'), { body: payload }, options);
  }

  /**
   * Get the profile of an SSO access token.
   *
   * @throws {UnauthorizedError} The token is unknown or has expired.
   */
  getProfile(
    payload: {
      /** Token from `getProfileAndToken`; it is sent instead of the API key. */
      readonly accessToken: string;
    },
    options?: RequestOptions,
  ): Call<Profile> {
    const { accessToken } = orEmpty(payload);
    return this.send(api('getProfile'), { accessToken }, options);
  }

  /**
   * List connections, newest first. Await the result for one page, or iterate over it to get all items.
   *
   * @example
   * for await (const connection of sallyport.sso.listConnections({ organizationId: acme.id }))
   *   console.log(connection.name, connection.state);
   */
  listConnections(params: ConnectionFilter & ListParams = {}, options?: ListOptions): PagePromise<Connection> {
    return this.pages(api('listConnections'), { query: params }, options);
  }

  /**
   * Get a connection by id.
   *
   * @throws {NotFoundError} No connection has this id.
   */
  getConnection(id: string, options?: RequestOptions): Call<Connection> {
    return this.send(api('getConnection'), { params: { id } }, options);
  }

  /**
   * Delete a connection permanently. Users can no longer sign in with it.
   *
   * @throws {NotFoundError} No connection has this id.
   */
  deleteConnection(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('deleteConnection'), { params: { id } }, options);
  }
}
