import { organizations } from '../rooms/organizations/records.js';
import { portalLinks } from '../rooms/portal/records.js';
import { errorPage } from '../server/error-page.js';
import { html, link, page } from '../server/html.js';
import type { Router } from '../server/router.js';

/** What an administrator comes for, in words. */
const intents: Readonly<Record<string, string>> = {
  sso: 'single sign-on',
  dsync: 'directory sync',
  audit_logs: 'audit logs',
  log_streams: 'log streams',
  domain_verification: 'domain verification',
  certificate_renewal: 'the renewal of a certificate',
  bring_your_own_key: 'a key of its own',
};

/** The page behind a portal link: says who came for what. Nothing is set up here. */
export function portalPage(router: Router): void {
  router.page('GET', '/portal/launch', ({ world, query }) => {
    const portalLink = world.of(portalLinks).by('token', query.get('token') ?? '');
    if (!portalLink) return errorPage(404, 'No such portal link', 'Check that the link is complete.');
    const { organizationId, intent, returnUrl, successUrl, expiresAt } = portalLink;
    if (world.isPast(expiresAt))
      return errorPage(410, 'This portal link has expired', 'Portal links work for five minutes. Generate a new one.');
    const { name } = world.of(organizations).get(organizationId);
    const purpose = Object.hasOwn(intents, intent) ? intents[intent] : intent;
    return page(
      200,
      `Admin portal of ${name}`,
      html`<p>This link lets an administrator of <strong>${name}</strong> set up <strong>${purpose}</strong>. It works until ${expiresAt}.</p>
<p>The emulator shows this page so that the link can be followed; there is nothing to fill in. What it would set up comes from the seed.</p>
${successUrl === null ? undefined : html`<p>${link(successUrl, 'Done')}</p>`}
${returnUrl === null ? undefined : html`<p>${link(returnUrl, 'Back')}</p>`}`,
    );
  });
}
