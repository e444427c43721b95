import type { Answer } from '../../http/answer.js';
import { type Html, html } from '../../http/html.js';
import type { UserRecord } from '../../rooms/users/records.js';
import { updateProgress } from '../../sign-in/authorizations/progress.js';
import { emailField, type FormError, FormFields, fieldText, or, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf, goTo, goToConnection } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { emailOf, emailProblem, providers, waysFor } from './known-email.js';
import { logoOf } from './logos.js';
import { chosenPerson, peopleFor, personButtons, signInSeededUser } from './seeded-people.js';

/** The first page, which asks for the email address. The address decides which page follows. */
export const signInPage: HostedPage = { render: (visit, errors) => render(visit, emailOf(visit), errors), handle };

function render(visit: Visit, email: string, errors: readonly FormError[] = []): Answer {
  const { memory, authorization } = visit;
  const fields = new FormFields(errors);
  return frame(
    visit,
    'Sign in',
    html`${formsOf(visit)(html`${emailField(fields, email)}
${submit('Continue')}`)}
${or}
${providerButtons(visit)}
${seededPeople(visit)}
${
  memory.settings.allowSignUp
    ? html`<p class="aside">New here? <a href="${addressOf('sign-up', authorization)}">Create an account</a></p>`
    : undefined
}`,
    { fields },
  );
}

/**
 * Render buttons for the social providers. Each button has a separate form, so that the Enter key in a text field does not press
 * it.
 */
const providerButtons = (visit: Visit): Html =>
  html`<div class="stack pairs">${Object.entries(providers).map(([provider, name]) =>
    formsOf(visit)(
      submit(html`${logoOf(provider)}<span class="unseen">Continue with </span>${name}`, {
        name: 'provider',
        value: provider,
        look: 'second',
      }),
    ),
  )}</div>`;

/** List the seeded users. If there is an invitation, list only the invited user. */
const peopleAt = (visit: Visit): readonly UserRecord[] =>
  peopleFor(visit, ({ email }) => emailProblem(visit, email) === undefined);

function seededPeople(visit: Visit): Html | undefined {
  const people = peopleAt(visit);
  return people.length === 0
    ? undefined
    : html`<h2>Or sign in as a seeded user</h2>
${formsOf(visit)(html`<div class="stack">${personButtons(people)}</div>`)}`;
}

function handle(visit: Visit): PageAnswer {
  const { memory, authorization, body } = visit;
  const person = chosenPerson(visit, peopleAt(visit));
  if (person) return signInSeededUser(visit, person);
  const provider = fieldText(body, 'provider');
  if (Object.hasOwn(providers, provider)) return goTo(visit, 'provider', { provider });
  const email = fieldText(body, 'email').trim();
  const wrong = emailProblem(visit, email);
  if (wrong) return render(visit, email, [wrong]);
  updateProgress(memory, authorization, { email });
  const ways = waysFor(memory, email);
  return ways.ssoOnly ? goToConnection(visit, ways.connectionIds) : goTo(visit, 'authentication-methods');
}
