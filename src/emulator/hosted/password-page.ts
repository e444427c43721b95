import { connections } from '../rooms/connections/records.js';
import type { Answer } from '../server/answer.js';
import { type Html, html } from '../server/html.js';
import { countActivity } from '../server/rate-limiter.js';
import type { Router } from '../server/router.js';
import { provePassword } from '../sign-in/proofs.js';
import { nextStep } from '../sign-in/sign-in.js';
import { emailKeyOf } from '../world/email-key.js';
import { advance, goToConnection } from './advance.js';
import { sendCode } from './code-page.js';
import { Fields, type FormError, fieldText, or, submit } from './forms.js';
import { addressOf, formsOf, frame } from './frame.js';
import { emailOf, providerName, type Ways, waysFor, whoIs, wrongEmail } from './known-email.js';
import { logoOf } from './logos.js';
import { note } from './progress.js';
import { goTo, hostedPage, type Visit } from './visit.js';

/**
 * The page after the address: its password, or one of the other ways that its domain allows. It is the same for
 * everybody, so that it does not tell who has an account.
 */
export function passwordPage(router: Router): void {
  hostedPage(router, 'password', {
    show: (visit, errors) => show(visit, fieldText(visit.body, 'email') || emailOf(visit), errors),
    take,
    wordings: {
      invalid_credentials: { field: 'password', message: 'This email address and password do not belong together.' },
    },
  });
}

function show(visit: Visit, email: string, errors: readonly FormError[] = []): Answer {
  const { world, authorization } = visit;
  if (wrongEmail(visit, email)) return goTo(visit, 'sign-in');
  const ways = waysFor(world, email);
  if (ways.ssoOnly) return goToConnection(visit, ways.connectionIds);
  const fields = new Fields(errors);
  const others = otherWays(visit, email, ways);
  return frame(
    visit,
    ways.password ? 'Enter your password' : 'Choose how to sign in',
    html`${fields.summary}
${errors.length > 0 ? undefined : refusalNote(visit)}
${whoIs(authorization, email)}
${ways.password ? passwordForm(visit, email, fields) : undefined}
${ways.password && others.length > 0 ? or : undefined}
${others.length > 0 ? html`<div class="stack">${others}</div>` : undefined}
${
  world.settings.allowSignUp && ways.password
    ? html`<p class="aside">New here? <a href="${addressOf('sign-up', authorization)}">Create an account</a></p>`
    : undefined
}`,
    { wrong: errors.length > 0 },
  );
}

const passwordForm = (visit: Visit, email: string, fields: Fields): Html =>
  formsOf(
    'password',
    visit,
  )(
    // Password managers want to know whose password it is.
    html`<input class="unseen" type="email" name="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${fields.field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', first: true })}
<p class="beside"><a href="${addressOf('forgot-password', visit.authorization)}">Forgot your password?</a></p>
${submit('Sign in')}`,
  );

/** What else the address may be signed in with, a button each. */
function otherWays(visit: Visit, email: string, { password, code, connectionIds, providers }: Ways): readonly Html[] {
  const { world } = visit;
  const own = formsOf('password', visit, { hidden: { email } });
  const way = (label: string | Html, name: string, value: string): Html =>
    own(submit(label, { name, value, look: 'second' }));
  return [
    ...(code ? [way('Email me a code', 'way', 'code')] : []),
    ...connectionIds.map((id) => way(`Use single sign-on of ${world.of(connections).get(id).name}`, 'connection', id)),
    // The page before has them too, for whoever may choose.
    ...(password
      ? []
      : providers.map((one) => way(html`${logoOf(one)}Continue with ${providerName(one)}`, 'provider', one))),
  ];
}

/** Say why somebody who has proven something is here again. */
function refusalNote({ world, authorization: { signIn } }: Visit): Html | undefined {
  if (signIn === null || nextStep(world, signIn).kind !== 'methods_required') return undefined;
  const method =
    signIn.method === 'Password'
      ? 'a password'
      : signIn.method === 'MagicAuth'
        ? 'an emailed code'
        : providerName(signIn.method);
  return html`<div class="note"><p>Your organization does not let you sign in with ${method}. Choose another way.</p></div>`;
}

async function take(visit: Visit): Promise<Answer> {
  const { world, authorization, body } = visit;
  const email = fieldText(body, 'email').trim();
  if (wrongEmail(visit, email)) return goTo(visit, 'sign-in');
  note(world, authorization, { email });
  const ways = waysFor(world, email);
  const connection = fieldText(body, 'connection');
  if (ways.connectionIds.includes(connection)) return goTo(visit, 'identity-provider', { connection });
  const provider = fieldText(body, 'provider');
  if (ways.providers.includes(provider)) return goTo(visit, 'provider', { provider });
  if (fieldText(body, 'way') === 'code') {
    if (ways.code) sendCode(world, email);
    return goTo(visit, ways.code ? 'code' : 'password');
  }
  const password = fieldText(body, 'password');
  if (!ways.password) return show(visit, email);
  if (password === '') return show(visit, email, [{ field: 'password', message: 'Enter your password.' }]);
  countActivity(world, 'email_sign_in', emailKeyOf(email));
  return advance(visit, await provePassword(world, authorization, { email, password }));
}
