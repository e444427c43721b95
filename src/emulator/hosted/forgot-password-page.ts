import type { Answer } from '../server/answer.js';
import { html } from '../server/html.js';
import { countActivity } from '../server/rate-limiter.js';
import type { Router } from '../server/router.js';
import { sendPasswordReset } from '../sign-in/password-resets.js';
import { emailKeyOf } from '../world/email-key.js';
import { Refusal } from '../world/refusal.js';
import { emailField, Fields, type FormError, fieldText, submit } from './forms.js';
import { addressOf, formsOf, frame } from './frame.js';
import { emailOf, wrongEmail } from './known-email.js';
import { note } from './progress.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/** The page that has a link mailed with which a new password can be set. */
export function forgotPasswordPage(router: Router): void {
  hostedPage(router, 'forgot-password', { show, take });
}

function show(visit: Visit, errors: readonly FormError[] = []): Answer {
  const { authorization, query, body } = visit;
  if (query.get('sent') !== null && errors.length === 0) return confirmationPage(visit);
  const fields = new Fields(errors);
  return frame(
    visit,
    'Forgot your password?',
    html`${fields.summary}
<p>Enter your email address. You will get a link with which you can choose a new one.</p>
${formsOf(
  'forgot-password',
  visit,
)(html`${emailField(fields, fieldText(body, 'email') || emailOf(visit))}
${submit('Send the link')}`)}
<p class="aside"><a href="${addressOf('sign-in', authorization)}">Back to signing in</a></p>`,
    { wrong: errors.length > 0 },
  );
}

function confirmationPage(visit: Visit): Answer {
  const email = emailOf(visit);
  return frame(
    visit,
    'Check your email',
    html`<p>If there is an account for <strong>${email}</strong>, a link to choose a new password is on its way. It works for one hour.</p>
<p class="aside"><a href="${addressOf('password', visit.authorization)}">Back to signing in</a></p>`,
    { mailTo: email },
  );
}

function take(visit: Visit): Answer {
  const { world, authorization, body } = visit;
  const email = fieldText(body, 'email').trim();
  const wrong = wrongEmail(visit, email);
  if (wrong) return show(visit, [wrong]);
  note(world, authorization, { email });
  countActivity(world, 'password_reset_send', emailKeyOf(email));
  try {
    sendPasswordReset(world, email, world.pageUrl('/hosted/reset-password'));
  } catch (error) {
    // The page is the same for an address that nobody has.
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  }
  return goTo(visit, 'forgot-password', { sent: 'yes' });
}
