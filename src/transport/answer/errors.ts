import { type Explanation, SallyportError, withoutSecrets } from '../../errors/index.js';
import type { SignInStep } from '../../oauth/step.js';
import type { SignInStepCode } from '../../service/flow-errors.js';

/** One entry of a 422 response. */
export interface FieldError {
  /** Wire name of the field, such as `domain_data.0.state`; absent if the service does not name one. */
  readonly field?: string;
  /** Code of the problem. */
  readonly code?: string;
  /** Description of the problem. */
  readonly message?: string;
}

/** The request of a call. */
export interface Attempted {
  readonly method: string;
  /** Path template, such as `/organizations/:id`. */
  readonly route: string;
  /** Number of requests this call sent. */
  readonly attempts: number;
}

/** The request of a call and the response to it. */
export interface Exchange extends Attempted {
  readonly status: number;
  /** `X-Request-ID` of the response. Quote it when you contact the service's support. */
  readonly requestId: string | undefined;
  readonly headers: Headers;
  /** Response body: parsed if it is JSON, otherwise text. May contain personal data. */
  readonly body: unknown;
  /** The service's error code or OAuth error, such as `domain_already_exists`. */
  readonly serviceCode: string | undefined;
}

/** Codes of the errors for HTTP statuses. */
export type ApiErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'rate_limited'
  | 'server_error'
  | 'request_failed';

/** The service rejected a request. Common statuses have their own subclass. */
export class ApiError<Code extends string = string> extends SallyportError<Code> {
  static override readonly kind: string = 'ApiError';
  declare readonly status: number;
  /** `X-Request-ID` of the response. Quote it when you contact the service's support. */
  declare readonly requestId: string | undefined;
  declare readonly method: string;
  /** Path template, such as `/organizations/:id`. */
  declare readonly route: string;
  /** Number of requests this call sent. */
  declare readonly attempts: number;
  /** The service's error code, such as `domain_already_exists`. The service may add codes. */
  declare readonly serviceCode: string | undefined;
  readonly #exchange: Exchange;

  constructor(code: Code, explanation: Explanation, exchange: Exchange) {
    super(code, withoutSecrets(explanation));
    const { headers: _, body: __, ...printed } = exchange;
    Object.assign(this, printed);
    this.#exchange = exchange;
  }

  /** Response headers; not printed with the error. */
  get headers(): Headers {
    return this.#exchange.headers;
  }
  /** Response body: parsed if it is JSON, otherwise text. Not printed with the error. */
  get body(): unknown {
    return this.#exchange.body;
  }
}

