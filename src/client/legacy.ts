import { type AuthorizationByDomain, ssoByDomain } from '../service/addresses.js';
import type { AuditTrailEvent, AuditTrailPublished, ScimGroup, ScimUser } from '../service/legacy.js';
import type { Call } from '../transport/call.js';
import { clientIdFor } from '../transport/credentials.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ExtraQuery, ListOptions, ListParams, RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import type { Transport } from '../transport/transport.js';
import { oneSelector } from './authorization.js';
import { otherRooms } from './operations.js';

const auditTrailApi = otherRooms('auditTrail');
const scimApi = otherRooms('scim');

/** The earlier form of directory sync, by SCIM endpoint. Use `directorySync` in new code. */
export class Scim extends Namespace {
  /**
   * List the users behind a SCIM endpoint. Await the result for one page; iterate over it for all of them.
   *
   * @throws {NotFoundError} No SCIM endpoint has this id.
   */
  listUsers(scimEndpointId: string, params: ListParams = {}, options?: ListOptions): PagePromise<ScimUser> {
    return this.pages(scimApi('listUsers'), { params: { scimEndpointId }, query: params }, options);
  }

  /**
   * List the groups behind a SCIM endpoint. Await the result for one page; iterate over it for all of them.
   *
   * @throws {NotFoundError} No SCIM endpoint has this id.
   */
  listGroups(scimEndpointId: string, params: ListParams = {}, options?: ListOptions): PagePromise<ScimGroup> {
    return this.pages(scimApi('listGroups'), { params: { scimEndpointId }, query: params }, options);
  }

  /**
   * Get a user behind a SCIM endpoint.
   *
   * @throws {NotFoundError} No SCIM endpoint or no user behind it has this id.
   */
  getUser(scimEndpointId: string, userId: string, options?: RequestOptions): Call<ScimUser> {
    return this.send(scimApi('getUser'), { params: { scimEndpointId, id: userId } }, options);
  }

  /**
   * List all groups of a user behind a SCIM endpoint.
   *
   * @throws {NotFoundError} No SCIM endpoint or no user behind it has this id.
   */
  listUserGroups(scimEndpointId: string, userId: string, options?: ListOptions): Call<ScimGroup[]> {
    return this.send(scimApi('listUserGroups'), { params: { scimEndpointId, id: userId } }, options);
  }
}

/** The earlier form of audit logs. Use `auditLogs` in new code. */
export class AuditTrail extends Namespace {
  /**
   * Publish an event. Its metadata has at most 50 keys of up to 40 characters, with values of up to 500, and must not
   * hold anything sensitive.
   *
   * @throws {InvalidArgumentError} The metadata is out of bounds.
   * @throws {UnprocessableError} `occurredAt` is not an ISO 8601 timestamp.
   */
  createEvent(event: AuditTrailEvent, options?: RequestOptions): Call<AuditTrailPublished> {
    return this.send(auditTrailApi('createEvent'), { body: event }, options);
  }
}

/** The user's email domain, or a provider, or both. */
type DomainOrProvider =
  | { readonly domain: NonNullable<AuthorizationByDomain['domain']> }
  | { readonly provider: NonNullable<AuthorizationByDomain['provider']> };

/** What the earlier `getAuthorizationUrl` takes: the user's email domain, or a provider, or both. */
export type AuthorizationByDomainOptions = ExtraQuery &
  Omit<AuthorizationByDomain, 'responseType' | 'clientId'> &
  DomainOrProvider & {
    /** The client that asks; default: the one this client was made with. */
    readonly clientId?: string | null | undefined;
  };

/** The earlier form of single sign-on, by email domain. Use `sso` in new code. */
export class LegacySso extends Namespace {
  /**
   * Build the address that starts a sign-in with the connection of an email domain; send the user's browser there.
   * This sends no request.
   *
   * @deprecated Several organizations may use one domain: pass `organization` or `connection` to `sso.getAuthorizationUrl`.
   * @throws {InvalidArgumentError} Neither `domain` nor `provider` is given.
   * @throws {ConfigurationError} The client has no client id.
   */
  getAuthorizationUrl(options: AuthorizationByDomainOptions): string {
    const method = 'legacy.sso.getAuthorizationUrl';
    const { domain, provider, clientId, ...rest } = orEmpty(options);
    if (!domain && !provider) oneSelector(method, { domain, provider });
    return this.address(ssoByDomain.authorizeByDomain, {
      ...rest,
      responseType: 'code',
      clientId: clientIdFor(method, clientId ?? this.transport.clientId),
      ...(domain && { domain }),
      ...(provider && { provider }),
    });
  }
}

/** The earlier interfaces, which the service still answers. */
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
}
