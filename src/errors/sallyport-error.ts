import { withoutRecognizable } from './redact.js';

const kinds = Symbol.for('sallyport.error.kinds');

/** The parts of a message: what happened, why if it is known, what to do next. */
export interface Explanation {
  readonly what: string;
  readonly why?: string | undefined;
  readonly next?: string | undefined;
}

/** Joins the parts into sentences. */
export const explain = ({ what, why, next }: Explanation): string =>
  [what, why, next]
    .filter((part) => part)
    .map((part) => part!.replace(/[^.!?]$/, '$&.'))
    .join(' ');

/**
 * The same without secrets, for explanations that quote what a caller or a service said. Errors whose words are all our own
 * do without it, so that checking a webhook does not bring the redactor along.
 */
export const withoutSecrets = (explanation: Explanation): Explanation => ({
  what: withoutRecognizable(explain(explanation)),
});

/**
 * Base of every error this package throws.
 *
 * `code` is stable across releases and narrows in a `switch`; the message may improve at any time. An error made by one
 * entry or copy of the package is `instanceof` the same class of every other.
 */
export class SallyportError<Code extends string = string> extends Error {
  /** The class by its name, also where a bundler renames classes. */
  static readonly kind: string = 'SallyportError';

  /** Stable name of what went wrong. */
  declare readonly code: Code;
  /** Where to resume a list, when the error struck in the middle of one: pass it as `after`, or as `before` when walking back. */
  declare cursor?: string;
  /** The parent whose list failed, when `concurrently` lists those of several; not printed with the error. */
  declare readonly parent?: unknown;

  constructor(code: Code, explanation: Explanation, options?: { readonly cause?: unknown }) {
    super(explain(explanation), options);
    this.code = code;
  }

  override get name(): string {
    return (this.constructor as typeof SallyportError).kind;
  }

  /** The classes this error belongs to, for other copies of the package. */
  get [kinds](): readonly string[] {
    const names: string[] = [];
    for (let at = this.constructor as { kind?: string } | null; at?.kind; at = Object.getPrototypeOf(at))
      names.push(at.kind);
    return names;
  }

  /** What may be logged: no secret, no header, no body. */
  toJSON(): Record<string, unknown> {
    // As a plain object: the compiler would otherwise take the two names above for overwritten.
    return { name: this.name, message: this.message, ...(this as object) };
  }

  static override [Symbol.hasInstance](
    this: { readonly kind: string; readonly prototype: object },
    value: unknown,
  ): boolean {
    // A class derived by a user has no kind of its own and is told by its prototype, as usual.
    return Object.hasOwn(this, 'kind') ? kindsOf(value).includes(this.kind) : super[Symbol.hasInstance](value);
  }
}

const kindsOf = (value: unknown): readonly string[] => Object(value)[kinds] ?? [];

/** Whether a value is an error of this package, whichever entry or copy of it made the error. */
export const isErrorOfSallyport = (value: unknown): value is SallyportError =>
  kindsOf(value).includes('SallyportError');

/** Codes of `ConfigurationError`. */
export type ConfigurationCode =
  | 'missing_api_key'
  | 'malformed_api_key'
  | 'api_key_in_browser'
  | 'missing_client_id'
  | 'missing_base_url'
  | 'missing_cookie_password'
  | 'invalid_base_url'
  | 'insecure_base_url'
  | 'unknown_dialect'
  | 'invalid_option'
  | 'invalid_seed'
  | 'invalid_state';

/** An option, an environment variable or a seed is missing or wrong; nothing was sent. */
export class ConfigurationError extends SallyportError<ConfigurationCode> {
  static override readonly kind: string = 'ConfigurationError';

  constructor(code: ConfigurationCode, explanation: Explanation, options?: { readonly cause?: unknown }) {
    super(code, withoutSecrets(explanation), options);
  }
}

/** An argument of a call is missing or wrong; nothing was sent. */
export class InvalidArgumentError extends SallyportError<'invalid_argument'> {
  static override readonly kind: string = 'InvalidArgumentError';
  /** The argument by its name, `domainData[0].state`. */
  declare readonly argument: string;

  constructor(explanation: Explanation & { readonly argument: string }, options?: { readonly cause?: unknown }) {
    super('invalid_argument', withoutSecrets(explanation), options);
    this.argument = withoutRecognizable(explanation.argument);
  }
}
