import { body, type Fields, idOf, open, optional, part, secret, url } from './describe/define.js';
import { post, room } from './describe/operation.js';

export const portalLink = part({
  /** URL of the portal, valid for five minutes. Anyone who opens it can change the organization's settings. */
  link: secret(url),
});
/** A link to the admin portal. */
export interface PortalLink extends Fields<typeof portalLink> {}

export const portalLinkGenerate = body({
  /** Id of the organization to administer, prefix `org_`. */
  organization: idOf('/organizations'),
  /** Feature to set up. */
  intent: open<
    | 'sso'
    | 'dsync'
    | 'audit_logs'
    | 'log_streams'
    | 'domain_verification'
    | 'certificate_renewal'
    | 'bring_your_own_key'
  >(),
  /** URL of the portal's back link. */
  returnUrl: optional(url),
  /** URL that the administrator is redirected to when done. */
  successUrl: optional(url),
});
/** Parameters of `generateLink`. */
export interface PortalLinkGenerate extends Fields<typeof portalLinkGenerate> {}

export const portal = room('portal', 'portal', {
  generateLink: post('/portal/generate_link', {
    body: portalLinkGenerate,
    returns: portalLink,
  }),
});
