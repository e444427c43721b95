import type { Answer } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html } from '../../http/html.js';
import { createUser } from '../../rooms/users/records.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { updateProgress } from '../../sign-in/authorizations/progress.js';
import { invitationOf } from '../../sign-in/proof/invited.js';
import { startSignIn } from '../../sign-in/proof/sign-in.js';
import { emailField, type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf, goTo, goToConnection } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { emailOf, emailProblem, isEmailOf, waysFor } from './known-email.js';
import { nameFields, namesIn } from './person.js';

/** Error messages for new passwords, by error code. */
export const newPasswordWordings: Readonly<Record<string, FormError>> = {
  password_strength_error: { field: 'password', message: 'Choose a password of 8 to 72 characters.' },
};

/** The page for creating an account. */
export const signUpPage: HostedPage = {
  render,
  handle,
  wordings: {
    ...newPasswordWordings,
    email_not_available: { field: 'email', message: 'An account with this address already exists. Sign in instead.' },
  },
};

/** Check whether the settings or an invitation allow sign-up. */
const allowsSignUp = ({ memory, authorization }: Visit): boolean =>
  memory.settings.allowSignUp || invitationOf(memory, authorization) !== undefined;

function render(visit: Visit, errors: readonly FormError[] = []): Answer {
  const { authorization, body } = visit;
  if (!allowsSignUp(visit))
    return errorPage(403, 'By invitation only', 'You need an invitation to create an account.', {
      url: addressOf('sign-in', authorization),
      label: 'Sign in instead',
    });
  const fields = new FormFields(errors);
  return frame(
    visit,
    'Create an account',
    html`${formsOf(visit)(html`${emailField(fields, fieldText(body, 'email') || emailOf(visit))}
${nameFields(fields, body)}
${fields.field({
  name: 'password',
  label: 'Password',
  type: 'password',
  hint: 'At least 8 characters.',
  autocomplete: 'new-password',
})}
${submit('Create account')}`)}
<p class="aside">Already have an account? <a href="${addressOf('sign-in', authorization)}">Sign in</a></p>`,
    { fields },
  );
}

async function handle(visit: Visit): Promise<PageAnswer> {
  const { memory, authorization, body } = visit;
  if (!allowsSignUp(visit)) return render(visit);
  const email = fieldText(body, 'email').trim();
  const password = fieldText(body, 'password');
  const wrong = [
    emailProblem(visit, email),
    password === '' ? { field: 'password', message: 'Choose a password.' } : undefined,
  ].filter((error) => error !== undefined);
  if (wrong.length > 0) return render(visit, wrong);
  updateProgress(memory, authorization, { email });
  const ways = waysFor(memory, email);
  if (ways.ssoOnly) return goToConnection(visit, ways.connectionIds);
  if (!ways.password) return goTo(visit, 'authentication-methods');
  // If the form is sent twice, the first request has created the user.
  const { signIn } = authorization;
  if (signIn && isEmailOf(memory, signIn.userId, email)) return continueAuthorization(memory, authorization, signIn);
  const user = await createUser(memory, {
    email,
    password,
    ...namesIn(body),
  });
  return continueAuthorization(memory, authorization, startSignIn(authorization, user.id, 'Password'));
}
