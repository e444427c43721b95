import { array, nullable, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { PortalLinkGenerate } from '../../../service/portal.js';
import type { Visitor } from '../../server/visitor.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type World } from '../../world/world.js';
import { organizations } from '../organizations/records.js';

/** A link to the admin portal as the emulator stores it. */
export interface PortalLinkRecord {
  readonly id: string;
  readonly token: string;
  readonly organizationId: string;
  readonly intent: string;
  readonly returnUrl: string | null;
  readonly successUrl: string | null;
  readonly expiresAt: string;
  /** Browsers that have opened the link. */
  readonly visitorIds: readonly string[];
  /** Time until which those browsers may stay. */
  readonly visitsEndAt: string;
}

/** The links to the admin portal. */
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

/** Create a link to the admin portal of an organization. @throws {Refusal} 404 for an unknown organization. */
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

/**
 * Whether a browser may enter: it opens the link within five minutes, or did so before, because setup takes longer. Records the
 * browser.
 */
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

/** Path of the admin portal. */
export const portalPath = '/portal/launch';

/** URL of a link to the portal. */
export const portalUrlOf = (world: World, token: string): string => world.pageUrl(`${portalPath}?token=${token}`);
