import type { Answer } from '../../http/answer.js';
import { type Html, html } from '../../http/html.js';
import { connections } from '../../rooms/connections/records.js';
import { countActivity } from '../../rooms/rate-limits/rate-limiter.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { updateProgress } from '../../sign-in/authorizations/progress.js';
import { provePassword } from '../../sign-in/grants/proofs.js';
import { nextStep } from '../../sign-in/proof/sign-in.js';
import { emailKeyOf } from '../../store/email-key.js';
import { type FormError, FormFields, fieldText, or, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf, goTo, goToConnection } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { sendCode } from './code-page.js';
import { emailLine, emailOf, emailProblem, providerName, type Ways, waysFor } from './known-email.js';
import { logoOf } from './logos.js';

/**
 * The page that follows the email address. It asks for the password, or offers the other methods that the domain allows. It
 * looks the same with and without an account, so that it does not reveal which accounts exist.
 */
export const authenticationMethodsPage: HostedPage = {
  render: (visit, errors) => render(visit, fieldText(visit.body, 'email') || emailOf(visit), errors),
  handle,
  wordings: {
    invalid_credentials: { field: 'password', message: 'Wrong email address or password.' },
  },
};

function render(visit: Visit, email: string, errors: readonly FormError[] = []): Answer {
  const { memory, authorization } = visit;
  if (emailProblem(visit, email)) return goTo(visit, 'sign-in');
  const ways = waysFor(memory, email);
  if (ways.ssoOnly) return goToConnection(visit, ways.connectionIds);
  const fields = new FormFields(errors);
  const others = otherWays(visit, email, ways);
  return frame(
    visit,
    ways.password ? 'Enter your password' : 'Choose how to sign in',
    html`${errors.length > 0 ? undefined : refusalNote(visit)}
${emailLine(authorization, email)}
${ways.password ? passwordForm(visit, email, fields) : undefined}
${ways.password && others.length > 0 ? or : undefined}
${others.length > 0 ? html`<div class="stack">${others}</div>` : undefined}
${
  memory.settings.allowSignUp && ways.password
    ? html`<p class="aside">New here? <a href="${addressOf('sign-up', authorization)}">Create an account</a></p>`
    : undefined
}`,
    { fields },
  );
}

const passwordForm = (visit: Visit, email: string, fields: FormFields): Html =>
  formsOf(visit)(
    // Password managers need the address that the password belongs to.
    html`<input class="unseen" type="email" name="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${fields.field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', first: true })}
<p class="beside"><a href="${addressOf('forgot-password', visit.authorization)}">Forgot your password?</a></p>
${submit('Sign in')}`,
  );

/** Render the buttons for the other sign-in methods of the address. */
function otherWays(visit: Visit, email: string, { password, code, connectionIds, providers }: Ways): readonly Html[] {
  const { memory } = visit;
  const formFor = formsOf(visit, { hidden: { email } });
  const way = (label: string | Html, name: string, value: string): Html =>
    formFor(submit(label, { name, value, look: 'second' }));
  return [
    ...(code ? [way('Email me a code', 'way', 'code')] : []),
    ...connectionIds.map((id) =>
      way(`Use single sign-on with ${memory.of(connections).get(id).name}`, 'connection', id),
    ),
    // If a password is allowed, the sign-in page has already offered the providers.
    ...(password
      ? []
      : providers.map((one) => way(html`${logoOf(one)}Continue with ${providerName(one)}`, 'provider', one))),
  ];
}

/** Explain that the user is back on this page because the policy refused the method used. */
function refusalNote({ memory, authorization: { signIn } }: Visit): Html | undefined {
  if (signIn === null || nextStep(memory, signIn).kind !== 'organization_authentication_methods_required')
    return undefined;
  const method =
    signIn.method === 'Password'
      ? 'a password'
      : signIn.method === 'MagicAuth'
        ? 'an emailed code'
        : providerName(signIn.method);
  return html`<div class="note"><p>Your organization does not allow signing in with ${method}. Choose another method.</p></div>`;
}

async function handle(visit: Visit): Promise<PageAnswer> {
  const { memory, authorization, body } = visit;
  const email = fieldText(body, 'email').trim();
  if (emailProblem(visit, email)) return goTo(visit, 'sign-in');
  updateProgress(memory, authorization, { email });
  const ways = waysFor(memory, email);
  const connection = fieldText(body, 'connection');
  if (ways.connectionIds.includes(connection)) return goTo(visit, 'identity-provider', { connection });
  const provider = fieldText(body, 'provider');
  if (ways.providers.includes(provider)) return goTo(visit, 'provider', { provider });
  if (fieldText(body, 'way') === 'code') {
    if (ways.code) sendCode(memory, email);
    return goTo(visit, ways.code ? 'code' : 'authentication-methods');
  }
  const password = fieldText(body, 'password');
  if (!ways.password) return render(visit, email);
  if (password === '') return render(visit, email, [{ field: 'password', message: 'Enter your password.' }]);
  countActivity(memory, 'email_sign_in', emailKeyOf(email));
  return continueAuthorization(memory, authorization, await provePassword(memory, authorization, { email, password }));
}
