import { connections } from '../rooms/connections/records.js';
import { ownerOfEmail } from '../rooms/organizations/domains.js';
import type { Answer } from '../server/answer.js';
import { type Html, html } from '../server/html.js';
import type { Router } from '../server/router.js';
import { missingConnection } from '../sign-in/policies.js';
import { nextStep } from '../sign-in/sign-in.js';
import { Fields, type FormError, fieldText, submit } from './forms.js';
import { formsOf, frame } from './frame.js';
import { emailOf, waysFor, whoIs } from './known-email.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/** The page for somebody whose organization has several connections, or none that works. */
export function singleSignOnPage(router: Router): void {
  hostedPage(router, 'single-sign-on', { show, take });
}

/** The connections to choose among: those a proof given before was refused for, or those of the address. */
function choices(visit: Visit): readonly string[] {
  const { world, authorization } = visit;
  const step = authorization.signIn === null ? undefined : nextStep(world, authorization.signIn);
  return step?.kind === 'sso_required' ? step.connectionIds : waysFor(world, emailOf(visit)).connectionIds;
}

/** The organization that has no connection to choose, in words for the person and for whoever has configured it. */
function noChoice(visit: Visit): Html {
  const { world } = visit;
  const organizationId = ownerOfEmail(world, emailOf(visit));
  return html`<p>Your organization lets you sign in by single sign-on only, and none of its connections works at present. Ask its administrator.</p>
${organizationId && html`<p class="quiet">${missingConnection(world, organizationId)}.</p>`}`;
}

function show(visit: Visit, errors: readonly FormError[] = []): Answer {
  const { world, authorization } = visit;
  const connectionIds = choices(visit);
  const fields = new Fields(errors);
  return frame(
    visit,
    'Use single sign-on',
    html`${fields.summary}
${whoIs(authorization, emailOf(visit))}
${
  connectionIds.length === 0
    ? noChoice(visit)
    : html`<p>Your organization lets you sign in by single sign-on.</p>
${formsOf(
  'single-sign-on',
  visit,
)(
  html`<div class="stack">${connectionIds.map((id) => {
    const { name, connectionType } = world.of(connections).get(id);
    return submit(html`${name} <small>${connectionType}</small>`, {
      name: 'connection',
      value: id,
      look: 'second choice',
    });
  })}</div>`,
)}`
}`,
    { wrong: errors.length > 0 },
  );
}

function take(visit: Visit): Answer {
  const connection = fieldText(visit.body, 'connection');
  return choices(visit).includes(connection)
    ? goTo(visit, 'identity-provider', { connection })
    : show(visit, [{ field: null, message: 'This connection is not offered. Choose one of these.' }]);
}
