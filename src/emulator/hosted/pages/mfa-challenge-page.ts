import type { Answer } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html } from '../../http/html.js';
import { countActivity } from '../../rooms/rate-limits/rate-limiter.js';
import { maxAttempts } from '../../rooms/users/one-time-codes.js';
import { users } from '../../rooms/users/records.js';
import { authorizations } from '../../sign-in/authorizations/authorizations.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { progressOf, updateProgress } from '../../sign-in/authorizations/progress.js';
import { challengeFactor, challenges, type FactorRecord } from '../../sign-in/factors/factors.js';
import { proveFactor } from '../../sign-in/grants/proofs.js';
import type { SignIn } from '../../sign-in/proof/sign-in.js';
import { type FormError, FormFields, fieldText, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf, goTo, stepOf } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { codeField, codeIn, codeProblem } from './code-page.js';

/** Error messages for codes of second factors, by error code. */
export const factorWordings: Readonly<Record<string, FormError>> = {
  invalid_one_time_code: { field: 'code', message: 'This code is wrong. Codes work once: use the latest one.' },
  authentication_challenge_expired: { field: 'code', message: 'This code has expired. Send a new one.' },
};

/** The page that asks for a second factor. If there are several, the user chooses one first. */
export const mfaChallengePage: HostedPage = { render, handle, wordings: factorWordings };

function render(visit: Visit, errors: readonly FormError[] = []): PageAnswer {
  const at = stepOf(visit, 'mfa_challenge');
  if (!at) return undefined;
  const { factors } = at.step;
  const current = currentFactor(visit, factors);
  if (current) return renderCode(visit, current, factors, errors);
  const [only, ...others] = factors;
  if (only && others.length === 0) {
    challenge(visit, only);
    return renderCode(visit, only, factors, errors);
  }
  return renderChoice(visit, factors, errors);
}

/** Find the factor of the challenge that this authorization created. */
function currentFactor({ memory, progress }: Visit, userFactors: readonly FactorRecord[]): FactorRecord | undefined {
  const current = progress.challengeId === null ? undefined : memory.of(challenges).find(progress.challengeId);
  return current && userFactors.find(({ id }) => id === current.authenticationFactorId);
}

function challenge({ memory, authorization }: Visit, { id }: FactorRecord): void {
  updateProgress(memory, authorization, { challengeId: challengeFactor(memory, id).id });
}

function renderChoice(visit: Visit, factors: readonly FactorRecord[], errors: readonly FormError[]): Answer {
  return frame(
    visit,
    'Choose a verification method',
    html`${formsOf(visit)(
      html`<div class="stack">${factors.map((factor) =>
        submit(
          factor.phoneNumber === null
            ? html`Authenticator app <small>${factor.seed?.issuer}</small>`
            : html`Text message <small>${phoneHint(factor.phoneNumber)}</small>`,
          { name: 'factor', value: factor.id, look: 'second choice' },
        ),
      )}</div>`,
    )}`,
    { fields: new FormFields(errors) },
  );
}

function renderCode(
  visit: Visit,
  { phoneNumber }: FactorRecord,
  factors: readonly FactorRecord[],
  errors: readonly FormError[],
): Answer {
  const fields = new FormFields(errors);
  const formFor = formsOf(visit);
  const way = (label: string, value: string) => formFor(submit(label, { name: 'way', value, look: 'plain' }));
  return frame(
    visit,
    'Verify your identity',
    html`<p>${
      phoneNumber === null
        ? 'Enter the code that your authenticator app shows for this account.'
        : `A text message with a code is on its way ${phoneHint(phoneNumber)}. The code works for ten minutes.`
    }</p>
${formFor(html`${codeField(fields)}${submit('Continue')}`)}
${phoneNumber === null ? undefined : html`<div class="aside">No code yet? ${way('Send a new code', 'again')}</div>`}
${factors.length > 1 ? html`<div class="aside">${way('Use another method', 'other')}</div>` : undefined}`,
    { fields, ...(phoneNumber === null ? {} : { mailTo: phoneNumber }) },
  );
}

/** Describe a phone number by its last two digits, which are enough for its owner to recognize it. */
export const phoneHint = (phoneNumber: string): string => `to the number ending in ${phoneNumber.slice(-2)}`;

async function handle(visit: Visit): Promise<PageAnswer> {
  const at = stepOf(visit, 'mfa_challenge');
  if (!at) return undefined;
  const { memory, authorization, body, progress } = visit;
  const { factors } = at.step;
  const choice = factors.find(({ id }) => id === fieldText(body, 'factor'));
  const current = currentFactor(visit, factors);
  const way = fieldText(body, 'way');
  if (choice) challenge(visit, choice);
  else if (way === 'other') updateProgress(memory, authorization, { challengeId: null });
  else if (way === 'again' && current) challenge(visit, current);
  else if (current && progress.challengeId !== null) return checkCode(visit, at.signIn, progress.challengeId);
  return goTo(visit, 'mfa-challenge');
}

async function checkCode(visit: Visit, signIn: SignIn, challengeId: string): Promise<PageAnswer> {
  const { memory, authorization, body } = visit;
  const code = codeIn(body);
  const wrong = codeProblem(code);
  if (wrong) return render(visit, [wrong]);
  // Read the progress again, so that each of several concurrent requests counts as a guess.
  countActivity(memory, 'email_sign_in', memory.of(users).get(signIn.userId).emailKey);
  const { guesses } = progressOf(memory, authorization);
  updateProgress(memory, authorization, { guesses: guesses + 1 });
  if (guesses < maxAttempts)
    return continueAuthorization(memory, authorization, await proveFactor(memory, signIn, { challengeId, code }));
  // After five guesses in all challenges together, the user must prove the first step again.
  memory.of(authorizations).update(authorization.id, { signIn: null });
  updateProgress(memory, authorization, { guesses: 0 });
  return errorPage(422, 'Too many wrong codes', 'For your security, sign in again from the start.', {
    url: addressOf('sign-in', authorization),
    label: 'Sign in again',
  });
}
