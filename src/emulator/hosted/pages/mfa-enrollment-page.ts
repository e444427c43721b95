import type { Answer } from '../../http/answer.js';
import { type Html, html } from '../../http/html.js';
import { wrongCode } from '../../rooms/users/one-time-codes.js';
import { users } from '../../rooms/users/records.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { updateProgress } from '../../sign-in/authorizations/progress.js';
import {
  challengeFactor,
  enrollSms,
  enrollTotp,
  type FactorRecord,
  factors,
  teamName,
  verifyChallenge,
} from '../../sign-in/factors/factors.js';
import { enrollmentOf, type TotpSeed } from '../../sign-in/factors/totp.js';
import type { SignIn } from '../../sign-in/proof/sign-in.js';
import { type FormError, FormFields, fieldText, or, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { goTo, stepOf } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { codeField, codeIn, codeProblem } from './code-page.js';
import { factorWordings, phoneHint } from './mfa-challenge-page.js';

/**
 * The page for setting up a second factor: an authenticator app or a phone. The factor is assigned to the user only
 * after its first correct code, so that a factor that never worked cannot lock the user out.
 */
export const mfaEnrollmentPage: HostedPage = {
  render,
  handle,
  wordings: {
    ...factorWordings,
    one_time_code_too_many_attempts: { field: 'code', message: 'Too many wrong codes. Start again with a new one.' },
    invalid_phone_number: {
      field: 'phone',
      message: 'Enter the number with its country code, such as +15005550006.',
    },
  },
};

async function render(visit: Visit, errors: readonly FormError[] = []): Promise<PageAnswer> {
  const at = stepOf(visit, 'mfa_enrollment');
  if (!at) return undefined;
  const factor = newFactorOf(visit) ?? (await startApp(visit, at.signIn));
  return factor.seed === null ? renderPhone(visit, factor, errors) : renderApp(visit, factor.seed, errors);
}

/** Find the factor that this authorization is setting up. */
const newFactorOf = ({ memory, progress: { newFactorId } }: Visit): FactorRecord | undefined =>
  newFactorId === null ? undefined : memory.of(factors).find(newFactorId);

async function startApp({ memory, authorization }: Visit, { userId }: SignIn): Promise<FactorRecord> {
  const { email } = memory.of(users).get(userId);
  const factor = await enrollTotp(memory, { issuer: teamName, user: email });
  updateProgress(memory, authorization, { newFactorId: factor.id, challengeId: null });
  return factor;
}

async function renderApp(visit: Visit, seed: TotpSeed, errors: readonly FormError[]): Promise<Answer> {
  const { qrCode } = await enrollmentOf(seed);
  const fields = new FormFields(errors);
  const formFor = formsOf(visit);
  return frame(
    visit,
    'Set up two-step verification',
    html`<p>Scan this QR code with an authenticator app, then enter the code that the app shows.</p>
<img class="qr" src="${qrCode}" alt="QR code for an authenticator app; it contains the key below" width="184" height="184">
<p class="hint">Cannot scan it? Enter this key in the app:</p>
<code class="secret">${seed.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
${formFor(html`${codeField(fields)}${submit('Turn on')}`)}
${or}
${formFor(
  html`${fields.field({
    name: 'phone',
    label: 'Phone number',
    type: 'tel',
    hint: 'Include the country code. Codes are sent by text message.',
    autocomplete: 'tel',
  })}
${submit('Use text messages', { name: 'way', value: 'phone', look: 'second' })}`,
)}`,
    { fields },
  );
}

function renderPhone(visit: Visit, { phoneNumber }: FactorRecord, errors: readonly FormError[]): Answer {
  const fields = new FormFields(errors);
  const formFor = formsOf(visit);
  const number = phoneNumber ?? '';
  const way = (label: string, value: string): Html => formFor(submit(label, { name: 'way', value, look: 'plain' }));
  return frame(
    visit,
    'Set up two-step verification',
    html`<p>A text message with a code is on its way ${phoneHint(number)}. The code works for ten minutes.</p>
${formFor(html`${codeField(fields)}${submit('Turn on')}`)}
<div class="aside">No code yet? ${way('Send a new code', 'again')}</div>
<div class="aside">${way('Use an authenticator app instead', 'app')}</div>`,
    { fields, mailTo: number },
  );
}

async function handle(visit: Visit): Promise<PageAnswer> {
  const at = stepOf(visit, 'mfa_enrollment');
  if (!at) return undefined;
  const { memory, authorization, body, progress } = visit;
  const factor = newFactorOf(visit);
  const way = fieldText(body, 'way');
  if (way === 'phone') challengeNewFactor(visit, enrollSms(memory, { phoneNumber: fieldText(body, 'phone') }));
  else if (way === 'again' && factor) challengeNewFactor(visit, factor);
  else if (way === 'app') updateProgress(memory, authorization, { newFactorId: null, challengeId: null });
  else if (way === '' && factor) return checkCode(visit, at.signIn, factor, progress.challengeId);
  return goTo(visit, 'mfa-enrollment');
}

function challengeNewFactor({ memory, authorization }: Visit, { id }: FactorRecord): string {
  const challengeId = challengeFactor(memory, id).id;
  updateProgress(memory, authorization, { newFactorId: id, challengeId });
  return challengeId;
}

async function checkCode(
  visit: Visit,
  signIn: SignIn,
  factor: FactorRecord,
  challengeId: string | null,
): Promise<PageAnswer> {
  const { memory, authorization, body } = visit;
  const code = codeIn(body);
  const wrong = codeProblem(code);
  if (wrong) return render(visit, [wrong]);
  const { valid } = await verifyChallenge(memory, challengeId ?? challengeNewFactor(visit, factor), code);
  if (!valid) throw wrongCode();
  memory.of(factors).update(factor.id, { userId: signIn.userId });
  updateProgress(memory, authorization, { newFactorId: null });
  return continueAuthorization(memory, authorization, { ...signIn, secondFactor: true });
}
