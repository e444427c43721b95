import type { Answer } from '../../http/answer.js';
import { html } from '../../http/html.js';
import type { Router } from '../../http/router.js';
import { advance, stepOrRedirect } from '../advance.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { hostedPage, type Visit } from '../visit.js';

/** Serve the page where a member of several organizations chooses one. */
export function organizationPage(router: Router): void {
  hostedPage(router, 'organization', { show, take });
}

function show(visit: Visit, errors: readonly FormError[] = []): Answer {
  const at = stepOrRedirect(visit, 'organization_selection');
  if ('redirect' in at) return at.redirect;
  const fields = new FormFields(errors);
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
  const at = stepOrRedirect(visit, 'organization_selection');
  if ('redirect' in at) return at.redirect;
  const choice = fieldText(visit.body, 'organization');
  if (!at.step.organizations.some(({ id }) => id === choice))
    return show(visit, [
      { field: null, message: 'You are not a member of this organization. Choose one from the list.' },
    ]);
  return advance(visit, { ...at.signIn, organizationId: choice });
}
