import type {
  AuditLogsRetention,
  AuditLogsRetentionUpdate,
  Organization,
  OrganizationCreate,
  OrganizationFilter,
  OrganizationUpdate,
} from '../service/organizations.js';
import type { Role } from '../service/roles.js';
import type { Call } from '../transport/call.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import { organizationRooms } from './operations.js';

const api = organizationRooms('organizations');

/** The customers of your application. */
export class Organizations extends Namespace {
  /**
   * List organizations, newest first. Await the result for one page; iterate over it for all of them.
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
   * Get an organization by the id that you gave it yourself.
   *
   * @throws {NotFoundError} No organization has this external id.
   */
  getOrganizationByExternalId(externalId: string, options?: RequestOptions): Call<Organization> {
    return this.send(api('getByExternalId'), { params: { externalId } }, options);
  }

  /**
   * Create an organization. There can be any number of them, and names need not be unique.
   *
   * Give a domain the state `verified` only once you have proof of its ownership: the organization's policies then
   * apply to the domain's users across your application.
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
   * Change an organization. Fields that you leave out stay as they are; `domainData` replaces all of its domains.
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
      /** Id of the organization to change. */
      readonly organization: string;
    },
    options?: RequestOptions,
  ): Call<Organization> {
    const { organization, ...body } = orEmpty(payload);
    return this.send(api('update'), { params: { id: organization }, body }, options);
  }

  /**
   * Delete an organization for good, together with everything that belongs to it. At most 50 a minute for each API
   * key.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  deleteOrganization(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('delete'), { params: { id } }, options);
  }

  /**
   * List the roles of an organization and of its environment together, in order of priority.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  listOrganizationRoles(
    payload: {
      /** Id of the organization. */
      readonly organizationId: string;
    },
    options?: ListOptions,
  ): Call<Role[]> {
    const { organizationId } = orEmpty(payload);
    // The description names one item of `data`; the call resolves with all of them.
    return this.send(api('listRoles'), { params: { organizationId } }, options) as unknown as Call<Role[]>;
  }

  /**
   * Get the number of days for which an organization's audit events are kept.
   *
   * @throws {NotFoundError} No organization has this id.
   */
  getAuditLogsRetention(id: string, options?: RequestOptions): Call<AuditLogsRetention> {
    return this.send(api('getAuditLogsRetention'), { params: { id } }, options);
  }

  /**
   * Set the number of days for which an organization's audit events are kept: 30 or 365.
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
