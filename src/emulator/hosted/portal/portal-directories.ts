import { html } from '../../http/html.js';
import {
  createDirectory,
  type DirectoryRecord,
  directories,
  updateDirectory,
} from '../../rooms/directory-sync/directories.js';
import { notFound } from '../../store/refusal.js';
import { submit } from '../forms.js';
import { inWords, listOf, type PortalSection, type PortalVisit } from './portal-section.js';

/** Directory providers to choose from, by directory type. */
const providers: Readonly<Record<string, string>> = {
  'okta scim v2.0': 'Okta',
  'azure scim v2.0': 'Microsoft Entra ID',
  'gsuite directory': 'Google Workspace',
  workday: 'Workday',
  'generic scim v2.0': 'Other (SCIM)',
};

const directoriesOf = ({ memory, organization }: PortalVisit): readonly DirectoryRecord[] =>
  memory.of(directories).where('organizationId', organization.id).values();

/** Directory sync. A new directory is unlinked until its provider sends data. */
export const directoriesSection: PortalSection = {
  title: 'Set up directory sync',
  render: (visit) => html`${listOf(
    directoriesOf(visit).map(
      ({ id, name, type, state }) => html`<h2>${name}</h2>
<p class="quiet">${type}: ${inWords(state)}</p>
${
  state === 'linked'
    ? undefined
    : html`<p>With a real provider, you would enter the address of this directory there now. In the emulator, controls and seeds add users and groups.</p>
${visit.form(submit(html`Link directory<span class="unseen"> ${name}, ${type}</span>`, { name: 'link', value: id }))}`
}`,
    ),
    html`<p>Keep users and groups in sync with your company's directory. Which provider do you use?</p>`,
  )}
${directoriesOf(visit).length > 0 ? html`<h2>Connect another directory</h2>` : undefined}
${visit.form(
  html`<div class="stack">${Object.entries(providers).map(([type, label]) =>
    submit(html`${label} <small>${type}</small>`, { name: 'connect', value: type, look: 'second choice' }),
  )}</div>`,
)}`,
  actions: {
    connect({ memory, organization }, type) {
      if (!Object.hasOwn(providers, type)) throw notFound('provider of directories', type, 'type');
      createDirectory(memory, { organizationId: organization.id, name: organization.name, type, state: 'unlinked' });
      return 'more';
    },
    link(visit, id) {
      if (!directoriesOf(visit).some((directory) => directory.id === id))
        throw notFound('directory of this organization', id);
      updateDirectory(visit.memory, id, { state: 'linked' });
      return 'done';
    },
  },
  isSetUp: (visit) => directoriesOf(visit).some(({ state }) => state === 'linked'),
};
