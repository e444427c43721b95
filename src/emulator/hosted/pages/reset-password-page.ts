import { type Answer, redirect } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html, page } from '../../http/html.js';
import type { Router } from '../../http/router.js';
import type { Visitor } from '../../http/visitor.js';
import {
  confirmPasswordReset,
  type PasswordResetRecord,
  resetPasswordPath,
  workingReset,
} from '../../sign-in/codes/password-resets.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import { type FormError, FormFields, fieldText, form, submit } from '../forms.js';
import { homeLink } from '../home-link.js';
import { newPasswordWordings } from './sign-up-page.js';

const donePath = '/password-changed';

/**
 * Serve the page for choosing a new password, for applications that have no such page. The link in the mail contains no
 * authorization, so that using it reveals nothing to the browser that requested it.
 */
export function resetPasswordPage(router: Router): void {
  router.page(
    'GET',
    resetPasswordPath,
    ({ memory, query, visitor }) => withReset(memory, query.get('token') ?? '', (reset) => render(visitor, reset)),
    { isHosted: true },
  );

  router.page(
    'POST',
    resetPasswordPath,
    ({ memory, body, visitor }) =>
      withReset(memory, fieldText(body, 'token'), (reset) => {
        const password = fieldText(body, 'password');
        if (password === '') return render(visitor, reset, [{ field: 'password', message: 'Choose a password.' }]);
        if (password !== fieldText(body, 'again'))
          return render(visitor, reset, [{ field: 'again', message: 'The two passwords are not the same.' }]);
        try {
          confirmPasswordReset(memory, reset.token, password);
        } catch (error) {
          const wrong = error instanceof EmulatorRefusal ? newPasswordWordings[error.code] : undefined;
          if (wrong) return render(visitor, reset, [wrong]);
          throw error;
        }
        return redirect(`${donePath}?${new URLSearchParams({ client_id: memory.settings.clientId })}`, 303);
      }),
    { isHosted: true },
  );

  router.page(
    'GET',
    donePath,
    ({ memory }) =>
      page(
        200,
        'Your password has been changed',
        html`<p>Go back to the sign-in page and use your new password. Links in earlier emails no longer work.</p>
${homeLink(memory)}`,
      ),
    { isHosted: true },
  );
}

async function withReset(
  memory: Memory,
  token: string,
  answer: (reset: PasswordResetRecord) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer(workingReset(memory, token));
  } catch (error) {
    if (!(error instanceof EmulatorRefusal)) throw error;
    return error.code === 'password_reset_token_expired'
      ? errorPage(410, 'This link has expired', 'It worked for one hour. Ask for a new one.')
      : errorPage(404, 'This link does not work', 'It is incomplete or was already used. Ask for a new one.');
  }
}

function render(visitor: Visitor, { email, token }: PasswordResetRecord, errors: readonly FormError[] = []): Answer {
  const fields = new FormFields(errors);
  return page(
    errors.length > 0 ? 422 : 200,
    'Choose a new password',
    html`${fields.summary}
${form(
  visitor,
  resetPasswordPath,
  { token },
  html`<input class="unseen" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${fields.field({
  name: 'password',
  label: 'New password',
  type: 'password',
  hint: 'At least 8 characters.',
  autocomplete: 'new-password',
  first: true,
})}
${fields.field({ name: 'again', label: 'Repeat new password', type: 'password', autocomplete: 'new-password' })}
${submit('Change password')}`,
)}`,
    { lead: html`for <strong>${email}</strong>`, wrong: errors.length > 0 },
  );
}
