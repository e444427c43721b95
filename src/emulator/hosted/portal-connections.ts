import {
  activateConnection,
  type ConnectionRecord,
  connections,
  createConnection,
} from '../rooms/connections/records.js';
import { html } from '../server/html.js';
import { notFound } from '../world/refusal.js';
import { submit } from './forms.js';
import { inWords, listOf, type PortalSection, type PortalVisit } from './portal-section.js';

/** The identity providers to choose among, by the type of the connection. */
const providers: Readonly<Record<string, string>> = {
  OktaSAML: 'Okta',
  EntraIdOIDC: 'Microsoft Entra ID',
  GoogleSAML: 'Google Workspace',
  GenericSAML: 'Another one, by SAML',
  GenericOIDC: 'Another one, by OpenID Connect',
};

/** How long a new certificate works. */
const certificateMs = 365 * 24 * 3_600_000;

const own = ({ world, organization }: PortalVisit): readonly ConnectionRecord[] =>
  world.of(connections).where('organizationId', organization.id).values();

/** A connection of the organization. @throws {Refusal} 404 for any other. */
function ownConnection(visit: PortalVisit, id: string): ConnectionRecord {
  const connection = own(visit).find((one) => one.id === id);
  if (!connection) throw notFound('connection of this organization', id);
  return connection;
}

/** Single sign-on: a connection is made as a draft, and activated once the identity provider knows of it. */
export const connectionsSection: PortalSection = {
  title: 'Set up single sign-on',
  show: (visit) => html`${listOf(
    own(visit).map(
      ({ id, name, connectionType, state }) => html`<h2>${name}</h2>
<p class="quiet">${connectionType}: ${inWords(state)}</p>
${
  state === 'active'
    ? undefined
    : html`<p>At a real identity provider you would now register this service. The stand-in of the emulator knows it already.</p>
${visit.form(submit(html`Activate the connection<span class="unseen"> ${name}, ${connectionType}</span>`, { name: 'activate', value: id }))}`
}`,
    ),
    html`<p>Your people sign in where they sign in to everything else. Which identity provider is that?</p>`,
  )}
${own(visit).length > 0 ? html`<h2>Connect another identity provider</h2>` : undefined}
${visit.form(
  html`<div class="stack">${Object.entries(providers).map(([type, label]) =>
    submit(html`${label} <small>${type}</small>`, { name: 'connect', value: type, look: 'second choice' }),
  )}</div>`,
)}`,
  actions: {
    connect({ world, organization }, type) {
      if (!Object.hasOwn(providers, type)) throw notFound('identity provider', type, 'type');
      createConnection(world, { organizationId: organization.id, connectionType: type, state: 'draft' });
      return 'more';
    },
    activate(visit, id) {
      activateConnection(visit.world, ownConnection(visit, id).id);
      return 'done';
    },
  },
  isSetUp: (visit) => own(visit).some(({ state }) => state === 'active'),
};

const saml = (visit: PortalVisit) => own(visit).filter(({ connectionType }) => connectionType.endsWith('SAML'));

/** The certificates of SAML connections: nothing is remembered of them but the event. */
export const certificatesSection: PortalSection = {
  title: 'Renew a certificate',
  show: (visit) =>
    listOf(
      saml(visit).map(
        ({ id, name, connectionType }) => html`<h2>${name}</h2>
<p class="quiet">${connectionType}</p>
${visit.form(submit(html`Renew the certificate<span class="unseen"> of ${name}, ${connectionType}</span>`, { name: 'renew', value: id }))}`,
      ),
      html`<p>A certificate belongs to a SAML connection, and this organization has none.</p>`,
    ),
  actions: {
    renew(visit, id) {
      const { world } = visit;
      const { organizationId } = ownConnection(visit, id);
      world.emit('connection.saml_certificate_renewed', {
        connection: { id, organizationId },
        certificate: {
          certificateType: 'ResponseSigning',
          expiryDate: world.fromNow(certificateMs),
          isExpired: false,
        },
        renewedAt: world.now,
      });
      return 'done';
    },
  },
  isSetUp: () => false,
};
