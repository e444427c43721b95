import { wrongCode } from '../rooms/users/one-time-codes.js';
import { users } from '../rooms/users/records.js';
import type { Answer } from '../server/answer.js';
import { type Html, html } from '../server/html.js';
import type { Router } from '../server/router.js';
import {
  challengeFactor,
  enrollSms,
  enrollTotp,
  type FactorRecord,
  factors,
  teamName,
  verifyChallenge,
} from '../sign-in/factors.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { enrollmentOf, type TotpSeed } from '../sign-in/totp.js';
import { advance, atStep } from './advance.js';
import { codeField, codeIn, wrongForm } from './code-page.js';
import { Fields, type FormError, fieldText, or, submit } from './forms.js';
import { formsOf, frame } from './frame.js';
import { note } from './progress.js';
import { factorWordings, phoneHint } from './second-factor-page.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/**
 * The page on which somebody sets up a second factor: an authenticator app, or a telephone. It becomes the user's with
 * its first right code, so that nobody is locked out by one that never worked.
 */
export function enrollPage(router: Router): void {
  hostedPage(router, 'enroll', {
    show,
    take,
    wordings: {
      ...factorWordings,
      one_time_code_too_many_attempts: { field: 'code', message: 'Too many wrong codes. Start again with a new one.' },
      invalid_phone_number: {
        field: 'phone',
        message: 'Enter the number with its country code, such as +15005550006.',
      },
    },
  });
}

async function show(visit: Visit, errors: readonly FormError[] = []): Promise<Answer> {
  const at = atStep(visit, 'mfa_enrollment');
  if ('elsewhere' in at) return at.elsewhere;
  const factor = newFactorOf(visit) ?? (await startApp(visit, at.signIn));
  return factor.seed === null ? phone(visit, factor, errors) : app(visit, factor.seed, errors);
}

/** The factor that is being set up here. */
const newFactorOf = ({ world, progress: { newFactorId } }: Visit): FactorRecord | undefined =>
  newFactorId === null ? undefined : world.of(factors).find(newFactorId);

async function startApp({ world, authorization }: Visit, { userId }: SignIn): Promise<FactorRecord> {
  const { email } = world.of(users).get(userId);
  const factor = await enrollTotp(world, { issuer: teamName, user: email });
  note(world, authorization, { newFactorId: factor.id, challengeId: null });
  return factor;
}

async function app(visit: Visit, seed: TotpSeed, errors: readonly FormError[]): Promise<Answer> {
  const { qrCode } = await enrollmentOf(seed);
  const fields = new Fields(errors);
  const own = formsOf('enroll', visit);
  return frame(
    visit,
    'Set up a second step',
    html`${fields.summary}
<p>Scan this picture with an authenticator app, then enter the code that the app shows.</p>
<img class="qr" src="${qrCode}" alt="QR code for an authenticator app; the key under it says the same" width="184" height="184">
<p class="hint">Cannot scan it? Type this key into the app:</p>
<code class="secret">${seed.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
${own(html`${codeField(fields)}${submit('Turn it on')}`)}
${or}
${own(
  html`${fields.field({
    name: 'phone',
    label: 'Telephone number',
    type: 'tel',
    hint: 'With the country code. Codes come in text messages.',
    autocomplete: 'tel',
  })}
${submit('Use text messages', { name: 'way', value: 'phone', look: 'second' })}`,
)}`,
    { wrong: errors.length > 0 },
  );
}

function phone(visit: Visit, { phoneNumber }: FactorRecord, errors: readonly FormError[]): Answer {
  const fields = new Fields(errors);
  const own = formsOf('enroll', visit);
  const number = phoneNumber ?? '';
  const way = (label: string, value: string): Html => own(submit(label, { name: 'way', value, look: 'plain' }));
  return frame(
    visit,
    'Set up a second step',
    html`${fields.summary}
<p>A code is on its way to you in a text message, ${phoneHint(number)}. It works for ten minutes.</p>
${own(html`${codeField(fields)}${submit('Turn it on')}`)}
<div class="aside">Nothing there? ${way('Send a new code', 'again')}</div>
<div class="aside">${way('Use an authenticator app instead', 'app')}</div>`,
    { wrong: errors.length > 0, mailTo: number },
  );
}

async function take(visit: Visit): Promise<Answer> {
  const at = atStep(visit, 'mfa_enrollment');
  if ('elsewhere' in at) return at.elsewhere;
  const { world, authorization, body, progress } = visit;
  const factor = newFactorOf(visit);
  const way = fieldText(body, 'way');
  if (way === 'phone') ask(visit, enrollSms(world, { phoneNumber: fieldText(body, 'phone') }));
  else if (way === 'again' && factor) ask(visit, factor);
  else if (way === 'app') note(world, authorization, { newFactorId: null, challengeId: null });
  else if (way === '' && factor) return confirm(visit, at.signIn, factor, progress.challengeId);
  return goTo(visit, 'enroll');
}

function ask({ world, authorization }: Visit, { id }: FactorRecord): string {
  const challengeId = challengeFactor(world, id).id;
  note(world, authorization, { newFactorId: id, challengeId });
  return challengeId;
}

async function confirm(
  visit: Visit,
  signIn: SignIn,
  factor: FactorRecord,
  challengeId: string | null,
): Promise<Answer> {
  const { world, authorization, body } = visit;
  const code = codeIn(body);
  const wrong = wrongForm(code);
  if (wrong) return show(visit, [wrong]);
  const { valid } = await verifyChallenge(world, challengeId ?? ask(visit, factor), code);
  if (!valid) throw wrongCode();
  world.of(factors).update(factor.id, { userId: signIn.userId, updatedAt: world.now });
  note(world, authorization, { newFactorId: null });
  return advance(visit, { ...signIn, secondFactor: true });
}
