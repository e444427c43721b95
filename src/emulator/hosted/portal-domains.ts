import {
  claimDomain,
  isVerified,
  type OrganizationDomainRecord,
  organizationDomains,
  settleVerification,
  startVerification,
} from '../rooms/organizations/domains.js';
import { type Html, html } from '../server/html.js';
import { notFound } from '../world/refusal.js';
import { fieldText, submit } from './forms.js';
import { inWords, listOf, type PortalSection, type PortalVisit } from './portal-section.js';

const own = ({ world, organization }: PortalVisit): readonly OrganizationDomainRecord[] =>
  world.of(organizationDomains).where('organizationId', organization.id).values();

/** A domain of the organization that is not verified yet. @throws {Refusal} 404 for any other organization's. */
function pendingDomain(visit: PortalVisit, id: string): OrganizationDomainRecord {
  if (!own(visit).some((domain) => domain.id === id)) throw notFound('domain of this organization', id);
  return startVerification(visit.world, id);
}

/** Domain verification. No DNS is asked: whoever is at the page says what it would answer. */
export const domainsSection: PortalSection = {
  title: 'Verify a domain',
  show: (visit, fields) => html`${listOf(
    own(visit).map(
      (domain) => html`<h2>${domain.domain}</h2>
<p class="quiet">${inWords(domain.state)}</p>
${isVerified(domain) ? undefined : steps(visit, domain)}`,
    ),
    html`<p>Say which domain the email addresses of your people are in.</p>`,
  )}
${own(visit).length > 0 ? html`<h2>Add another domain</h2>` : undefined}
${visit.form(
  html`${fields.field({
    name: 'domain',
    label: 'Domain',
    value: fieldText(visit.body, 'domain'),
    hint: 'Such as acme.test.',
    autocomplete: 'off',
    first: own(visit).length === 0,
  })}
${submit('Add the domain', { name: 'add', value: 'domain' })}`,
)}`,
  actions: {
    add({ world, organization, body }) {
      claimDomain(world, organization.id, fieldText(body, 'domain'));
      return 'more';
    },
    check(visit, id) {
      const domain = pendingDomain(visit, id);
      if (!isVerified(domain)) settleVerification(visit.world, id, 'verified');
      return 'done';
    },
    miss(visit, id) {
      const domain = pendingDomain(visit, id);
      if (!isVerified(domain)) settleVerification(visit.world, id, 'failed');
      return 'more';
    },
  },
  isSetUp: (visit) => own(visit).some(isVerified),
};

const steps = (visit: PortalVisit, { id, domain, verificationToken }: OrganizationDomainRecord): Html =>
  html`<p>Publish this as a TXT record of <strong>${domain}</strong>, then have it checked. The emulator asks no DNS: the check finds the record.</p>
<code class="secret">${verificationToken ?? ''}</code>
${visit.form(submit(html`Check the record<span class="unseen"> of ${domain}</span>`, { name: 'check', value: id }))}
<details>
<summary>Let it go wrong<span class="unseen"> with ${domain}</span></summary>
${visit.form(submit(html`The record is not there <small>verification_failed</small>`, { name: 'miss', value: id, look: 'second choice' }))}
</details>`;
