import { type SsoAuthorizationRequest, ssoAddresses } from '../service/addresses.js';
import type { Connection, ConnectionFilter, Profile, ProfileAndToken, ProfileAndTokenGet } from '../service/sso.js';
import type { Call } from '../transport/call.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ExtraQuery, ListOptions, ListParams, RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import {
  authorizationQuery,
  authorizeWithPkce,
  type OneOf,
  oneSelector,
  type PkceAuthorization,
} from './authorization.js';
import { ssoRoom } from './operations.js';

const api = ssoRoom('sso');

/** The ways to say how the user signs in. */
interface SsoSelectors {
  /** By this connection. */
  connection: string;
  /** By the one connection of this organization. */
  organization: string;
  /** By a social provider. */
  provider: NonNullable<SsoAuthorizationRequest['provider']>;
}
/** How the user signs in: by one connection, by the connection of one organization, or by a social provider. */
export type SsoSelector = OneOf<SsoSelectors>;

/** What `getAuthorizationUrl` takes besides how the user signs in. */
export interface SsoAuthorizationOptions
  extends ExtraQuery,
    Omit<SsoAuthorizationRequest, 'responseType' | 'clientId' | keyof SsoSelectors> {
  /** The client that asks; default: the one this client was made with. */
  readonly clientId?: string | null | undefined;
}

/** What `getAuthorizationUrlWithPKCE` takes besides how the user signs in; the challenge is made for you. */
export interface SsoPkceAuthorizationOptions
  extends Omit<SsoAuthorizationOptions, 'codeChallenge' | 'codeChallengeMethod'> {}

/** Single sign-on for users that your application keeps itself, and connections to identity providers. */
export class Sso extends Namespace {
  /**
   * Build the address that starts a sign-in; send the user's browser there. The user comes back to `redirectUri` with
   * your `state` and either `code`, for `getProfileAndToken`, or `error` and `error_description`. This sends no
   * request.
   *
   * @throws {InvalidArgumentError} None or several of `connection`, `organization` and `provider` are given.
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
      ...authorizationQuery(method, rest, this.transport.clientId),
      ...oneSelector(method, { connection, organization, provider }),
    });
  }

  /**
   * Build the address that starts a sign-in with PKCE, together with the `codeVerifier` and `state` to keep until the
   * user comes back. Public clients, which have no API key, need this; for others it is an additional safeguard. This
   * sends no request.
   *
   * @throws {InvalidArgumentError} None or several of `connection`, `organization` and `provider` are given.
   * @throws {ConfigurationError} The client has no client id.
   */
  async getAuthorizationUrlWithPKCE(options: SsoPkceAuthorizationOptions & SsoSelector): Promise<PkceAuthorization> {
    return authorizeWithPkce(
      (pkce) => this.getAuthorizationUrl({ ...orEmpty(options), ...pkce }),
      orEmpty(options).state,
    );
  }

  /**
   * Get the profile of the user who came back with this code, and a short-lived token for `getProfile`. A code works
   * once. Trust the id of the organization or connection; trust the domain of the email only while the organization
   * does not allow profiles outside its domains. Codes of magic links are exchanged here too. A service that answers in the
   * earlier form gives an `EarlierProfile`, which names neither connection nor organization.
   *
   * @throws {BadRequestError} The code is unknown, was used or has expired, or belongs to another code verifier.
   * @example
   * const { profile } = await sallyport.sso.getProfileAndToken({ code });
   * if (profile.organizationId !== acme.id) throw new Error('Not one of ours');
   */
  getProfileAndToken(payload: ProfileAndTokenGet, options?: RequestOptions): Call<ProfileAndToken> {
    return this.send(api('getProfileAndToken'), { body: payload }, options);
  }

  /**
   * Get the profile that an SSO access token stands for.
   *
   * @throws {UnauthorizedError} The token is unknown or has expired.
   */
  getProfile(
    payload: {
      /** The token from `getProfileAndToken`; it is sent in place of the API key. */
      readonly accessToken: string;
    },
    options?: RequestOptions,
  ): Call<Profile> {
    const { accessToken } = orEmpty(payload);
    return this.send(api('getProfile'), { accessToken }, options);
  }

  /**
   * List connections, newest first. Await the result for one page; iterate over it for all of them.
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
   * Delete a connection for good. Nobody can sign in with it any more.
   *
   * @throws {NotFoundError} No connection has this id.
   */
  deleteConnection(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('deleteConnection'), { params: { id } }, options);
  }
}
