import { SallyportError } from '../../errors/index.js';
import { type Dialect, dialects } from '../../service/describe/dialect.js';
import { repeatable } from './repeatable.js';

/** One thing wrong with a request. */
export interface RequestProblem {
  /** The field by its wire name, `domain_data.0.state`. */
  readonly field: string;
  /** `required`, `invalid_type`, `invalid_value`, `out_of_range`, `invalid_format`, or a rule's own code. */
  readonly code: string;
  readonly message: string;
}

/** The most problems that one answer names. */
export const maxProblems = 100;

/** The emulator says no: thrown by routes and control functions, sent as `{ message, code, errors? }`. */
export class Refusal extends SallyportError {
  static override readonly kind: string = 'EmulatorRefusal';

  constructor(
    /** HTTP status. */
    readonly status: number,
    code: string,
    message: string,
    /** Further fields of the answer, by their wire names. */
    readonly fields: Readonly<Record<string, unknown>> = {},
    /** Further headers of the answer. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, { what: repeatable(message) });
  }

  /** What the wire carries. */
  get body(): Record<string, unknown> {
    return this.bodyIn(dialects.spec);
  }

  /** What the wire carries under a dialect, which may have a code of its own for what is missing or wrong. */
  bodyIn({ invalidRequestCode }: Dialect): Record<string, unknown> {
    const code = this.code === dialects.spec.invalidRequestCode ? invalidRequestCode : this.code;
    return { message: this.message, code, ...this.fields };
  }
}

/** 404: there is no such object. */
export const notFound = (object: string, id: string, by = 'id'): Refusal =>
  new Refusal(404, 'entity_not_found', `There is no ${object} with the ${by} ${JSON.stringify(id)}`);

/** 400: a rule of the service is broken. */
export const badRequest = (code: string, message: string, fields?: Readonly<Record<string, unknown>>): Refusal =>
  new Refusal(400, code, message, fields);

/** 403: not allowed. */
export const forbidden = (code: string, message: string, fields?: Readonly<Record<string, unknown>>): Refusal =>
  new Refusal(403, code, message, fields);

/** 409: it would collide with something that exists. */
export const conflict = (code: string, message: string): Refusal => new Refusal(409, code, message);

/** 422: fields are missing or wrong. */
export const unprocessable = (errors: readonly RequestProblem[], code = dialects.spec.invalidRequestCode): Refusal =>
  new Refusal(422, code, inAll(errors), { errors: errors.slice(0, maxProblems).map(withoutSecrets) });

/** 422 about one field, under its own code. */
export const unprocessableField = (field: string, code: string, message: string): Refusal =>
  unprocessable([{ field, code, message }], code);

/** `{ error, error_description }` beside the usual fields, as OAuth wants it. */
export const oauthError = (
  status: number,
  error: string,
  description: string,
  fields?: Readonly<Record<string, unknown>>,
): Refusal => new Refusal(status, error, description, { error, error_description: repeatable(description), ...fields });

/** 400: fields of a request for tokens are missing or wrong, in OAuth's form. */
export const invalidRequest = (errors: readonly RequestProblem[]): Refusal =>
  oauthError(400, 'invalid_request', inAll(errors), { errors: errors.slice(0, maxProblems).map(withoutSecrets) });

const inAll = (errors: readonly RequestProblem[]): string =>
  `The request is not valid: ${inOneLine(errors.map(sentence))}`;

/** The first 100 sentences in one line, which says if there are more. */
export const inOneLine = (sentences: readonly string[]): string =>
  sentences.slice(0, maxProblems).join('; ') + (sentences.length > maxProblems ? '; and more' : '');

const withoutSecrets = ({ field, code, message }: RequestProblem): RequestProblem => ({
  field: repeatable(field),
  code,
  message: repeatable(message),
});

const sentence = ({ field, message }: RequestProblem): string => (field ? `${field} ${message}` : message);

/** The emulator itself is used in a way that cannot work. */
export class EmulatorError extends SallyportError<
  | 'port_in_use'
  | 'cannot_listen'
  | 'already_listening'
  | 'closed'
  | 'state_in_use'
  | 'state_not_written'
  | 'unreachable'
> {
  static override readonly kind: string = 'EmulatorError';
}

/** The emulator is closed. */
export const closed = (): EmulatorError =>
  new EmulatorError('closed', {
    what: 'The emulator has been closed',
    next: 'Create a new one, or close it later',
  });
