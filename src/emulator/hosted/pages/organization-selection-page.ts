import { html } from '../../http/html.js';
import type { Router } from '../../http/router.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { stepOf } from '../steps.js';
import { hostedPage, type Outcome, type Visit } from '../visit.js';

/** Serve the page where a member of several organizations chooses one. */
export function organizationPage(router: Router): void {
  hostedPage(router, 'organization', { render, handle });
}

function render(visit: Visit, errors: readonly FormError[] = []): Outcome {
  const at = stepOf(visit, 'organization_selection');
  if (!at) return undefined;
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

function handle(visit: Visit): Outcome {
  const at = stepOf(visit, 'organization_selection');
  if (!at) return undefined;
  const choice = fieldText(visit.body, 'organization');
  if (!at.step.organizations.some(({ id }) => id === choice))
    return render(visit, [
      { field: null, message: 'You are not a member of this organization. Choose one from the list.' },
    ]);
  return continueAuthorization(visit.memory, visit.authorization, { ...at.signIn, organizationId: choice });
}
