import { withoutRecognizable } from './redact.js';

const kinds = Symbol.for('sallyport.error.kinds');

/** The parts of a message: what happened, why (if known), and what to do next. */
export interface Explanation {
  readonly what: string;
  readonly why?: string | undefined;
  readonly next?: string | undefined;
}

/** Join the parts into sentences. */
export const explain = ({ what, why, next }: Explanation): string =>
  [what, why, next]
    .filter((part) => part)
    .map((part) => part!.replace(/[^.!?]$/, '$&.'))
    .join(' ');

/**
 * Remove secrets from an explanation that quotes the caller or the service. Errors with only fixed texts do not call it, so that
 * verifying a webhook does not load the redactor.
 */
export const withoutSecrets = (explanation: Explanation): Explanation => ({
  what: withoutRecognizable(explain(explanation)),
});

/**
 * Base of every error this package throws.
 *
 * `code` is stable across releases and narrows in a `switch`; messages may change at any time. `instanceof` works across all
 * entries and copies of the package.
 */
export class SallyportError<Code extends string = string> extends Error {
  /** Name of the class, even if a bundler renames it. */
  static readonly kind: string = 'SallyportError';

  /** Stable code of the error. */
  declare readonly code: Code;
  /** Where to resume a list that failed in the middle: pass it as `after`, or as `before` when walking backwards. */
  declare cursor?: string;

  constructor(code: Code, explanation: Explanation, options?: { readonly cause?: unknown }) {
    super(explain(explanation), options);
    this.code = code;
  }

  override get name(): string {
    return (this.constructor as typeof SallyportError).kind;
  }

  // Loggers and subclasses assign a name, which every built-in error allows.
  override set name(value: string) {
    Object.defineProperty(this, 'name', { value, writable: true });
  }

  /** The class names of this error, for other copies of the package. */
  get [kinds](): readonly string[] {
    return namesOf(this.constructor as { readonly kind?: string });
  }

  /** Return what is safe to log: no secrets, headers or bodies. */
  toJSON(): Record<string, unknown> {
    // The compiler assumes that the spread overwrites `name` and `message`, but they are not enumerable.
    return { name: this.name, message: this.message, ...(this as object) };
  }

  static override [Symbol.hasInstance](
    this: { readonly kind: string; readonly prototype: object },
    value: unknown,
  ): boolean {
    // Subclasses by users have no `kind` and use the prototype chain.
    return Object.hasOwn(this, 'kind') ? Object(value)[kinds]?.includes(this.kind) : super[Symbol.hasInstance](value);
  }
}

/** The class names of a class and those it extends. */
const namesOf = (at: { readonly kind?: string } | null): readonly string[] =>
  at?.kind ? [at.kind, ...namesOf(Object.getPrototypeOf(at))] : [];

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

/** An option, an environment variable or a seed is missing or invalid. Nothing was sent. */
export class ConfigurationError extends SallyportError<ConfigurationCode> {
  static override readonly kind: string = 'ConfigurationError';

  constructor(code: ConfigurationCode, explanation: Explanation, options?: { readonly cause?: unknown }) {
    super(code, withoutSecrets(explanation), options);
  }
}

/** An argument of a call is missing or invalid. Nothing was sent. */
export class InvalidArgumentError extends SallyportError<'invalid_argument'> {
  static override readonly kind: string = 'InvalidArgumentError';
  /** Name of the argument, such as `domainData[0].state`. */
  declare readonly argument: string;

  constructor(explanation: Explanation & { readonly argument: string }, options?: { readonly cause?: unknown }) {
    super('invalid_argument', withoutSecrets(explanation), options);
    this.argument = withoutRecognizable(explanation.argument);
  }
}
