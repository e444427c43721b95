import { html } from '../../http/html.js';
import {
  activateConnection,
  type ConnectionRecord,
  connections,
  createConnection,
} from '../../rooms/connections/records.js';
import { notFound } from '../../store/refusal.js';
import { submit } from '../forms.js';
import { inWords, listOf, type PortalSection, type PortalVisit } from './portal-section.js';

/** Identity providers to choose from, by connection type. */
const providers: Readonly<Record<string, string>> = {
  OktaSAML: 'Okta',
  EntraIdOIDC: 'Microsoft Entra ID',
  GoogleSAML: 'Google Workspace',
  GenericSAML: 'Other (SAML)',
  GenericOIDC: 'Other (OpenID Connect)',
};

/** Lifetime of a renewed certificate: 365 days. */
const certificateMs = 365 * 24 * 3_600_000;

const connectionsOf = ({ memory, organization }: PortalVisit): readonly ConnectionRecord[] =>
  memory.of(connections).where('organizationId', organization.id).values();

/** Find a connection of the organization. @throws {EmulatorRefusal} 404 if it belongs to another organization. */
function requireConnection(visit: PortalVisit, id: string): ConnectionRecord {
  const connection = connectionsOf(visit).find((one) => one.id === id);
  if (!connection) throw notFound('connection of this organization', id);
  return connection;
}

/** Single sign-on. A new connection is a draft. The administrator activates it after registering it at the identity provider. */
export const connectionsSection: PortalSection = {
  title: 'Set up single sign-on',
  render: (visit) => html`${listOf(
    connectionsOf(visit).map(
      ({ id, name, connectionType, state }) => html`<h2>${name}</h2>
<p class="quiet">${connectionType}: ${inWords(state)}</p>
${
  state === 'active'
    ? undefined
    : html`<p>With a real identity provider, you would register this service there now. The emulator's stand-in needs no registration.</p>
${visit.form(submit(html`Activate connection<span class="unseen"> ${name}, ${connectionType}</span>`, { name: 'activate', value: id }))}`
}`,
    ),
    html`<p>Let your members sign in with your company's identity provider. Which one do you use?</p>`,
  )}
${connectionsOf(visit).length > 0 ? html`<h2>Connect another identity provider</h2>` : undefined}
${visit.form(
  html`<div class="stack">${Object.entries(providers).map(([type, label]) =>
    submit(html`${label} <small>${type}</small>`, { name: 'connect', value: type, look: 'second choice' }),
  )}</div>`,
)}`,
  actions: {
    connect({ memory, organization }, type) {
      if (!Object.hasOwn(providers, type)) throw notFound('identity provider', type, 'type');
      createConnection(memory, { organizationId: organization.id, connectionType: type, state: 'draft' });
      return 'more';
    },
    activate(visit, id) {
      activateConnection(visit.memory, requireConnection(visit, id).id);
      return 'done';
    },
  },
  isSetUp: (visit) => connectionsOf(visit).some(({ state }) => state === 'active'),
};

const saml = (visit: PortalVisit) =>
  connectionsOf(visit).filter(({ connectionType }) => connectionType.endsWith('SAML'));

/** Certificates of SAML connections. The emulator does not store certificates, so renewing one only emits an event. */
export const certificatesSection: PortalSection = {
  title: 'Renew a certificate',
  render: (visit) =>
    listOf(
      saml(visit).map(
        ({ id, name, connectionType }) => html`<h2>${name}</h2>
<p class="quiet">${connectionType}</p>
${visit.form(submit(html`Renew certificate<span class="unseen"> of ${name}, ${connectionType}</span>`, { name: 'renew', value: id }))}`,
      ),
      html`<p>This organization has no SAML connections, so it has no certificates.</p>`,
    ),
  actions: {
    renew(visit, id) {
      const { memory } = visit;
      const { organizationId } = requireConnection(visit, id);
      memory.emit('connection.saml_certificate_renewed', {
        connection: { id, organizationId },
        certificate: {
          certificateType: 'ResponseSigning',
          expiryDate: memory.fromNow(certificateMs),
          isExpired: false,
        },
        renewedAt: memory.now,
      });
      return 'done';
    },
  },
  isSetUp: () => false,
};
