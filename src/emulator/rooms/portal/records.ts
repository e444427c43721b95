import { array, nullable, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { PortalLinkGenerate } from '../../../service/portal.js';
import type { Visitor } from '../../server/visitor.js';
import { dropSpent } from '../../world/expired.js';
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
  /** The browsers that have followed the link. */
  readonly visitorIds: readonly string[];
  /** How long these may stay. */
  readonly visitsEndAt: string;
}

/** The ways into the admin portal. */
export const portalLinks = collection<PortalLinkRecord>({
  object: 'portal link',
  prefix: 'portal_link',
  unique: ['token'],
  index: ['organizationId'],
  record: ref<PortalLinkRecord>(
    part({
      id: string,
      token: string,
      organizationId: string,
      intent: string,
      returnUrl: nullable(string),
      successUrl: nullable(string),
      expiresAt: timestamp,
      visitorIds: array(string),
      visitsEndAt: timestamp,
    }),
  ),
});

const lifetimeMs = 5 * 60_000;
const visitMs = 60 * 60_000;

/** Open the admin portal for an organization. @throws {Refusal} 404 for an unknown organization. */
export function generatePortalLink(
  world: World,
  { organization, intent, returnUrl, successUrl }: PortalLinkGenerate,
): PortalLinkRecord {
  const all = world.of(portalLinks);
  dropSpent(all, ({ visitsEndAt }) => world.isPast(visitsEndAt));
  return all.insert({
    token: world.ids.token(32),
    organizationId: world.of(organizations).get(organization).id,
    intent,
    returnUrl: returnUrl ?? null,
    successUrl: successUrl ?? null,
    expiresAt: world.fromNow(lifetimeMs),
    visitorIds: [],
    visitsEndAt: world.fromNow(visitMs),
  });
}

/** Let a browser in that follows a link in time, or has done so before: to set something up takes longer than five minutes. */
export function mayEnter(
  world: World,
  { id, visitorIds, expiresAt, visitsEndAt }: PortalLinkRecord,
  visitor: Visitor,
): boolean {
  if (visitorIds.some((visitorId) => visitor.began({ visitorId }))) return !world.isPast(visitsEndAt);
  if (world.isPast(expiresAt)) return false;
  world.of(portalLinks).update(id, { visitorIds: [...visitorIds, visitor.id] });
  return true;
}

/** Where the portal is. */
export const portalPath = '/portal/launch';

/** Where a way into the portal leads. */
export const portalUrlOf = (world: World, token: string): string => world.pageUrl(`${portalPath}?token=${token}`);
