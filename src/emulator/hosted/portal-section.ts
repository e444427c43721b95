import type { OrganizationRecord } from '../rooms/organizations/records.js';
import type { PortalLinkRecord } from '../rooms/portal/records.js';
import { type Html, html } from '../server/html.js';
import type { World } from '../world/world.js';
import type { Fields } from './forms.js';

/** An administrator in the portal. What is done through `world` is the administrator's doing. */
export interface PortalVisit {
  readonly world: World;
  readonly link: PortalLinkRecord;
  readonly organization: OrganizationRecord;
  /** What was typed. */
  readonly body: unknown;
  /** Makes a form of the page. */
  readonly form: (body: Html) => Html;
}

/** What came of a button: the goal is reached, or there is more to do. */
export type Outcome = 'done' | 'more';

/** What one intent is about: what the page shows, and what its buttons do. */
export interface PortalSection {
  readonly title: string;
  readonly show: (visit: PortalVisit, fields: Fields) => Html;
  /** By the name of a button; the value says which one of several. Refusals are shown on the page. */
  readonly actions: Readonly<Record<string, (visit: PortalVisit, value: string) => Outcome>>;
  /** Whether the organization has what the intent names; undefined where the emulator cannot set it up. */
  readonly isSetUp: ((visit: PortalVisit) => boolean) | undefined;
}

/** A list, or what there is to say where it would be empty. */
export const listOf = (items: readonly Html[], whenEmpty: Html): Html =>
  items.length === 0 ? whenEmpty : html`<ul class="items">${items.map((item) => html`<li>${item}</li>`)}</ul>`;

/** A state as a person reads it: `invalid_credentials` is Invalid credentials. */
export const inWords = (state: string): string => {
  const words = state.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
