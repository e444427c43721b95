import { type Html, html } from '../../http/html.js';
import { fullNameOf, type Person } from '../../rooms/users/records.js';
import { isEmail } from '../../store/email-key.js';
import { type FormError, type FormFields, fieldText } from '../forms.js';

/** Render a person for a button: the name and the address below it, or only the address. */
export function person({ email, ...names }: Person): Html {
  const name = fullNameOf(names);
  return name === '' ? html`${email}` : html`${name} <small>${email}</small>`;
}

/** Render the form fields for a person who is new to the provider. */
export const personFields = (
  fields: FormFields,
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
${nameFields(fields, body)}`;

/** Render the fields for the first and last name. */
export const nameFields = (fields: FormFields, body: unknown): Html =>
  html`<div class="row">
${fields.field({ name: 'first_name', label: 'First name', value: fieldText(body, 'first_name'), autocomplete: 'given-name', optional: true })}
${fields.field({ name: 'last_name', label: 'Last name', value: fieldText(body, 'last_name'), autocomplete: 'family-name', optional: true })}
</div>`;

/** Read the first and last name from the form fields. */
export const namesIn = (body: unknown) => ({
  firstName: fieldText(body, 'first_name').trim() || null,
  lastName: fieldText(body, 'last_name').trim() || null,
});

/** Read the person from the form fields. Returns an error if the address is invalid. */
export function personIn(body: unknown): Person | FormError {
  const email = fieldText(body, 'email').trim();
  if (!isEmail(email)) return { field: 'email', message: 'Enter a full email address, such as ada@example.com.' };
  return { email, ...namesIn(body) };
}
