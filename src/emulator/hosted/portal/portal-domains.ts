import { type Html, html } from '../../http/html.js';
import {
  claimDomain,
  finishVerification,
  isVerified,
  type OrganizationDomainRecord,
  organizationDomains,
  startVerification,
} from '../../rooms/organizations/domains.js';
import { notFound } from '../../store/refusal.js';
import { fieldText, submit } from '../forms.js';
import { inWords, listOf, type PortalSection, type PortalVisit } from './portal-section.js';

const domainsOf = ({ memory, organization }: PortalVisit): readonly OrganizationDomainRecord[] =>
  memory.of(organizationDomains).where('organizationId', organization.id).values();

/** Find a domain of the organization, and start its verification. @throws {EmulatorRefusal} 404 if it belongs to another organization. */
function pendingDomain(visit: PortalVisit, id: string): OrganizationDomainRecord {
  if (!domainsOf(visit).some((domain) => domain.id === id)) throw notFound('domain of this organization', id);
  return startVerification(visit.memory, id);
}

/** Domain verification. The emulator does not query DNS: the administrator chooses on the page whether the record exists. */
export const domainsSection: PortalSection = {
  title: 'Verify a domain',
  render: (visit, fields) => html`${listOf(
    domainsOf(visit).map(
      (domain) => html`<h2>${domain.domain}</h2>
<p class="quiet">${inWords(domain.state)}</p>
${isVerified(domain) ? undefined : steps(visit, domain)}`,
    ),
    html`<p>Add the domain of your members' email addresses.</p>`,
  )}
${domainsOf(visit).length > 0 ? html`<h2>Add another domain</h2>` : undefined}
${visit.form(
  html`${fields.field({
    name: 'domain',
    label: 'Domain',
    value: fieldText(visit.body, 'domain'),
    hint: 'For example, acme.test.',
    autocomplete: 'off',
    first: domainsOf(visit).length === 0,
  })}
${submit('Add domain', { name: 'add', value: 'domain' })}`,
)}`,
  actions: {
    add({ memory, organization, body }) {
      claimDomain(memory, organization.id, fieldText(body, 'domain'));
      return 'more';
    },
    check(visit, id) {
      const domain = pendingDomain(visit, id);
      if (!isVerified(domain)) finishVerification(visit.memory, id, 'verified');
      return 'done';
    },
    miss(visit, id) {
      const domain = pendingDomain(visit, id);
      if (!isVerified(domain)) finishVerification(visit.memory, id, 'failed');
      return 'more';
    },
  },
  isSetUp: (visit) => domainsOf(visit).some(isVerified),
};

const steps = (visit: PortalVisit, { id, domain, verificationToken }: OrganizationDomainRecord): Html =>
  html`<p>Publish this TXT record for <strong>${domain}</strong>, then check it. The emulator does not query DNS: the check always succeeds.</p>
<code class="secret">${verificationToken ?? ''}</code>
${visit.form(submit(html`Check record<span class="unseen"> of ${domain}</span>`, { name: 'check', value: id }))}
<details>
<summary>Simulate a failure<span class="unseen"> for ${domain}</span></summary>
${visit.form(submit(html`The record is not there <small>verification_failed</small>`, { name: 'miss', value: id, look: 'second choice' }))}
</details>`;
