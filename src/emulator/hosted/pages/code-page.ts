import type { Answer } from '../../http/answer.js';
import { type Html, html } from '../../http/html.js';
import { countActivity } from '../../rooms/rate-limits/rate-limiter.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { magicAuths, sendMagicAuth } from '../../sign-in/codes/magic-auth.js';
import { proveMagicAuth } from '../../sign-in/grants/proofs.js';
import { emailKeyOf } from '../../store/email-key.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { goTo } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { emailLine, emailOf, emailProblem, isEmailOf, waysFor } from './known-email.js';

/** Error messages for one-time codes, by error code. */
export const codeWordings: Readonly<Record<string, FormError>> = {
  invalid_one_time_code: { field: 'code', message: 'This code is wrong. Use the latest one.' },
  one_time_code_expired: { field: 'code', message: 'This code has expired. Send a new one.' },
  one_time_code_too_many_attempts: { field: 'code', message: 'Too many wrong codes. Send a new one.' },
};

/** Check the format of a code before it is used. Returns undefined if the code is six digits. */
export const codeProblem = (code: string): FormError | undefined =>
  /^\d{6}$/.test(code) ? undefined : { field: 'code', message: 'Enter the six digits of the code.' };

/** Read the code from a form, without the spaces and dashes that are often copied with it. */
export const codeIn = (body: unknown): string => fieldText(body, 'code').replace(/[\s-]/g, '');

/** Render the field for a code. */
export const codeField = (fields: FormFields, hint?: string): Html =>
  fields.field({
    name: 'code',
    label: 'Code',
    autocomplete: 'one-time-code',
    code: true,
    first: true,
    ...(hint === undefined ? {} : { hint }),
  });

/** The page that asks for an emailed code. */
export const codePage: HostedPage = {
  render: (visit, errors) => render(visit, fieldText(visit.body, 'email') || emailOf(visit), errors),
  handle,
  wordings: codeWordings,
};

function render(visit: Visit, email: string, errors: readonly FormError[] = []): Answer {
  const { memory, authorization } = visit;
  if (emailProblem(visit, email)) return goTo(visit, 'sign-in');
  const fields = new FormFields(errors);
  const formFor = formsOf(visit, { hidden: { email } });
  const notice = memory.settings.allowSignUp
    ? html`A six-digit code is on its way to you. It works for ten minutes.`
    : html`If there is an account for this address, a six-digit code is on its way. It works for ten minutes.`;
  return frame(
    visit,
    'Check your email',
    html`${emailLine(authorization, email)}
<p>${notice}</p>
${formFor(html`${codeField(fields)}${submit('Continue')}`)}
<div class="aside">No code yet? ${formFor(submit('Send a new code', { name: 'way', value: 'again', look: 'plain' }))}</div>`,
    { fields, mailTo: email },
  );
}

async function handle(visit: Visit): Promise<PageAnswer> {
  const { memory, authorization, body } = visit;
  const email = fieldText(body, 'email').trim();
  if (emailProblem(visit, email) || !waysFor(memory, email).code) return goTo(visit, 'sign-in');
  if (fieldText(body, 'way') === 'again') {
    sendCode(memory, email);
    return goTo(visit, 'code');
  }
  const code = codeIn(body);
  const wrong = codeProblem(code);
  if (wrong) return render(visit, email, [wrong]);
  // If the form is sent twice, the first request has used up the code.
  const { signIn } = authorization;
  if (signIn?.method === 'MagicAuth' && isEmailOf(memory, signIn.userId, email) && !hasCode(memory, email))
    return continueAuthorization(memory, authorization, signIn);
  // Attempts are counted by address, so that a new code does not allow more.
  countActivity(memory, 'magic_auth_sign_in', emailKeyOf(email));
  return continueAuthorization(memory, authorization, await proveMagicAuth(memory, authorization, { email, code }));
}

/** Mail a sign-in code. Ignores an address that may not sign up, so that the page does not reveal which accounts exist. */
export function sendCode(memory: Memory, email: string): void {
  countActivity(memory, 'magic_auth_code_request', emailKeyOf(email));
  try {
    sendMagicAuth(memory, email);
  } catch (error) {
    if (!(error instanceof EmulatorRefusal && error.code === 'sign_up_not_allowed')) throw error;
  }
}

const hasCode = (memory: Memory, email: string): boolean =>
  memory.of(magicAuths).where('emailKey', emailKeyOf(email)).first !== undefined;
