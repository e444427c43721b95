import { array, string } from '../../../service/describe/define.js';
import { organizations } from '../../rooms/organizations/records.js';
import { users } from '../../rooms/users/records.js';
import { type Memory, table } from '../../world/memory.js';

/** Entitlements by organization id. */
const entitlements = table<readonly string[]>('entitlements', array(string));

/** Enabled features by organization id or user id. */
const featureFlags = table<readonly string[]>('feature flags', array(string));

/** Replace the entitlements of an organization. @throws {EmulatorRefusal} 404. */
export function setEntitlements(memory: Memory, organizationId: string, slugs: readonly string[]): void {
  memory.of(entitlements).set(memory.of(organizations).get(organizationId).id, slugs);
}

/** Replace the enabled features of an organization. @throws {EmulatorRefusal} 404. */
export function setOrganizationFeatureFlags(memory: Memory, organizationId: string, slugs: readonly string[]): void {
  memory.of(featureFlags).set(memory.of(organizations).get(organizationId).id, slugs);
}

/** Replace the enabled features of a user. They apply in every organization. @throws {EmulatorRefusal} 404. */
export function setUserFeatureFlags(memory: Memory, userId: string, slugs: readonly string[]): void {
  memory.of(featureFlags).set(memory.of(users).get(userId).id, slugs);
}

/** List the entitlements of an organization. */
export const entitlementsOf = (memory: Memory, organizationId: string): readonly string[] =>
  memory.of(entitlements).get(organizationId) ?? [];

/** List the enabled features of an organization or a user. */
export const featureFlagsOf = (memory: Memory, id: string): readonly string[] => memory.of(featureFlags).get(id) ?? [];

/** Build the access token claims for entitlements and enabled features. Empty lists are left out. */
export function featureClaims(memory: Memory, userId: string, organizationId: string | null): Record<string, unknown> {
  const paid = entitlementsOf(memory, organizationId ?? '');
  const on = new Set([organizationId ?? '', userId].flatMap((id) => featureFlagsOf(memory, id)));
  return {
    ...(paid.length > 0 && { entitlements: paid }),
    ...(on.size > 0 && { feature_flags: [...on] }),
  };
}

/** Delete the entitlements and features of an organization or a user. */
export function dropFeaturesOf(memory: Memory, id: string): void {
  for (const kind of [entitlements, featureFlags]) memory.of(kind).delete(id);
}
