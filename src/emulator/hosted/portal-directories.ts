import {
  createDirectory,
  type DirectoryRecord,
  directories,
  updateDirectory,
} from '../rooms/directory-sync/directories.js';
import { html } from '../server/html.js';
import { notFound } from '../world/refusal.js';
import { submit } from './forms.js';
import { inWords, listOf, type PortalSection, type PortalVisit } from './portal-section.js';

/** The providers of directories to choose among, by the type of the directory. */
const providers: Readonly<Record<string, string>> = {
  'okta scim v2.0': 'Okta',
  'azure scim v2.0': 'Microsoft Entra ID',
  'gsuite directory': 'Google Workspace',
  workday: 'Workday',
  'generic scim v2.0': 'Another one, by SCIM',
};

const own = ({ world, organization }: PortalVisit): readonly DirectoryRecord[] =>
  world.of(directories).where('organizationId', organization.id).values();

/** Directory sync: a directory is made, and linked once its provider sends to it. */
export const directoriesSection: PortalSection = {
  title: 'Set up directory sync',
  show: (visit) => html`${listOf(
    own(visit).map(
      ({ id, name, type, state }) => html`<h2>${name}</h2>
<p class="quiet">${type}: ${inWords(state)}</p>
${
  state === 'linked'
    ? undefined
    : html`<p>A real provider would now be told where to send people and groups. Here controls and seeds put them in.</p>
${visit.form(submit(html`Link the directory<span class="unseen"> ${name}, ${type}</span>`, { name: 'link', value: id }))}`
}`,
    ),
    html`<p>People and groups come and go as your directory says. Where is it?</p>`,
  )}
${own(visit).length > 0 ? html`<h2>Connect another directory</h2>` : undefined}
${visit.form(
  html`<div class="stack">${Object.entries(providers).map(([type, label]) =>
    submit(html`${label} <small>${type}</small>`, { name: 'connect', value: type, look: 'second choice' }),
  )}</div>`,
)}`,
  actions: {
    connect({ world, organization }, type) {
      if (!Object.hasOwn(providers, type)) throw notFound('provider of directories', type, 'type');
      createDirectory(world, { organizationId: organization.id, name: organization.name, type, state: 'unlinked' });
      return 'more';
    },
    link(visit, id) {
      if (!own(visit).some((directory) => directory.id === id)) throw notFound('directory of this organization', id);
      updateDirectory(visit.world, id, { state: 'linked' });
      return 'done';
    },
  },
  isSetUp: (visit) => own(visit).some(({ state }) => state === 'linked'),
};
