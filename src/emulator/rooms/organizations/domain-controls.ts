import type { OrganizationDomain } from '../../../service/organization-domains.js';
import type { Given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { settleVerification, type VerificationFailure } from './domains.js';

/** What the DNS does. */
export interface OrganizationDomainControls {
  /**
   * End the verification of a pending domain, as the DNS check would; `verified` when not told otherwise.
   *
   * @throws {Refusal} `entity_not_found`, or `domain_not_pending`.
   */
  verifyDomain(
    id: string,
    outcome?: 'verified' | 'failed',
    reason?: VerificationFailure,
  ): Promise<Given<OrganizationDomain>>;
}

export const organizationDomainControls = (world: () => World): OrganizationDomainControls => ({
  verifyDomain: async (id, outcome = 'verified', reason) => settleVerification(world(), id, outcome, reason),
});
