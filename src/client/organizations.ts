import type {
  AuditLogsRetention,
  AuditLogsRetentionUpdate,
  Organization,
  OrganizationCreate,
  OrganizationFilter,
  OrganizationUpdate,
} from '../service/organizations.js';
import type { Role } from '../service/roles.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import { organizationRooms } from './operations.js';

const api = organizationRooms('organizations');

/** The customers of your application. */
export class Organizations extends Namespace {
  /**
   * List organizations, newest first. Await the result for one page, or iterate over it to get all items.
   *
   * @example
   * for await (const organization of sallyport.organizations.listOrganizations()) console.log(organization.name);
   */
  listOrganizations(params: OrganizationFilter & ListParams = {}, options?: ListOptions): PagePromise<Organization> {
    return this.pages(api('list'), { query: params }, options);
  }

  /**
   * Get an organization by id.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  getOrganization(id: string, options?: RequestOptions): Call<Organization> {
    return this.send(api('get'), { params: { id } }, options);
  }

  /**
   * Get an organization by your own id for it.
   *
   * @throws {NotFoundError} No organization has this external id.
   */
  getOrganizationByExternalId(externalId: string, options?: RequestOptions): Call<Organization> {
    return this.send(api('getByExternalId'), { params: { externalId } }, options);
  }

  /**
   * Create an organization. Names need not be unique.
   *
   * Set the state of a domain to `verified` only with proof of its ownership, because the organization's policies then
   * apply to all users of the domain.
   *
   * @throws {BadRequestError} Another organization has the external id.
   * @throws {ConflictError} Another organization owns one of the domains.
   * @throws {UnprocessableError} A domain is malformed, or belongs to a consumer mail service.
   * @example
   * const acme = await sallyport.organizations.createOrganization({
   *   name: 'Acme',
   *   domainData: [{ domain: 'acme.test', state: 'verified' }],
   * });
   */
  createOrganization(payload: OrganizationCreate, options?: RequestOptions): Call<Organization> {
    return this.send(api('create'), { body: payload }, options);
  }

  /**
   * Update an organization. Omitted fields keep their values; `domainData` replaces all domains.
   *
   * @throws {NotFoundError} No organization has this id.
   * @throws {BadRequestError} Another organization has the external id.
   * @throws {ConflictError} Another organization owns one of the domains.
   * @throws {UnprocessableError} A domain is malformed, or belongs to a consumer mail service.
   * @example
   * await sallyport.organizations.updateOrganization({ organization: acme.id, metadata: { tier: 'gold' } });
   */
  updateOrganization(
    payload: OrganizationUpdate & {
      /** Id of the organization to update, prefix `org_`. */
      readonly organization: string;
    },
    options?: RequestOptions,
  ): Call<Organization> {
    return this.sendObject(api('update'), payload, options);
  }

  /**
   * Delete an organization permanently, with everything that belongs to it. Limit: 50 per minute and API key.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  deleteOrganization(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('delete'), { params: { id } }, options);
  }

  /**
   * List the roles of an organization and its environment, in order of priority.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  listOrganizationRoles(
    payload: {
      /** Id of the organization, prefix `org_`. */
      readonly organizationId: string;
    },
    options?: ListOptions,
  ): Call<Role[]> {
    // `returns` describes one item, but the call resolves with the list.
    return this.sendObject(api('listRoles'), payload, options) as unknown as Call<Role[]>;
  }

  /**
   * Get the retention period of an organization's audit events in days.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  getAuditLogsRetention(id: string, options?: RequestOptions): Call<AuditLogsRetention> {
    return this.send(api('getAuditLogsRetention'), { params: { id } }, options);
  }

  /**
   * Set the retention period of an organization's audit events to 30 or 365 days.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  updateAuditLogsRetention(
    id: string,
    payload: AuditLogsRetentionUpdate,
    options?: RequestOptions,
  ): Call<AuditLogsRetention> {
    return this.send(api('updateAuditLogsRetention'), { params: { id }, body: payload }, options);
  }
}
