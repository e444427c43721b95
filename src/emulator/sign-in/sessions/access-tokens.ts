import { membershipOf } from '../../rooms/memberships/records.js';
import { roleFor } from '../../rooms/organizations/roles.js';
import type { Memory } from '../../world/memory.js';
import { issuerOf, signingKeys } from '../keys/signing-keys.js';
import { customClaimsOf } from './custom-claims.js';
import { featureClaims } from './features.js';
import type { SessionRecord } from './sessions.js';

/** Sign an access token for a session. The token expires after `accessTokenLifetimeMs` of the settings. */
export async function signAccessToken(memory: Memory, session: SessionRecord): Promise<string> {
  const now = Math.floor(memory.clock.now() / 1_000);
  const { id, userId, organizationId, clientId, impersonator, authenticatedAt } = session;
  return memory.of(signingKeys).sign({
    // Custom claims are first, so that they cannot override the service's claims.
    ...customClaimsOf(memory, userId, organizationId),
    iss: issuerOf(memory),
    sub: userId,
    ...(impersonator === null ? {} : { act: { sub: impersonator.email } }),
    ...(organizationId === null ? {} : placeOf(memory, userId, organizationId)),
    ...featureClaims(memory, userId, organizationId),
    sid: id,
    jti: memory.ids.token(26),
    client_id: clientId,
    auth_time: Math.floor(authenticatedAt / 1_000),
    iat: now,
    exp: now + memory.settings.accessTokenLifetimeMs / 1_000,
  });
}

/** Build the claims about the user's membership in an organization. */
function placeOf(memory: Memory, userId: string, organizationId: string): Record<string, unknown> {
  const roles = membershipOf(memory, userId, organizationId)?.roleSlugs;
  if (roles === undefined) return { org_id: organizationId };
  const permissions = new Set(roles.flatMap((slug) => roleFor(memory, slug, organizationId)?.permissions ?? []));
  return { org_id: organizationId, role: roles[0], roles, permissions: [...permissions] };
}
