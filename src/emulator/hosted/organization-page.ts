import type { Answer } from '../server/answer.js';
import { html } from '../server/html.js';
import type { Router } from '../server/router.js';
import { advance, atStep } from './advance.js';
import { Fields, type FormError, fieldText, submit } from './forms.js';
import { formsOf, frame } from './frame.js';
import { hostedPage, type Visit } from './visit.js';

/** The page for somebody who is a member of several organizations. */
export function organizationPage(router: Router): void {
  hostedPage(router, 'organization', { show, take });
}

function show(visit: Visit, errors: readonly FormError[] = []): Answer {
  const at = atStep(visit, 'organization_selection');
  if ('elsewhere' in at) return at.elsewhere;
  const fields = new Fields(errors);
  return frame(
    visit,
    'Choose an organization',
    html`${fields.summary}
${formsOf(
  'organization',
  visit,
)(
  html`<div class="stack">${at.step.organizations.map(({ id, name }) =>
    submit(name, { name: 'organization', value: id, look: 'second choice' }),
  )}</div>`,
)}`,
    { wrong: errors.length > 0 },
  );
}

function take(visit: Visit): Answer {
  const at = atStep(visit, 'organization_selection');
  if ('elsewhere' in at) return at.elsewhere;
  const choice = fieldText(visit.body, 'organization');
  if (!at.step.organizations.some(({ id }) => id === choice))
    return show(visit, [{ field: null, message: 'You are not a member of this organization. Choose one of these.' }]);
  return advance(visit, { ...at.signIn, organizationId: choice });
}
