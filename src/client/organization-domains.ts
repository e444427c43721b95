import type { OrganizationDomain, OrganizationDomainCreate } from '../service/organization-domains.js';
import type { Call } from '../transport/answer/call.js';
import { Namespace } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/request/options.js';
import { organizationRooms } from './operations.js';

const api = organizationRooms('organizationDomains');

/** Email domains of organizations, and the verification of their ownership. */
export class OrganizationDomains extends Namespace {
  /**
   * Get an organization's domain by id.
   *
   * @throws {NotFoundError} No domain has this id.
   */
  getOrganizationDomain(id: string, options?: RequestOptions): Call<OrganizationDomain> {
    return this.send(api('get'), { params: { id } }, options);
  }

  /**
   * Add a domain to an organization. It starts as `pending`, with a `verificationToken` to publish in a DNS TXT record.
   *
   * @throws {NotFoundError} No organization has this id.
   * @throws {ConflictError} An organization already owns the domain.
   * @throws {UnprocessableError} The domain is malformed, or belongs to a consumer mail service.
   * @example
   * const domain = await sallyport.organizationDomains.createOrganizationDomain({
   *   organizationId: acme.id,
   *   domain: 'acme.test',
   * });
   * console.log(`Publish ${domain.verificationToken} as a TXT record`);
   */
  createOrganizationDomain(payload: OrganizationDomainCreate, options?: RequestOptions): Call<OrganizationDomain> {
    return this.send(api('create'), { body: payload }, options);
  }

  /**
   * Start the verification of a domain. The returned state is still `pending`, and the `verificationToken` may have
   * changed. The event `organization_domain.verified` follows when the DNS record is found.
   *
   * @throws {NotFoundError} No domain has this id.
   */
  verifyOrganizationDomain(id: string, options?: RequestOptions): Call<OrganizationDomain> {
    return this.send(api('verify'), { params: { id } }, options);
  }

  /**
   * Remove a domain from its organization.
   *
   * Some deployments of the service do not offer this.
   *
   * @throws {NotFoundError} No domain has this id.
   */
  deleteOrganizationDomain(id: string, options?: RequestOptions): Call<void> {
    return this.send(api('delete'), { params: { id } }, options);
  }

  /** @deprecated Use `getOrganizationDomain`. */
  get(id: string, options?: RequestOptions): Call<OrganizationDomain> {
    return this.getOrganizationDomain(id, options);
  }

  /** @deprecated Use `createOrganizationDomain`. */
  create(payload: OrganizationDomainCreate, options?: RequestOptions): Call<OrganizationDomain> {
    return this.createOrganizationDomain(payload, options);
  }

  /** @deprecated Use `verifyOrganizationDomain`. */
  verify(id: string, options?: RequestOptions): Call<OrganizationDomain> {
    return this.verifyOrganizationDomain(id, options);
  }
}