/** 400: the request breaks a rule of the service; see `serviceCode`. */
export class BadRequestError extends ApiError<'bad_request'> {
  static override readonly kind: string = 'BadRequestError';
}
/** 401: the API key, or the access token of `sso.getProfile`, is missing or wrong. */
export class UnauthorizedError extends ApiError<'unauthorized'> {
  static override readonly kind: string = 'UnauthorizedError';
}
/** 403: the API key may not do this, or the user does not belong to the organization; see `serviceCode`. */
export class ForbiddenError extends ApiError<'forbidden'> {
  static override readonly kind: string = 'ForbiddenError';
}
/** 404: the object does not exist, or the service has nothing at this address. */
export class NotFoundError extends ApiError<'not_found'> {
  static override readonly kind: string = 'NotFoundError';
}
/** 409: the name, domain or address is already taken. */
export class ConflictError extends ApiError<'conflict'> {
  static override readonly kind: string = 'ConflictError';
}
/** 422: fields are malformed; see `errors`. */
export class UnprocessableError extends ApiError<'unprocessable'> {
  static override readonly kind: string = 'UnprocessableError';
  /** The invalid fields with their problems, by wire name. */
  declare readonly errors: readonly FieldError[];
  constructor(explanation: Explanation, exchange: Exchange, errors: readonly FieldError[]) {
    super('unprocessable', explanation, exchange);
    this.errors = errors;
  }
}
/** 429: too many requests, even after the retries. */
export class RateLimitError extends ApiError<'rate_limited'> {
  static override readonly kind: string = 'RateLimitError';
  /** Milliseconds to wait before the next attempt; undefined if the service does not say. */
  declare readonly retryAfterMs: number | undefined;
  constructor(explanation: Explanation, exchange: Exchange, retryAfterMs: number | undefined) {
    super('rate_limited', explanation, exchange);
    this.retryAfterMs = retryAfterMs;
  }
}
/** 5xx: the service failed, even after the retries. */
export class ServerError extends ApiError<'server_error'> {
  static override readonly kind: string = 'ServerError';
  /** Milliseconds to wait before the next attempt; undefined if the service does not say. */
  declare readonly retryAfterMs: number | undefined;
  constructor(explanation: Explanation, exchange: Exchange, retryAfterMs: number | undefined) {
    super('server_error', explanation, exchange);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The sign-in is not finished: `code` names the next step, and `step` has the data for it. `switch (error.code)` narrows both.
 * `sign_in_step_required` stands for a step that this version does not know: `serviceCode` is its name. Getters keep tokens out of
 * printed errors.
 *
 * @example
 * if (isSallyportError(error) && error.code === 'organization_selection_required')
 *   showOrganizations(error.step.organizations, error.pendingAuthenticationToken);
 */
export class SignInStepError<Code extends SignInStepCode = SignInStepCode> extends ApiError<Code> {
  static override readonly kind: string = 'SignInStepError';
  readonly #step: Extract<SignInStep, { readonly reason: Code }>;

  constructor(step: Extract<SignInStep, { readonly reason: Code }>, explanation: Explanation, exchange: Exchange) {
    // A step has the reason of its type.
    super(step.reason as Code, explanation, exchange);
    this.#step = step;
  }

  /** The next step, in the form that `finishSignIn` of `sallyport/session` returns. */
  get step(): Extract<SignInStep, { readonly reason: Code }> {
    return this.#step;
  }
  /**
   * Token for the next call. With `sso_required`, null if none is needed; with `organization_authentication_methods_required`,
   * undefined if the service sends none.
   */
  get pendingAuthenticationToken(): Extract<SignInStep, { readonly reason: Code }>['pendingAuthenticationToken'] {
    const { pendingAuthenticationToken }: { readonly pendingAuthenticationToken?: unknown } = this.#step;
    // The compiler cannot follow the code into the union of steps.
    return pendingAuthenticationToken as never;
  }
}

/** A `SignInStepError` with any of its codes. `switch (error.code)` narrows it. */
export type FlowError = { readonly [Code in SignInStepCode]: SignInStepError<Code> }[SignInStepCode];

/** The classes of the statuses that have no further fields, and their codes. */
const classes: Readonly<
  Record<number, readonly [new (code: never, explanation: Explanation, exchange: Exchange) => ApiError, ApiErrorCode]>
> = {
  400: [BadRequestError, 'bad_request'],
  401: [UnauthorizedError, 'unauthorized'],
  403: [ForbiddenError, 'forbidden'],
  404: [NotFoundError, 'not_found'],
  409: [ConflictError, 'conflict'],
};

/** Create the error for a status. */
export function apiErrorOf(
  exchange: Exchange,
  explanation: Explanation,
  retryAfterMs: number | undefined,
  errors: readonly FieldError[] = [],
): ApiError {
  const { status } = exchange;
  if (status === 422) return new UnprocessableError(explanation, exchange, errors);
  if (status === 429) return new RateLimitError(explanation, exchange, retryAfterMs);
  if (status >= 500) return new ServerError(explanation, exchange, retryAfterMs);
  const [Class, code] = classes[status] ?? [];
  // The table has the code of each class.
  return Class
    ? new Class(code as never, explanation, exchange)
    : new ApiError('request_failed', explanation, exchange);
}

/** No response arrived: the connection was refused, interrupted or never established. */
export class ConnectionError extends SallyportError<'connection_failed'> {
  static override readonly kind: string = 'ConnectionError';
  declare readonly method: string;
  declare readonly route: string;
  declare readonly attempts: number;
  constructor(explanation: Explanation, attempted: Attempted, cause: unknown) {
    super('connection_failed', withoutSecrets(explanation), cause === undefined ? undefined : { cause });
    Object.assign(this, attempted);
  }
}

/** The response did not arrive in time. */
export class TimeoutError extends SallyportError<'timeout'> {
  static override readonly kind: string = 'TimeoutError';
  declare readonly method: string;
  declare readonly route: string;
  declare readonly attempts: number;
  /** `attempt`: one attempt took longer than `timeoutMs`; `deadline`: the whole call took longer than `deadlineMs`. */
  declare readonly limit: 'attempt' | 'deadline';
  constructor(explanation: Explanation, attempted: Attempted, limit: 'attempt' | 'deadline') {
    super('timeout', withoutSecrets(explanation));
    Object.assign(this, attempted);
    this.limit = limit;
  }
}

/** An invalid record of a list. */
export interface BadRecord {
  /** The record as received. */
  readonly record: unknown;
  /** Its id, as a cursor to continue after it; undefined if it has none. */
  readonly cursor: string | undefined;
  /** The items before it on the same page, in the order of the walk. */
  readonly preceding: readonly unknown[];
}

/** The response is unusable: it is not JSON, has the wrong shape, is a redirect, or is too large. */
export class UnexpectedResponseError extends ApiError<'unexpected_response'> {
  static override readonly kind: string = 'UnexpectedResponseError';
  /** Path to the first wrong field, such as `data[3].domains[0].state`; undefined if the whole body is wrong. */
  declare readonly path: string | undefined;
  readonly #bad: BadRecord | undefined;
  constructor(explanation: Explanation, exchange: Exchange, path?: string, bad?: BadRecord) {
    super('unexpected_response', explanation, exchange);
    this.path = path;
    this.#bad = bad;
    // Set even if undefined, so that the walk does not add another cursor.
    if (bad) Object.assign(this, { cursor: bad.cursor });
  }

  /** The invalid record of a list, as received; not printed with the error. To continue after it, use `cursor`. */
  get record(): unknown {
    return this.#bad?.record;
  }
  /** The items before `record` on the same page; a walk has already returned them. Not printed with the error. */
  get preceding(): readonly unknown[] {
    return this.#bad?.preceding ?? [];
  }
}

/** A list points back to a page that it has already returned; following it would never end. */
export class RepeatedCursorError extends SallyportError<'repeated_cursor'> {
  static override readonly kind: string = 'RepeatedCursorError';
  constructor() {
    super('repeated_cursor', {
      what: 'The list points back to a page that it has already returned',
      next: 'Report it to the operator of the service; the items so far are complete',
    });
  }
}
