import { array, opaque, part, string } from '../../service/describe/define.js';
import { put } from '../../service/describe/operation.js';
import { control, type Methods } from '../server/control.js';
import { setCustomClaims } from './custom-claims.js';
import { setEntitlements, setOrganizationFeatureFlags, setUserFeatureFlags } from './features.js';

const newEntitlements = part({
  /** Slugs of what was paid for. */
  entitlements: array(string),
});
const newFeatureFlags = part({
  /** Slugs of the features that are on. */
  featureFlags: array(string),
});
const newCustomClaims = part({
  /** Values by the names of claims; texts may hold placeholders such as `{{ user.email }}`. */
  claims: opaque,
});

export const claimControls = {
  /**
   * Say what an organization has paid for, in place of what was said before: `entitlements` of the access tokens from now on.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  setEntitlements: control(
    put('/_emulator/organizations/:organization_id/entitlements', { body: newEntitlements }),
    ({ world }, organizationId, entitlements) => setEntitlements(world, organizationId, entitlements),
    { spread: ['entitlements'] },
  ),
  /**
   * Say which features are on in an organization: `feature_flags` of its members' access tokens from now on.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  setOrganizationFeatureFlags: control(
    put('/_emulator/organizations/:organization_id/feature_flags', { body: newFeatureFlags }),
    ({ world }, organizationId, featureFlags) => setOrganizationFeatureFlags(world, organizationId, featureFlags),
    { spread: ['featureFlags'] },
  ),
  /**
   * Say which features are on for a user, beside those of the organization: `feature_flags` of access tokens from now on.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  setUserFeatureFlags: control(
    put('/_emulator/users/:user_id/feature_flags', { body: newFeatureFlags }),
    ({ world }, userId, featureFlags) => setUserFeatureFlags(world, userId, featureFlags),
    { spread: ['featureFlags'] },
  ),
  /**
   * Add claims to the access tokens from now on, in place of those that were added before. Texts may hold placeholders of
   * user, organization and organization_membership, `{{ organization.metadata.plan || 'free' }}`; one that stands alone
   * becomes the value itself. The claims may have 16,384 characters as JSON.
   *
   * @throws {Refusal} 422 `reserved_claim` for iss, sub, exp, iat, nbf and jti, `invalid_placeholder`, `out_of_range`.
   */
  setCustomClaims: control(
    put('/_emulator/custom_claims', { body: newCustomClaims }),
    ({ world }, claims) => setCustomClaims(world, claims),
    { spread: ['claims'] },
  ),
};

/** What somebody sets in the dashboard about the claims of access tokens. */
export interface ClaimControls extends Methods<typeof claimControls> {}
