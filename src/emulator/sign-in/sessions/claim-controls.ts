import { array, body, opaque, part, string } from '../../../service/describe/define.js';
import { put } from '../../../service/describe/operation.js';
import type { EntitlementName, FeatureName } from '../../../service/sallyport-types.js';
import { control } from '../../http/control.js';
import { setCustomClaims } from './custom-claims.js';
import { setEntitlements, setOrganizationFeatureFlags, setUserFeatureFlags } from './features.js';

const newEntitlements = body({
  /** Entitlement slugs. */
  entitlements: array<EntitlementName>(string),
});
const newFeatureFlags = body({
  /** Slugs of the enabled features. */
  featureFlags: array<FeatureName>(string),
});
const newCustomClaims = part({
  /** Claims by name; strings may contain placeholders such as `{{ user.email }}`. */
  claims: opaque,
});

/** Controls for claims of access tokens, which are set in the dashboard. */
export const claimControls = {
  /**
   * Replace the entitlements of an organization. New access tokens contain them as `entitlements`.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  setEntitlements: control(
    put('/_emulator/organizations/:organization_id/entitlements', { body: newEntitlements }),
    ({ memory }, organizationId, entitlements) => setEntitlements(memory, organizationId, entitlements),
    { positional: ['entitlements'] },
  ),
  /**
   * Replace the enabled features of an organization. New access tokens of its members contain them in `feature_flags`.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  setOrganizationFeatureFlags: control(
    put('/_emulator/organizations/:organization_id/feature_flags', { body: newFeatureFlags }),
    ({ memory }, organizationId, featureFlags) => setOrganizationFeatureFlags(memory, organizationId, featureFlags),
    { positional: ['featureFlags'] },
  ),
  /**
   * Replace the enabled features of a user, in addition to those of the organization. New access tokens contain both in
   * `feature_flags`.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  setUserFeatureFlags: control(
    put('/_emulator/users/:user_id/feature_flags', { body: newFeatureFlags }),
    ({ memory }, userId, featureFlags) => setUserFeatureFlags(memory, userId, featureFlags),
    { positional: ['featureFlags'] },
  ),
  /**
   * Replace the custom claims of new access tokens. Strings may contain placeholders for user, organization and
   * organization_membership, such as `{{ organization.metadata.plan || 'free' }}`. A string that is only a placeholder
   * becomes the value itself, with its type. At most 16,384 characters as JSON.
   *
   * @throws {EmulatorRefusal} 422 `reserved_claim` for iss, sub, exp, iat, nbf and jti, `invalid_placeholder`, `out_of_range`.
   */
  setCustomClaims: control(
    put('/_emulator/custom_claims', { body: newCustomClaims }),
    ({ memory }, claims) => setCustomClaims(memory, claims),
    { positional: ['claims'] },
  ),
};
