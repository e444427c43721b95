import { issueVerification } from '../rooms/users/email-verification.js';
import { users } from '../rooms/users/records.js';
import type { Answer } from '../server/answer.js';
import { html } from '../server/html.js';
import { countActivity } from '../server/rate-limiter.js';
import type { Router } from '../server/router.js';
import { proveAddress } from '../sign-in/proofs.js';
import { advance, atStep } from './advance.js';
import { codeField, codeIn, codeWordings, wrongForm } from './code-page.js';
import { Fields, type FormError, fieldText, submit } from './forms.js';
import { formsOf, frame } from './frame.js';
import { whoIs } from './known-email.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/** The page that asks for the code which proves an address to be the user's. */
export function verifyEmailPage(router: Router): void {
  hostedPage(router, 'verify-email', { show, take, wordings: codeWordings });
}

function show(visit: Visit, errors: readonly FormError[] = []): Answer {
  const at = atStep(visit, 'email_verification');
  if ('elsewhere' in at) return at.elsewhere;
  const { world, authorization } = visit;
  const { email } = world.of(users).get(at.signIn.userId);
  const fields = new Fields(errors);
  const own = formsOf('verify-email', visit);
  return frame(
    visit,
    'Verify your email address',
    html`${fields.summary}
${whoIs(authorization, email)}
<p>A code of six digits is on its way to you. It shows that the address is yours, and works for ten minutes.</p>
${own(html`${codeField(fields)}${submit('Verify')}`)}
<div class="aside">Nothing there? ${own(submit('Send a new code', { name: 'way', value: 'again', look: 'plain' }))}</div>`,
    { wrong: errors.length > 0, mailTo: email },
  );
}

async function take(visit: Visit): Promise<Answer> {
  const at = atStep(visit, 'email_verification');
  if ('elsewhere' in at) return at.elsewhere;
  const { world, body } = visit;
  const { emailKey } = world.of(users).get(at.signIn.userId);
  if (fieldText(body, 'way') === 'again') {
    countActivity(world, 'email_verification_send', at.signIn.userId);
    issueVerification(world, at.signIn.userId);
    return goTo(visit, 'verify-email');
  }
  const code = codeIn(body);
  const wrong = wrongForm(code);
  if (wrong) return show(visit, [wrong]);
  countActivity(world, 'email_sign_in', emailKey);
  return advance(visit, await proveAddress(world, at.signIn, code));
}
