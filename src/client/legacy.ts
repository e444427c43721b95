import { type AuthorizationByDomain, ssoByDomain } from '../service/addresses.js';
import type { AuthenticateWithMagicAuth, EarlierMagicAuthResponse } from '../service/authentication.js';
import type { AuditTrailEvent, AuditTrailPublished, ScimGroup, ScimUser } from '../service/legacy.js';
import type { EarlierProfileAndToken, ProfileAndTokenGet } from '../service/sso.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import { clientIdFor } from '../transport/request/credentials.js';
import type { ExtraQuery, ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import type { Transport } from '../transport/transport.js';
import { oneSelector } from './authorization.js';
import { otherRooms, ssoRoom, userManagementRooms } from './operations.js';

const auditTrailApi = otherRooms('auditTrail');
const scimApi = otherRooms('scim');
const earlierSso = ssoRoom('earlier');
const earlierUserManagement = userManagementRooms('earlier');

/** The older API for directory sync, by SCIM endpoint. Use `directorySync` in new code. */
export class Scim extends Namespace {
  /**
   * List the users of a SCIM endpoint. Await the result for one page, or iterate over it to get all items.
   *
   * @throws {NotFoundError} No SCIM endpoint has this id.
   */
  listUsers(scimEndpointId: string, params: ListParams = {}, options?: ListOptions): PagePromise<ScimUser> {
    return this.pages(scimApi('listUsers'), { params: { scimEndpointId }, query: params }, options);
  }

  /**
   * List the groups of a SCIM endpoint. Await the result for one page, or iterate over it to get all items.
   *
   * @throws {NotFoundError} No SCIM endpoint has this id.
   */
  listGroups(scimEndpointId: string, params: ListParams = {}, options?: ListOptions): PagePromise<ScimGroup> {
    return this.pages(scimApi('listGroups'), { params: { scimEndpointId }, query: params }, options);
  }

  /**
   * Get a user of a SCIM endpoint.
   *
   * @throws {NotFoundError} No SCIM endpoint has this id, or it has no user with this id.
   */
  getUser(scimEndpointId: string, userId: string, options?: RequestOptions): Call<ScimUser> {
    return this.send(scimApi('getUser'), { params: { scimEndpointId, id: userId } }, options);
  }

  /**
   * List all groups of a user of a SCIM endpoint.
   *
   * @throws {NotFoundError} No SCIM endpoint has this id, or it has no user with this id.
   */
  listUserGroups(scimEndpointId: string, userId: string, options?: ListOptions): Call<ScimGroup[]> {
    return this.send(scimApi('listUserGroups'), { params: { scimEndpointId, id: userId } }, options);
  }
}

/** The older API for audit logs. Use `auditLogs` in new code. */
export class AuditTrail extends Namespace {
  /**
   * Publish an event. Its metadata may have up to 50 keys of up to 40 characters, with values of up to 500 characters,
   * and must not contain sensitive data.
   *
   * @throws {InvalidArgumentError} The metadata is out of bounds.
   * @throws {UnprocessableError} `occurredAt` is not an ISO 8601 timestamp.
   */
  createEvent(event: AuditTrailEvent, options?: RequestOptions): Call<AuditTrailPublished> {
    return this.send(auditTrailApi('createEvent'), { body: event }, options);
  }
}

/** The user's email domain, a provider, or both. */
type DomainOrProvider =
  | { readonly domain: NonNullable<AuthorizationByDomain['domain']> }
  | { readonly provider: NonNullable<AuthorizationByDomain['provider']> };

/** Parameters of `legacy.sso.getAuthorizationUrl`: the user's email domain, a provider, or both. */
export type AuthorizationByDomainOptions = ExtraQuery &
  Omit<AuthorizationByDomain, 'responseType' | 'clientId'> &
  DomainOrProvider & {
    /** Client id; default: the one this client was created with. */
    readonly clientId?: string | null | undefined;
  };

/** The older API for single sign-on, by email domain. Use `sso` in new code. */
export class LegacySso extends Namespace {
  /**
   * Build the URL that starts a sign-in with the connection of an email domain, to redirect the user's browser to. This
   * sends no request.
   *
   * @deprecated Several organizations may use one domain: pass `organization` or `connection` to
   * `sso.getAuthorizationUrl`.
   * @throws {InvalidArgumentError} Neither `domain` nor `provider` is passed.
   * @throws {ConfigurationError} The client has no client id.
   */
  getAuthorizationUrl(options: AuthorizationByDomainOptions): string {
    const method = 'legacy.sso.getAuthorizationUrl';
    const { domain, provider, clientId, ...rest } = orEmpty(options);
    if (!domain && !provider) oneSelector(method, { domain, provider });
    return this.address(ssoByDomain.authorizeByDomain, {
      ...rest,
      responseType: 'code',
      clientId: clientIdFor(method, clientId ?? this.transport.config.clientId),
      ...(domain && { domain }),
      ...(provider && { provider }),
    });
  }
}

/** Older APIs, and older forms of responses. They need the dialect `spec`, because the public service no longer has them. */
export class Legacy extends Namespace {
  /** Directory sync by SCIM endpoint. */
  declare readonly scim: Scim;
  /** The audit trail. */
  declare readonly auditTrail: AuditTrail;
  /** Single sign-on by email domain. */
  declare readonly sso: LegacySso;

  constructor(transport: Transport) {
    super(transport);
    this.scim = new Scim(transport);
    this.auditTrail = new AuditTrail(transport);
    this.sso = new LegacySso(transport);
  }

  /**
   * Sign a user in with the code from `userManagement.sendMagicAuthCode`, at a service that responds in the older form:
   * with the user and the organization, and without tokens. Create your own session for the user.
   *
   * @deprecated Use `userManagement.authenticateWithMagicAuth`, unless it throws an `UnexpectedResponseError`.
   * @throws {BadRequestError} The code is wrong, was used, has expired, or was tried too often.
   */
  authenticateWithMagicAuth(
    payload: AuthenticateWithMagicAuth,
    options?: RequestOptions,
  ): Call<EarlierMagicAuthResponse> {
    return this.send(earlierUserManagement('authenticateWithMagicAuth'), { body: payload }, options);
  }

  /**
   * Get the profile of the user who returned with this code, at a service that responds in the older form: with the
   * identity provider, and without connection and organization.
   *
   * @deprecated Use `sso.getProfileAndToken`, unless it throws an `UnexpectedResponseError`.
   * @throws {UnexpectedResponseError} The service responds in today's form. Call `sso.getProfileAndToken`.
   * @throws {BadRequestError} The code is unknown, was used or has expired, or belongs to another code verifier.
   */
  getProfileAndToken(payload: ProfileAndTokenGet, options?: RequestOptions): Call<EarlierProfileAndToken> {
    return this.send(earlierSso('getProfileAndToken'), { body: payload }, options);
  }
}
