import { auditEventsOf } from '../rooms/audit-logs/events.js';
import { html } from '../server/html.js';
import { listOf, type PortalSection } from './portal-section.js';

// What an intent may name and the emulator does not set up: each page says what that is and what there is instead.

/** What is shown at most of what has been logged. */
const mostEvents = 20;

/** Audit logs: to be read. */
export const auditLogsSection: PortalSection = {
  title: 'Audit logs',
  show: ({
    world,
    organization,
  }) => html`<p>What has been done in your organization, newest first. The emulator shows the last ${mostEvents} events; there is nothing to set up.</p>
${listOf(
  auditEventsOf(world, organization.id)
    .slice(-mostEvents)
    .reverse()
    .map(
      ({ action, actor, occurredAt }) => html`<h2>${action}</h2>
<p class="quiet">${actor.name ?? actor.id}, <time datetime="${occurredAt}">${occurredAt}</time></p>`,
    ),
  html`<p>Nothing has been logged yet.</p>`,
)}`,
  actions: {},
  isSetUp: undefined,
};

const unplayed = (title: string, what: string): PortalSection => ({
  title,
  show: () => html`<p>${what}</p>`,
  actions: {},
  isSetUp: undefined,
});

/** Log streams. */
export const logStreamsSection = unplayed(
  'Set up a log stream',
  'The emulator streams no logs anywhere, and has nothing to set up for it. What is logged is in the events of the API and in exports of audit logs.',
);

/** A key of the organization's own. */
export const keySection = unplayed(
  'Bring your own key',
  'The emulator encrypts nothing with keys of organizations, and has nothing to set up for it.',
);

/** An intent that nobody has described. */
export const unknownSection = (intent: string): PortalSection =>
  unplayed('Admin portal', `The emulator does not know the intent ${intent}, and has nothing to set up for it.`);
