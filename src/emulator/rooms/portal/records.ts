import { array, nullable, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { PortalLinkGenerate } from '../../../service/portal.js';
import type { Visitor } from '../../http/visitor.js';
import type { Stored } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { organizations } from '../organizations/records.js';

const portalLinkRecord = part({
  id: string,
  token: string,
  organizationId: string,
  intent: string,
  returnUrl: nullable(string),
  successUrl: nullable(string),
  expiresAt: timestamp,
  /** Browsers that have opened the link. */
  visitorIds: array(string),
  /** Time until which these browsers may use the portal. */
  visitsEndAt: timestamp,
});
/** A link to the admin portal as the emulator stores it. */
export interface PortalLinkRecord extends Stored<typeof portalLinkRecord> {}

/** The links to the admin portal. */
export const portalLinks = collection<PortalLinkRecord>({
  object: 'portal link',
  prefix: 'portal_link',
  unique: ['token'],
  publicToken: 'token',
  belongsTo: { organizationId: 'organization' },
  record: ref(portalLinkRecord),
});

const lifetimeMs = 5 * 60_000;
const visitMs = 60 * 60_000;

/** Create a link to the admin portal of an organization. @throws {EmulatorRefusal} 404 for an unknown organization. */
export function generatePortalLink(
  memory: Memory,
  { organization, intent, returnUrl, successUrl }: PortalLinkGenerate,
): PortalLinkRecord {
  const all = memory.of(portalLinks);
  dropSpent(memory, portalLinks, ({ visitsEndAt }) => memory.isPast(visitsEndAt));
  return all.insert({
    token: memory.ids.token(32),
    organizationId: memory.of(organizations).get(organization).id,
    intent,
    returnUrl: returnUrl ?? null,
    successUrl: successUrl ?? null,
    expiresAt: memory.fromNow(lifetimeMs),
    visitorIds: [],
    visitsEndAt: memory.fromNow(visitMs),
  });
}

/**
 * Check whether a browser may open the portal, and record it. A link can be opened for five minutes. A browser that has opened it
 * may return until `visitsEndAt`, because setup takes longer.
 */
export function mayEnter(
  memory: Memory,
  { id, visitorIds, expiresAt, visitsEndAt }: PortalLinkRecord,
  visitor: Visitor,
): boolean {
  if (visitorIds.some((visitorId) => visitor.hasStarted({ visitorId }))) return !memory.isPast(visitsEndAt);
  if (memory.isPast(expiresAt)) return false;
  memory.of(portalLinks).update(id, { visitorIds: [...visitorIds, visitor.id] });
  return true;
}

/** Path of the admin portal. */
export const portalPath = '/portal/launch';

/** Get the URL of a link to the portal. */
export const portalUrlOf = (memory: Memory, token: string): string => memory.pageUrl(`${portalPath}?token=${token}`);
