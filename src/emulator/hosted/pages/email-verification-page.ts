import { html } from '../../http/html.js';
import { countActivity } from '../../rooms/rate-limits/rate-limiter.js';
import { issueVerification } from '../../rooms/users/email-verification.js';
import { users } from '../../rooms/users/records.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { proveAddress } from '../../sign-in/grants/proofs.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { goTo, stepOf } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { codeField, codeIn, codeProblem, codeWordings } from './code-page.js';
import { emailLine } from './known-email.js';

/** The page that verifies the user's email address with a mailed code. */
export const emailVerificationPage: HostedPage = { render, handle, wordings: codeWordings };

function render(visit: Visit, errors: readonly FormError[] = []): PageAnswer {
  const at = stepOf(visit, 'email_verification_required');
  if (!at) return undefined;
  const { memory, authorization } = visit;
  const { email } = memory.of(users).get(at.signIn.userId);
  const fields = new FormFields(errors);
  const formFor = formsOf(visit);
  return frame(
    visit,
    'Verify your email address',
    html`${emailLine(authorization, email)}
<p>A six-digit code is on its way to you. Enter it to confirm your address. It works for ten minutes.</p>
${formFor(html`${codeField(fields)}${submit('Verify')}`)}
<div class="aside">No code yet? ${formFor(submit('Send a new code', { name: 'way', value: 'again', look: 'plain' }))}</div>`,
    { fields, mailTo: email },
  );
}

async function handle(visit: Visit): Promise<PageAnswer> {
  const at = stepOf(visit, 'email_verification_required');
  if (!at) return undefined;
  const { memory, authorization, body } = visit;
  const { emailKey } = memory.of(users).get(at.signIn.userId);
  if (fieldText(body, 'way') === 'again') {
    countActivity(memory, 'email_verification_send', at.signIn.userId);
    issueVerification(memory, at.signIn.userId);
    return goTo(visit, 'email-verification');
  }
  const code = codeIn(body);
  const wrong = codeProblem(code);
  if (wrong) return render(visit, [wrong]);
  countActivity(memory, 'email_sign_in', emailKey);
  return continueAuthorization(memory, authorization, await proveAddress(memory, at.signIn, code));
}
