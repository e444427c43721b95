import { body, oneOf, optional, ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { type OrganizationDomain, organizationDomain } from '../../../service/organization-domains.js';
import { control, type Methods } from '../../server/control.js';
import { settleVerification, type VerificationFailure } from './domains.js';

const verification = body({
  /** What the DNS check comes to; `verified` when not given. */
  outcome: optional(oneOf('verified', 'failed')),
  /** Why it failed, which the event says; `domain_verification_period_expired` when not given. */
  reason: optional(
    oneOf<VerificationFailure>('domain_verification_period_expired', 'domain_verified_by_other_organization'),
  ),
});

export const organizationDomainControls = {
  /**
   * End the verification of a pending domain, as the DNS check would; `verified` by default.
   *
   * @throws {Refusal} `entity_not_found`, or `domain_not_pending`.
   */
  verifyDomain: control(
    post('/_emulator/organization_domains/:id/verify', {
      body: verification,
      returns: ref<OrganizationDomain>(organizationDomain),
    }),
    ({ world }, id, outcome: 'verified' | 'failed' = 'verified', reason?: VerificationFailure) =>
      settleVerification(world, id, outcome, reason),
    { positional: ['outcome', 'reason'] },
  ),
};

/** What the DNS does. */
export interface OrganizationDomainControls extends Methods<typeof organizationDomainControls> {}
