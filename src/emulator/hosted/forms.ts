import { type Html, html } from '../server/html.js';
import { formTokenField, type Visitor } from '../server/visitor.js';

/** What is wrong with what was typed. */
export interface FormError {
  /** Name of the field; null for what concerns the form as a whole. */
  readonly field: string | null;
  readonly message: string;
}

/** A field to type into. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'tel';
  /** What is there already; never a secret. */
  readonly value?: string | null | undefined;
  /** What helps to fill it in. */
  readonly hint?: string;
  /** What a browser may fill in, as HTML names it. */
  readonly autocomplete: string;
  readonly optional?: boolean;
  /** Whether it is where typing starts, when nothing is wrong. */
  readonly first?: boolean;
  /** A code of digits: large, with the keyboard for numbers. */
  readonly code?: boolean;
}

/** The form pieces of one page, which know what is wrong with what was typed. */
export class Fields {
  readonly #errors: readonly FormError[];
  readonly #shown = new Set<string | null>();

  constructor(errors: readonly FormError[] = []) {
    this.#errors = errors;
  }

  /** What is wrong and belongs to no field of the page, for its top. What belongs to a field is said there, and only there. */
  readonly summary = (): Html | undefined => {
    const others = this.#errors.filter(({ field }) => !this.#shown.has(field));
    return others.length === 0
      ? undefined
      : html`<div class="alert" role="alert"><h2>That did not work</h2><ul>${others.map(({ message }) => html`<li>${message}</li>`)}</ul></div>`;
  };

  /** A field with its label, what helps to fill it in, and what is wrong with it. */
  field({ name, label, type = 'text', value, hint, autocomplete, optional, first, code }: Field): Html {
    this.#shown.add(name);
    const error = this.#errors.find(({ field }) => field === name);
    const describedBy = [hint && `${name}-hint`, error && `${name}-wrong`].filter(Boolean).join(' ');
    // The caret stands where something is to be done: in the first field that is wrong.
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

/** The field for the address that somebody signs in with. */
export const emailField = (fields: Fields, value: string): Html =>
  fields.field({ name: 'email', label: 'Email address', type: 'email', value, autocomplete: 'username', first: true });

/** What a form carries along unseen. */
export type HiddenFields = Readonly<Record<string, string | null | undefined>>;

/**
 * A form that says what is wrong itself, rather than leaving it to the browser. It carries the token of the browser that it
 * is shown to, without which the emulator takes no form.
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

/** A button that sends its form; with a name, what it stands for goes along. */
export const submit = (
  label: string | Html,
  { name, value, look }: { readonly name?: string; readonly value?: string; readonly look?: ButtonLook } = {},
): Html =>
  html`<button type="submit"${attributes({ class: look, name, value: name === undefined ? undefined : (value ?? '') })}>${label}</button>`;

/** How a button looks: filled when nothing is said. */
export type ButtonLook = 'second' | 'second choice' | 'plain';

/** A line between what belongs to different ways of doing something. */
export const or: Html = html`<p class="or">or</p>`;

/** What was typed, by the name of the field; empty when there is none. */
export function fieldText(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return '';
  const value = (body as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}
