import { type Html, html } from '../http/html.js';
import { formTokenField, type Visitor } from '../http/visitor.js';

/** An error in a submitted form. */
export interface FormError {
  /** Name of the field; null if the error concerns the whole form. */
  readonly field: string | null;
  readonly message: string;
}

/** A text field. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'tel';
  /** Initial value; never a secret. */
  readonly value?: string | null | undefined;
  /** Help text under the label. */
  readonly hint?: string;
  /** Value of the HTML attribute `autocomplete`. */
  readonly autocomplete: string;
  readonly optional?: boolean;
  /** Whether the field gets the focus on a page without errors. */
  readonly first?: boolean;
  /** Whether the field is for a numeric code. It then has large type and a numeric keyboard. */
  readonly code?: boolean;
}

/** Renders the fields of one page with their errors. */
export class FormFields {
  readonly #errors: readonly FormError[];
  readonly #rendered = new Set<string | null>();

  constructor(errors: readonly FormError[] = []) {
    this.#errors = errors;
  }

  get hasErrors(): boolean {
    return this.#errors.length > 0;
  }

  /** The errors that do not belong to a field of the page, for the top of the page. A template renders it after the fields. */
  readonly summary: Html = {
    isEscaped: true,
    toString: () => {
      const others = this.#errors.filter(({ field }) => !this.#rendered.has(field));
      return others.length === 0
        ? ''
        : html`<div class="alert" role="alert"><h2>That did not work</h2><ul>${others.map(({ message }) => html`<li>${message}</li>`)}</ul></div>`.toString();
    },
  };

  /** Render a field with its label, hint and error. */
  field({ name, label, type = 'text', value, hint, autocomplete, optional, first, code }: Field): Html {
    this.#rendered.add(name);
    const error = this.#errors.find(({ field }) => field === name);
    const describedBy = [hint && `${name}-hint`, error && `${name}-wrong`].filter(Boolean).join(' ');
    // After an error, the first wrong field gets the focus.
    const focus = this.#errors.length > 0 ? error !== undefined && error === this.#first : first;
    return html`<div class="field">
<label for="${name}">${label}${optional ? html` <span class="quiet">(optional)</span>` : undefined}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error && html`<p class="wrong" id="${name}-wrong">${error.message}</p>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${attributes({
      value: type === 'password' || !value ? undefined : value,
      class: code ? 'code' : undefined,
      inputmode: code ? 'numeric' : undefined,
      maxlength: code ? '16' : undefined,
      autocapitalize: type === 'email' || code ? 'none' : undefined,
      spellcheck: type === 'email' || type === 'password' || code ? 'false' : undefined,
      required: optional ? undefined : '',
      'aria-describedby': describedBy || undefined,
      'aria-invalid': error ? 'true' : undefined,
      autofocus: focus ? '' : undefined,
    })}>
</div>`;
  }

  get #first(): FormError | undefined {
    return this.#errors.find(({ field }) => field !== null);
  }
}

const attributes = (values: Readonly<Record<string, string | undefined>>): readonly Html[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [html` ${name}="${value}"`]));

/** Render the field for the email address to sign in with. */
export const emailField = (fields: FormFields, value: string): Html =>
  fields.field({ name: 'email', label: 'Email address', type: 'email', value, autocomplete: 'username', first: true });

/** Hidden fields by name. */
export type HiddenFields = Readonly<Record<string, string | null | undefined>>;

/**
 * Render a form. It disables the browser's validation, because the pages show errors themselves. It contains the CSRF token of
 * this browser, which the emulator requires.
 */
export const form = (
  { formToken }: Pick<Visitor, 'formToken'>,
  action: string,
  hiddenFields: HiddenFields,
  body: Html,
): Html =>
  html`<form method="post" action="${action}" novalidate>${Object.entries({
    ...hiddenFields,
    [formTokenField]: formToken,
  }).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  )}
${body}
</form>`;

/** Render a submit button. With a name, the form also sends the button's name and value. */
export const submit = (
  label: string | Html,
  { name, value, look }: { readonly name?: string; readonly value?: string; readonly look?: ButtonLook } = {},
): Html =>
  html`<button type="submit"${attributes({ class: look, name, value: name === undefined ? undefined : (value ?? '') })}>${label}</button>`;

/** Look of a button; filled by default. */
type ButtonLook = 'second' | 'second choice' | 'plain';

/** A separator between alternatives. */
export const or: Html = html`<p class="or">or</p>`;

/** Read a field of a submitted form. Returns an empty string if the field is missing. */
export function fieldText(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return '';
  const value = (body as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}
