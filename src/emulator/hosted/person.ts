import { type Html, html } from '../server/html.js';
import { isEmail } from '../world/email-key.js';
import { type Fields, type FormError, fieldText } from './forms.js';

/** Somebody whom another provider knows. */
export interface Person {
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** Somebody to choose: the name, and under it the address. */
export function person({ email, firstName, lastName }: Person): Html {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return name === '' ? html`${email}` : html`${name} <small>${email}</small>`;
}

/** The fields in which somebody is described whom the provider does not know yet. */
export const personFields = (
  fields: Fields,
  body: unknown,
  { email, first }: { readonly email: string; readonly first: boolean },
): Html =>
  html`${fields.field({
    name: 'email',
    label: 'Email address',
    type: 'email',
    value: fieldText(body, 'email') || email,
    autocomplete: 'email',
    first,
  })}
<div class="row">
${fields.field({ name: 'first_name', label: 'First name', value: fieldText(body, 'first_name'), autocomplete: 'given-name', optional: true })}
${fields.field({ name: 'last_name', label: 'Last name', value: fieldText(body, 'last_name'), autocomplete: 'family-name', optional: true })}
</div>`;

/** Whom the fields describe, or what is wrong with them. */
export function personIn(body: unknown): Person | FormError {
  const email = fieldText(body, 'email').trim();
  if (!isEmail(email)) return { field: 'email', message: 'Enter an email address in full, such as ada@example.com.' };
  return {
    email,
    firstName: fieldText(body, 'first_name').trim() || null,
    lastName: fieldText(body, 'last_name').trim() || null,
  };
}
