import { membershipOf } from '../../rooms/memberships/records.js';
import { roleFor } from '../../rooms/organizations/roles.js';
import type { World } from '../../world/world.js';
import { signingKeys } from '../keys/signing-keys.js';
import { customClaimsOf } from './custom-claims.js';
import { featureClaims } from './features.js';
import type { SessionRecord } from './sessions.js';

/** Get the issuer of a world's access tokens, for the claim `iss`. */
export const issuerOf = (world: World): string =>
  world.settings.issuer ?? world.url(`/user_management/${world.settings.clientId}`);

/** Sign an access token for a session. The token expires after `accessTokenLifetimeMs` of the settings. */
export async function signAccessToken(world: World, session: SessionRecord): Promise<string> {
  const now = Math.floor(world.clock.now() / 1_000);
  const { id, userId, organizationId, clientId, impersonator, authenticatedAt } = session;
  return world.of(signingKeys).sign({
    // Custom claims are first, so that they cannot override the service's claims.
    ...customClaimsOf(world, userId, organizationId),
    iss: issuerOf(world),
    sub: userId,
    ...(impersonator === null ? {} : { act: { sub: impersonator.email } }),
    ...(organizationId === null ? {} : placeOf(world, userId, organizationId)),
    ...featureClaims(world, userId, organizationId),
    sid: id,
    jti: world.ids.token(26),
    client_id: clientId,
    auth_time: Math.floor(authenticatedAt / 1_000),
    iat: now,
    exp: now + world.settings.accessTokenLifetimeMs / 1_000,
  });
}

/** Build the claims about the user's membership in an organization. */
function placeOf(world: World, userId: string, organizationId: string): Record<string, unknown> {
  const slug = membershipOf(world, userId, organizationId)?.roleSlug;
  if (slug === undefined) return { org_id: organizationId };
  const permissions = roleFor(world, slug, organizationId)?.permissions ?? [];
  return { org_id: organizationId, role: slug, roles: [slug], permissions };
}
