import { SallyportError } from '../../errors/index.js';
import { type EmulatedDialect, emulatedDialects } from '../../service/describe/emulated-dialect.js';
import { redactSecrets } from './redact-secrets.js';

/** One thing wrong with a request. */
export interface RequestProblem {
  /** The field by its wire name, `domain_data.0.state`. */
  readonly field: string;
  /** `required`, `invalid_type`, `invalid_value`, `out_of_range`, `invalid_format`, or the code of a rule. */
  readonly code: string;
  readonly message: string;
}

/** Maximum number of problems listed in one response. */
export const maxProblems = 100;

/** The emulator refused a request. Thrown by routes and controls, sent as `{ message, code, errors? }`. */
export class EmulatorRefusal extends SallyportError {
  static override readonly kind: string = 'EmulatorRefusal';

  constructor(
    /** HTTP status. */
    readonly status: number,
    code: string,
    message: string,
    /** Additional fields of the response body, by wire name. */
    readonly fields: Readonly<Record<string, unknown>> = {},
    /** Additional headers of the response. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, { what: redactSecrets(message) });
  }

  /** The response body. */
  get body(): Record<string, unknown> {
    return this.bodyIn(emulatedDialects.spec);
  }

  /** The response body in a dialect, which may use another code for invalid requests. */
  bodyIn({ invalidRequestCode }: EmulatedDialect): Record<string, unknown> {
    const code = this.code === emulatedDialects.spec.invalidRequestCode ? invalidRequestCode : this.code;
    return { message: this.message, code, ...this.fields };
  }
}

/** Create a 404: the object does not exist. */
export const notFound = (object: string, id: string, by = 'id'): EmulatorRefusal =>
  new EmulatorRefusal(404, 'entity_not_found', `No ${object} has the ${by} ${JSON.stringify(id)}`);

/** Create a 400: the request breaks a rule of the service. */
export const badRequest = (
  code: string,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
): EmulatorRefusal => new EmulatorRefusal(400, code, message, fields);

/** Create a 403: the request is not allowed. */
export const forbidden = (code: string, message: string, fields?: Readonly<Record<string, unknown>>): EmulatorRefusal =>
  new EmulatorRefusal(403, code, message, fields);

/** Create a 409: the request conflicts with an existing object. */
export const conflict = (code: string, message: string): EmulatorRefusal => new EmulatorRefusal(409, code, message);

/** Create a 422: fields are missing or wrong. */
export const unprocessable = (
  errors: readonly RequestProblem[],
  code = emulatedDialects.spec.invalidRequestCode,
): EmulatorRefusal =>
  new EmulatorRefusal(422, code, summaryOf(errors), {
    errors: errors.slice(0, maxProblems).map(problemWithoutSecrets),
  });

/** Create a 422 about one field, with a specific code. */
export const unprocessableField = (field: string, code: string, message: string): EmulatorRefusal =>
  unprocessable([{ field, code, message }], code);

/** Create an OAuth error, with `{ error, error_description }` in addition to the usual fields. */
export const oauthError = (
  status: number,
  error: string,
  description: string,
  fields?: Readonly<Record<string, unknown>>,
): EmulatorRefusal =>
  new EmulatorRefusal(status, error, description, { error, error_description: redactSecrets(description), ...fields });

/** Create a 400 as an OAuth error: fields of a token request are missing or wrong. */
export const invalidRequest = (errors: readonly RequestProblem[]): EmulatorRefusal =>
  oauthError(400, 'invalid_request', summaryOf(errors), {
    errors: errors.slice(0, maxProblems).map(problemWithoutSecrets),
  });

const summaryOf = (errors: readonly RequestProblem[]): string =>
  `The request is not valid: ${inOneLine(errors.map(sentence))}`;

/** Join the first 100 sentences, with "and more" if there are others. */
export const inOneLine = (sentences: readonly string[]): string =>
  sentences.slice(0, maxProblems).join('; ') + (sentences.length > maxProblems ? '; and more' : '');

const problemWithoutSecrets = ({ field, code, message }: RequestProblem): RequestProblem => ({
  field: redactSecrets(field),
  code,
  message: redactSecrets(message),
});

const sentence = ({ field, message }: RequestProblem): string => (field ? `${field} ${message}` : message);

/** The emulator cannot run here, cannot listen, cannot use its state file, is closed, or cannot be reached. */
export class EmulatorError extends SallyportError<
  | 'port_in_use'
  | 'cannot_listen'
  | 'already_listening'
  | 'closed'
  | 'state_in_use'
  | 'state_not_written'
  | 'unreachable'
  | 'unsupported_environment'
> {
  static override readonly kind: string = 'EmulatorError';
}

/** Create the error for a closed emulator. */
export const closed = (): EmulatorError =>
  new EmulatorError('closed', {
    what: 'The emulator has been closed',
    next: 'Create a new emulator, or close this one later',
  });
