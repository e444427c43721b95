import type { Answer } from '../../http/answer.js';
import { type Html, html } from '../../http/html.js';
import { connections } from '../../rooms/connections/records.js';
import { ownerOfEmail } from '../../rooms/organizations/domains.js';
import { missingConnection } from '../../sign-in/proof/policies.js';
import { nextStep } from '../../sign-in/proof/sign-in.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { goTo } from '../steps.js';
import type { HostedPage, Visit } from '../visit.js';
import { emailLine, emailOf, waysFor } from './known-email.js';

/** The page for users whose organization has several connections, or none that is active. */
export const ssoPage: HostedPage = { render, handle };

/** List the connections to choose from: those that the policy requires after an earlier proof, or those of the address. */
function choices(visit: Visit): readonly string[] {
  const { memory, authorization } = visit;
  const step = authorization.signIn === null ? undefined : nextStep(memory, authorization.signIn);
  return step?.kind === 'sso_required' ? step.connectionIds : waysFor(memory, emailOf(visit)).connectionIds;
}

/** Explain to the user and the developer that the organization has no active connection. */
function noChoice(visit: Visit): Html {
  const { memory } = visit;
  const organizationId = ownerOfEmail(memory, emailOf(visit));
  return html`<p>Your organization requires single sign-on, but none of its connections is active. Ask your administrator.</p>
${organizationId && html`<p class="quiet">${missingConnection(memory, organizationId)}.</p>`}`;
}

function render(visit: Visit, errors: readonly FormError[] = []): Answer {
  const { memory, authorization } = visit;
  const connectionIds = choices(visit);
  const fields = new FormFields(errors);
  return frame(
    visit,
    'Use single sign-on',
    html`${emailLine(authorization, emailOf(visit))}
${
  connectionIds.length === 0
    ? noChoice(visit)
    : html`<p>Sign in with your organization's identity provider.</p>
${formsOf(visit)(
  html`<div class="stack">${connectionIds.map((id) => {
    const { name, connectionType } = memory.of(connections).get(id);
    return submit(html`${name} <small>${connectionType}</small>`, {
      name: 'connection',
      value: id,
      look: 'second choice',
    });
  })}</div>`,
)}`
}`,
    { fields },
  );
}

function handle(visit: Visit): Answer {
  const connection = fieldText(visit.body, 'connection');
  return choices(visit).includes(connection)
    ? goTo(visit, 'identity-provider', { connection })
    : render(visit, [{ field: null, message: 'This connection is not available. Choose one from the list.' }]);
}
