import { mostAttempts } from '../rooms/users/one-time-codes.js';
import { users } from '../rooms/users/records.js';
import type { Answer } from '../server/answer.js';
import { errorPage } from '../server/error-page.js';
import { html } from '../server/html.js';
import { countActivity } from '../server/rate-limiter.js';
import type { Router } from '../server/router.js';
import { authorizations } from '../sign-in/authorizations.js';
import { challengeFactor, challenges, type FactorRecord } from '../sign-in/factors.js';
import { proveFactor } from '../sign-in/proofs.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { advance, atStep } from './advance.js';
import { codeField, codeIn, wrongForm } from './code-page.js';
import { Fields, type FormError, fieldText, submit } from './forms.js';
import { addressOf, formsOf, frame } from './frame.js';
import { note, progressOf } from './progress.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/** What is wrong with the code of a second factor, in words. */
export const factorWordings: Readonly<Record<string, FormError>> = {
  invalid_one_time_code: { field: 'code', message: 'This code is not right. Codes work once: use the newest one.' },
  authentication_challenge_expired: { field: 'code', message: 'This code has expired. Send a new one.' },
};

/** The page that asks for a second factor; for the choice of one first, when there are several. */
export function secondFactorPage(router: Router): void {
  hostedPage(router, 'second-factor', { show, take, wordings: factorWordings });
}

function show(visit: Visit, errors: readonly FormError[] = []): Answer {
  const at = atStep(visit, 'mfa_challenge');
  if ('elsewhere' in at) return at.elsewhere;
  const { factors } = at.step;
  const current = currentFactor(visit, factors);
  if (current) return ask(visit, current, factors, errors);
  const [only, ...others] = factors;
  if (only && others.length === 0) {
    challenge(visit, only);
    return ask(visit, only, factors, errors);
  }
  return choose(visit, factors, errors);
}

/** The factor of the challenge that was made here. */
function currentFactor({ world, progress }: Visit, own: readonly FactorRecord[]): FactorRecord | undefined {
  const current = progress.challengeId === null ? undefined : world.of(challenges).find(progress.challengeId);
  return current && own.find(({ id }) => id === current.authenticationFactorId);
}

function challenge({ world, authorization }: Visit, { id }: FactorRecord): void {
  note(world, authorization, { challengeId: challengeFactor(world, id).id });
}

function choose(visit: Visit, factors: readonly FactorRecord[], errors: readonly FormError[]): Answer {
  return frame(
    visit,
    'Choose a second step',
    html`${new Fields(errors).summary}
${formsOf(
  'second-factor',
  visit,
)(
  html`<div class="stack">${factors.map((factor) =>
    submit(
      factor.phoneNumber === null
        ? html`Authenticator app <small>${factor.seed?.issuer}</small>`
        : html`Text message <small>${phoneHint(factor.phoneNumber)}</small>`,
      { name: 'factor', value: factor.id, look: 'second choice' },
    ),
  )}</div>`,
)}`,
    { wrong: errors.length > 0 },
  );
}

function ask(
  visit: Visit,
  { phoneNumber }: FactorRecord,
  factors: readonly FactorRecord[],
  errors: readonly FormError[],
): Answer {
  const fields = new Fields(errors);
  const own = formsOf('second-factor', visit);
  const way = (label: string, value: string) => own(submit(label, { name: 'way', value, look: 'plain' }));
  return frame(
    visit,
    'Confirm that it is you',
    html`${fields.summary}
<p>${
      phoneNumber === null
        ? 'Enter the code that your authenticator app shows for this account.'
        : `A code is on its way to you in a text message, ${phoneHint(phoneNumber)}. It works for ten minutes.`
    }</p>
${own(html`${codeField(fields)}${submit('Continue')}`)}
${phoneNumber === null ? undefined : html`<div class="aside">Nothing there? ${way('Send a new code', 'again')}</div>`}
${factors.length > 1 ? html`<div class="aside">${way('Use another way', 'other')}</div>` : undefined}`,
    { wrong: errors.length > 0, ...(phoneNumber === null ? {} : { mailTo: phoneNumber }) },
  );
}

/** A telephone number as far as its owner needs it. */
export const phoneHint = (phoneNumber: string): string => `to the number ending in ${phoneNumber.slice(-2)}`;

async function take(visit: Visit): Promise<Answer> {
  const at = atStep(visit, 'mfa_challenge');
  if ('elsewhere' in at) return at.elsewhere;
  const { world, authorization, body, progress } = visit;
  const { factors } = at.step;
  const choice = factors.find(({ id }) => id === fieldText(body, 'factor'));
  const current = currentFactor(visit, factors);
  const way = fieldText(body, 'way');
  if (choice) challenge(visit, choice);
  else if (way === 'other') note(world, authorization, { challengeId: null });
  else if (way === 'again' && current) challenge(visit, current);
  else if (current && progress.challengeId !== null) return answer(visit, at.signIn, progress.challengeId);
  return goTo(visit, 'second-factor');
}

async function answer(visit: Visit, signIn: SignIn, challengeId: string): Promise<Answer> {
  const { world, authorization, body } = visit;
  const code = codeIn(body);
  const wrong = wrongForm(code);
  if (wrong) return show(visit, [wrong]);
  // Read again: of several requests at once each is a guess of its own.
  countActivity(world, 'email_sign_in', world.of(users).get(signIn.userId).emailKey);
  const { guesses } = progressOf(world, authorization);
  note(world, authorization, { guesses: guesses + 1 });
  if (guesses < mostAttempts) return advance(visit, await proveFactor(world, signIn, { challengeId, code }));
  // Whoever guesses has to prove the first step again for every five guesses, whichever challenges they are for.
  world.of(authorizations).update(authorization.id, { signIn: null });
  note(world, authorization, { guesses: 0 });
  return errorPage(422, 'Too many wrong codes', 'To be on the safe side, sign in again from the start.', {
    url: addressOf('sign-in', authorization),
    label: 'Sign in again',
  });
}
