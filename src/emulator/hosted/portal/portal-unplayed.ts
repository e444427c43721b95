import { html } from '../../http/html.js';
import { auditEventsOf } from '../../rooms/audit-logs/events.js';
import { listOf, type PortalSection } from './portal-section.js';

// Pages for intents that the emulator cannot set up.

/** Maximum number of audit events on the page. */
const maxEvents = 20;

/** Audit logs. The page only lists recent events. */
export const auditLogsSection: PortalSection = {
  title: 'Audit logs',
  render: ({
    memory,
    organization,
  }) => html`<p>The last ${maxEvents} audit events of your organization, newest first. There is nothing to set up.</p>
${listOf(
  auditEventsOf(memory, organization.id)
    .slice(-maxEvents)
    .reverse()
    .map(
      ({ action, actor, occurredAt }) => html`<h2>${action}</h2>
<p class="quiet">${actor.name ?? actor.id}, <time datetime="${occurredAt}">${occurredAt}</time></p>`,
    ),
  html`<p>No audit events yet.</p>`,
)}`,
  actions: {},
  isSetUp: undefined,
};

const unsupported = (title: string, explanation: string): PortalSection => ({
  title,
  render: () => html`<p>${explanation}</p>`,
  actions: {},
  isSetUp: undefined,
});

/** Log streams. */
export const logStreamsSection = unsupported(
  'Set up a log stream',
  'The emulator does not support log streams, so there is nothing to set up. Read the events API or export the audit logs instead.',
);

/** Encryption keys supplied by organizations. */
export const keySection = unsupported(
  'Bring your own key',
  'The emulator does not encrypt data with keys of organizations, so there is nothing to set up.',
);

/** Create the section for an intent that is not in the specification. */
export const unknownSection = (intent: string): PortalSection =>
  unsupported('Admin portal', `The emulator does not know the intent ${intent}, so there is nothing to set up.`);
