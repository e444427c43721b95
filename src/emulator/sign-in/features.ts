import { array, string } from '../../service/describe/define.js';
import { organizations } from '../rooms/organizations/records.js';
import { users } from '../rooms/users/records.js';
import { table, type World } from '../world/world.js';

/** What organizations have paid for, by their ids. */
const entitlements = table<readonly string[]>('entitlements', array(string));

/** The features that are switched on, by the ids of organizations and users. */
const featureFlags = table<readonly string[]>('feature flags', array(string));

/** Set what an organization has paid for. @throws {Refusal} 404. */
export function setEntitlements(world: World, organizationId: string, slugs: readonly string[]): void {
  world.of(entitlements).set(world.of(organizations).get(organizationId).id, slugs);
}

/** Set the features that are switched on for an organization. @throws {Refusal} 404. */
export function setOrganizationFeatureFlags(world: World, organizationId: string, slugs: readonly string[]): void {
  world.of(featureFlags).set(world.of(organizations).get(organizationId).id, slugs);
}

/** Set the features that are switched on for a user, wherever the user has signed in to. @throws {Refusal} 404. */
export function setUserFeatureFlags(world: World, userId: string, slugs: readonly string[]): void {
  world.of(featureFlags).set(world.of(users).get(userId).id, slugs);
}

/** What an organization has paid for. */
export const entitlementsOf = (world: World, organizationId: string): readonly string[] =>
  world.of(entitlements).get(organizationId) ?? [];

/** The features that are switched on for an organization, or for a user. */
export const featureFlagsOf = (world: World, id: string): readonly string[] => world.of(featureFlags).get(id) ?? [];

/** What a token says of what was paid for and is switched on; nothing where there is nothing to say. */
export function featureClaims(world: World, userId: string, organizationId: string | null): Record<string, unknown> {
  const paid = entitlementsOf(world, organizationId ?? '');
  const on = new Set([organizationId ?? '', userId].flatMap((id) => featureFlagsOf(world, id)));
  return {
    ...(paid.length > 0 && { entitlements: paid }),
    ...(on.size > 0 && { feature_flags: [...on] }),
  };
}

/** What goes with an organization or a user: its entitlements and features. */
export function dropFeaturesOf(world: World, id: string): void {
  for (const kind of [entitlements, featureFlags]) world.of(kind).delete(id);
}
