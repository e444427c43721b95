import { type Html, html } from '../../http/html.js';
import type { OrganizationRecord } from '../../rooms/organizations/records.js';
import type { PortalLinkRecord } from '../../rooms/portal/records.js';
import type { Memory } from '../../world/memory.js';
import type { FormFields } from '../forms.js';

/** A visit to the portal. In events emitted through `world`, the administrator is the actor. */
export interface PortalVisit {
  readonly memory: Memory;
  readonly link: PortalLinkRecord;
  readonly organization: OrganizationRecord;
  /** The submitted form. */
  readonly body: unknown;
  /** Renders a form of the page. */
  readonly form: (body: Html) => Html;
}

/** Result of an action: setup is complete, or more steps follow. */
export type ActionResult = 'done' | 'more';

/** The page of one intent: its content and the actions of its buttons. */
export interface PortalSection {
  readonly title: string;
  readonly render: (visit: PortalVisit, fields: FormFields) => Html;
  /** Actions by button name. The `value` distinguishes buttons with the same name. Errors are shown on the page. */
  readonly actions: Readonly<Record<string, (visit: PortalVisit, value: string) => ActionResult>>;
  /** Whether the feature is already set up; undefined if the emulator cannot set it up. */
  readonly isSetUp: ((visit: PortalVisit) => boolean) | undefined;
}

/** Render a list, or `whenEmpty` if it has no items. */
export const listOf = (items: readonly Html[], whenEmpty: Html): Html =>
  items.length === 0 ? whenEmpty : html`<ul class="items">${items.map((item) => html`<li>${item}</li>`)}</ul>`;

/** Convert a state to text, such as "Invalid credentials" for `invalid_credentials`. */
export const inWords = (state: string): string => {
  const words = state.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
