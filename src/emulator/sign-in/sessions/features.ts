import { array, string } from '../../../service/describe/define.js';
import { organizations } from '../../rooms/organizations/records.js';
import { users } from '../../rooms/users/records.js';
import { table, type World } from '../../world/world.js';

/** Entitlements by organization id. */
const entitlements = table<readonly string[]>('entitlements', array(string));

/** Enabled features by organization id or user id. */
const featureFlags = table<readonly string[]>('feature flags', array(string));

/** Replace the entitlements of an organization. @throws {Refusal} 404. */
export function setEntitlements(world: World, organizationId: string, slugs: readonly string[]): void {
  world.of(entitlements).set(world.of(organizations).get(organizationId).id, slugs);
}

/** Replace the enabled features of an organization. @throws {Refusal} 404. */
export function setOrganizationFeatureFlags(world: World, organizationId: string, slugs: readonly string[]): void {
  world.of(featureFlags).set(world.of(organizations).get(organizationId).id, slugs);
}

/** Replace the enabled features of a user. They apply in every organization. @throws {Refusal} 404. */
export function setUserFeatureFlags(world: World, userId: string, slugs: readonly string[]): void {
  world.of(featureFlags).set(world.of(users).get(userId).id, slugs);
}

/** List the entitlements of an organization. */
export const entitlementsOf = (world: World, organizationId: string): readonly string[] =>
  world.of(entitlements).get(organizationId) ?? [];

/** List the enabled features of an organization or a user. */
export const featureFlagsOf = (world: World, id: string): readonly string[] => world.of(featureFlags).get(id) ?? [];

/** Build the access token claims for entitlements and enabled features. Empty lists are left out. */
export function featureClaims(world: World, userId: string, organizationId: string | null): Record<string, unknown> {
  const paid = entitlementsOf(world, organizationId ?? '');
  const on = new Set([organizationId ?? '', userId].flatMap((id) => featureFlagsOf(world, id)));
  return {
    ...(paid.length > 0 && { entitlements: paid }),
    ...(on.size > 0 && { feature_flags: [...on] }),
  };
}

/** Delete the entitlements and features of an organization or a user. */
export function dropFeaturesOf(world: World, id: string): void {
  for (const kind of [entitlements, featureFlags]) world.of(kind).delete(id);
}
