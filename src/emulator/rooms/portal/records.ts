import type { PortalLinkGenerate } from '../../../service/portal.js';
import { collection, type World } from '../../world/world.js';
import { organizations } from '../organizations/records.js';

/** A way into the admin portal as the emulator stores it. */
export interface PortalLinkRecord {
  readonly id: string;
  /** What the link is recognized by. */
  readonly token: string;
  readonly organizationId: string;
  readonly intent: string;
  readonly returnUrl: string | null;
  readonly successUrl: string | null;
  readonly expiresAt: string;
}

/** The ways into the admin portal. */
export const portalLinks = collection<PortalLinkRecord>({
  object: 'portal link',
  prefix: 'portal_link',
  unique: ['token'],
  index: ['organizationId'],
});

const lifetimeMs = 5 * 60_000;

/** Open the admin portal for an organization. @throws {Refusal} 404 for an unknown organization. */
export function generatePortalLink(
  world: World,
  { organization, intent, returnUrl, successUrl }: PortalLinkGenerate,
): PortalLinkRecord {
  return world.of(portalLinks).insert({
    token: world.ids.token(32),
    organizationId: world.of(organizations).get(organization).id,
    intent,
    returnUrl: returnUrl ?? null,
    successUrl: successUrl ?? null,
    expiresAt: world.fromNow(lifetimeMs),
  });
}

/** Where a way into the portal leads. */
export const portalUrlOf = (world: World, token: string): string => world.url(`/portal/launch?token=${token}`);
