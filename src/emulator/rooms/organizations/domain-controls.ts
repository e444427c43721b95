import { body, oneOf, optional, ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { type OrganizationDomain, organizationDomain } from '../../../service/organization-domains.js';
import { control } from '../../http/control.js';
import { finishVerification, type VerificationFailure } from './domains.js';

const verification = body({
  /** Result of the DNS check; default `verified`. */
  outcome: optional(oneOf('verified', 'failed')),
  /** Reason of the failure in the event; default `domain_verification_period_expired`. */
  reason: optional(
    oneOf<VerificationFailure>('domain_verification_period_expired', 'domain_verified_by_other_organization'),
  ),
});

/** Controls for domain verification. */
export const organizationDomainControls = {
  /**
   * Finish the verification of a pending domain as the DNS check would, by default as `verified`.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `domain_not_pending`.
   */
  verifyDomain: control(
    post('/_emulator/organization_domains/:id/verify', {
      body: verification,
      returns: ref<OrganizationDomain>(organizationDomain),
    }),
    ({ memory }, id, outcome: 'verified' | 'failed' = 'verified', reason?: VerificationFailure) =>
      finishVerification(memory, id, outcome, reason),
    { positional: ['outcome', 'reason'] },
  ),
};
