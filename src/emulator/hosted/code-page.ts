import type { Answer } from '../server/answer.js';
import { type Html, html } from '../server/html.js';
import { countActivity } from '../server/rate-limiter.js';
import type { Router } from '../server/router.js';
import { magicAuths, sendMagicAuth } from '../sign-in/magic-auth.js';
import { proveMagicAuth } from '../sign-in/proofs.js';
import { emailKeyOf } from '../world/email-key.js';
import { Refusal } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { advance } from './advance.js';
import { Fields, type FormError, fieldText, submit } from './forms.js';
import { formsOf, frame } from './frame.js';
import { emailOf, isOf, waysFor, whoIs, wrongEmail } from './known-email.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/** What is wrong with a code, in words. */
export const codeWordings: Readonly<Record<string, FormError>> = {
  invalid_one_time_code: { field: 'code', message: 'This code is not right. Look for the newest one.' },
  one_time_code_expired: { field: 'code', message: 'This code has expired. Send a new one.' },
  one_time_code_too_many_attempts: { field: 'code', message: 'Too many wrong codes. Send a new one.' },
};

/** What is wrong with a code before it is tried; undefined when nothing is. */
export const wrongForm = (code: string): FormError | undefined =>
  /^\d{6}$/.test(code) ? undefined : { field: 'code', message: 'Enter the six digits of the code.' };

/** A code as it was typed; people copy it with a space in the middle. */
export const codeIn = (body: unknown): string => fieldText(body, 'code').replace(/[\s-]/g, '');

/** The field that a code is typed into. */
export const codeField = (fields: Fields, hint?: string): Html =>
  fields.field({
    name: 'code',
    label: 'Code',
    autocomplete: 'one-time-code',
    code: true,
    first: true,
    ...(hint === undefined ? {} : { hint }),
  });

/** The page that asks for the code in a mail. */
export function codePage(router: Router): void {
  hostedPage(router, 'code', {
    show: (visit, errors) => show(visit, fieldText(visit.body, 'email') || emailOf(visit), errors),
    take,
    wordings: codeWordings,
  });
}

function show(visit: Visit, email: string, errors: readonly FormError[] = []): Answer {
  const { world, authorization } = visit;
  if (wrongEmail(visit, email)) return goTo(visit, 'sign-in');
  const fields = new Fields(errors);
  const own = formsOf('code', visit, { hidden: { email } });
  const notice = world.settings.allowSignUp
    ? html`A code of six digits is on its way to you. It works for ten minutes.`
    : html`If there is an account for this address, a code of six digits is on its way. It works for ten minutes.`;
  return frame(
    visit,
    'Check your email',
    html`${fields.summary}
${whoIs(authorization, email)}
<p>${notice}</p>
${own(html`${codeField(fields)}${submit('Continue')}`)}
<div class="aside">Nothing there? ${own(submit('Send a new code', { name: 'way', value: 'again', look: 'plain' }))}</div>`,
    { wrong: errors.length > 0, mailTo: email },
  );
}

async function take(visit: Visit): Promise<Answer> {
  const { world, authorization, body } = visit;
  const email = fieldText(body, 'email').trim();
  if (wrongEmail(visit, email) || !waysFor(world, email).code) return goTo(visit, 'sign-in');
  if (fieldText(body, 'way') === 'again') {
    sendCode(world, email);
    return goTo(visit, 'code');
  }
  const code = codeIn(body);
  const wrong = wrongForm(code);
  if (wrong) return show(visit, email, [wrong]);
  // Somebody who sends the same form twice has used up the code the first time.
  const { signIn } = authorization;
  if (signIn?.method === 'MagicAuth' && isOf(world, signIn.userId, email) && !hasCode(world, email))
    return advance(visit, signIn);
  // A new code is no new challenge: whoever has one sent again has no more attempts for it.
  countActivity(world, 'magic_auth_sign_in', emailKeyOf(email));
  return advance(visit, await proveMagicAuth(world, authorization, { email, code }));
}

/** Mail a code to an address that may sign in with one, and look the same for any other. */
export function sendCode(world: World, email: string): void {
  countActivity(world, 'magic_auth_code_request', emailKeyOf(email));
  try {
    sendMagicAuth(world, email);
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'sign_up_not_allowed')) throw error;
  }
}

const hasCode = (world: World, email: string): boolean =>
  world.of(magicAuths).where('emailKey', emailKeyOf(email)).first !== undefined;
