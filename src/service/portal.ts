import { body, type Fields, idOf, open, optional, part, secret, url } from './describe/define.js';
import { post, room } from './describe/operation.js';

export const portalLink = part({
  /** Address of the portal, good for five minutes: whoever has it may administer the organization's settings. */
  link: secret(url),
});
/** A way into the admin portal. */
export interface PortalLink extends Fields<typeof portalLink> {}

export const portalLinkGenerate = body({
  /** Organization whose administrator follows the link. */
  organization: idOf('/organizations'),
  /** What there is to set up. */
  intent: open<
    | 'sso'
    | 'dsync'
    | 'audit_logs'
    | 'log_streams'
    | 'domain_verification'
    | 'certificate_renewal'
    | 'bring_your_own_key'
  >(),
  /** Where the portal's back link leads. */
  returnUrl: optional(url),
  /** Where the administrator arrives when done. */
  successUrl: optional(url),
});
/** What `generateLink` takes. */
export interface PortalLinkGenerate extends Fields<typeof portalLinkGenerate> {}

export const portal = room('portal', 'portal', {
  generateLink: post('/portal/generate_link', {
    body: portalLinkGenerate,
    returns: portalLink,
  }),
});
