import { html } from '../../http/html.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { stepOf } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';

/** The page where a member of several organizations chooses one. */
export const organizationSelectionPage: HostedPage = { render, handle };

function render(visit: Visit, errors: readonly FormError[] = []): PageAnswer {
  const at = stepOf(visit, 'organization_selection_required');
  if (!at) return undefined;
  const fields = new FormFields(errors);
  return frame(
    visit,
    'Choose an organization',
    html`${formsOf(visit)(
      html`<div class="stack">${at.step.organizations.map(({ id, name }) =>
        submit(name, { name: 'organization', value: id, look: 'second choice' }),
      )}</div>`,
    )}`,
    { fields },
  );
}

function handle(visit: Visit): PageAnswer {
  const at = stepOf(visit, 'organization_selection_required');
  if (!at) return undefined;
  const choice = fieldText(visit.body, 'organization');
  if (!at.step.organizations.some(({ id }) => id === choice))
    return render(visit, [
      { field: null, message: 'You are not a member of this organization. Choose one from the list.' },
    ]);
  return continueAuthorization(visit.memory, visit.authorization, { ...at.signIn, organizationId: choice });
}
