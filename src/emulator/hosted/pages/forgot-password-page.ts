import type { Answer } from '../../http/answer.js';
import { html } from '../../http/html.js';
import { countActivity } from '../../rooms/rate-limits/rate-limiter.js';
import { updateProgress } from '../../sign-in/authorizations/progress.js';
import { resetPasswordPath, sendPasswordReset } from '../../sign-in/codes/password-resets.js';
import { emailKeyOf } from '../../store/email-key.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import { emailField, type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf, goTo } from '../steps.js';
import type { HostedPage, Visit } from '../visit.js';
import { emailOf, emailProblem } from './known-email.js';

/** The page that mails a link for choosing a new password. */
export const forgotPasswordPage: HostedPage = { render, handle };

function render(visit: Visit, errors: readonly FormError[] = []): Answer {
  const { authorization, query, body } = visit;
  if (query.get('sent') !== null && errors.length === 0) return renderConfirmation(visit);
  const fields = new FormFields(errors);
  return frame(
    visit,
    'Forgot your password?',
    html`<p>Enter your email address, and you will get a link for choosing a new password.</p>
${formsOf(visit)(html`${emailField(fields, fieldText(body, 'email') || emailOf(visit))}
${submit('Send link')}`)}
<p class="aside"><a href="${addressOf('sign-in', authorization)}">Back to sign-in</a></p>`,
    { fields },
  );
}

function renderConfirmation(visit: Visit): Answer {
  const email = emailOf(visit);
  return frame(
    visit,
    'Check your email',
    html`<p>If there is an account for <strong>${email}</strong>, a link for choosing a new password is on its way. It works for one hour.</p>
<p class="aside"><a href="${addressOf('authentication-methods', visit.authorization)}">Back to sign-in</a></p>`,
    { mailTo: email },
  );
}

function handle(visit: Visit): Answer {
  const { memory, authorization, body } = visit;
  const email = fieldText(body, 'email').trim();
  const wrong = emailProblem(visit, email);
  if (wrong) return render(visit, [wrong]);
  updateProgress(memory, authorization, { email });
  countActivity(memory, 'password_reset_send', emailKeyOf(email));
  try {
    sendPasswordReset(memory, email, memory.pageUrl(resetPasswordPath));
  } catch (error) {
    // The page looks the same for an unknown address, so that it does not reveal which accounts exist.
    if (!(error instanceof EmulatorRefusal && error.status === 404)) throw error;
  }
  return goTo(visit, 'forgot-password', { sent: 'yes' });
}
