import { parsedJson, textsIn } from '../../http/json.js';
import type { Operation } from '../../service/describe/operation.js';
import type { PreparedRequest } from '../request/request.js';
import { type ApiError, apiErrorOf, type Exchange, type FieldError, SignInStepError } from './errors.js';
import { flowErrors, flowStepIn } from './flow-step.js';

/** The error fields of a response, from any of the forms the service uses. */
interface ErrorBody {
  /** The values of `code` and `error`. */
  readonly codes: readonly string[];
  readonly message: string | undefined;
  readonly errors: readonly FieldError[];
}

/** Maximum number of field errors in a message, and in an error. */
const maxQuoted = 5;
const maxErrors = 1_000;

function errorBodyOf(body: unknown, { quote }: PreparedRequest): ErrorBody {
  // Some services send a list of messages.
  const text = (value: unknown) => {
    const texts = textsIn([value].flat());
    return texts.length > 0 ? quote(texts.join('; ')) : undefined;
  };
  if (typeof body !== 'object' || body === null) return { codes: [], message: undefined, errors: [] };
  const { code, error, message, error_description, errors } = body as Record<string, unknown>;
  const fieldErrorOf = (entry: unknown): FieldError => {
    if (typeof entry !== 'object' || entry === null) return { message: quote(String(entry)) };
    const { field, code, message, instancePath } = entry as Record<string, unknown>;
    return compact({ field: text(field) ?? text(instancePath), code: text(code), message: text(message) });
  };
  return {
    codes: [text(code), text(error)].filter((each) => each !== undefined),
    message: text(message) ?? text(error_description),
    errors: Array.isArray(errors) ? errors.slice(0, maxErrors).map(fieldErrorOf) : [],
  };
}

const compact = (entry: { [K in keyof FieldError]: FieldError[K] | undefined }): FieldError =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));

/** The status of a later attempt that an earlier one may have caused, if the service ignores idempotency keys. */
const causedByEarlier: Readonly<Record<string, number>> = { DELETE: 404, POST: 409 };

/**
 * Create the error for a response that is neither a success nor a redirect. The codes of sign-in steps take precedence over the
 * status.
 */
export function refusalError(
  request: PreparedRequest,
  exchange: Exchange,
  text: string,
  retryAfterMs: number | undefined,
): ApiError {
  const { operation } = request;
  const { method, route, status, requestId, attempts } = exchange;
  const parsed = parsedJson(text);
  const body = parsed === undefined ? text : parsed;
  const { codes, message, errors } = errorBodyOf(body, request);
  const step = flowStepIn(request, status, body, codes[0]);
  // Not redacted: a password such as "challenge" must not change the code mfa_challenge.
  const serviceCode = step && step.reason !== 'sign_in_step_required' ? step.reason : codes[0];
  const quoted = errors.slice(0, maxQuoted).map(sentence);
  if (errors.length > maxQuoted) quoted.push(`${errors.length - maxQuoted} more`);
  const why = [message && `The service says: ${message}`, ...quoted].filter(Boolean).join('; ');
  const earlier =
    attempts > 1 && causedByEarlier[method] === status ? 'An earlier attempt of this call may have done it. ' : '';
  const [what, next] = step ? flowErrors[step.reason] : textsFor(operation, exchange, serviceCode, retryAfterMs);
  const explanation = {
    what: `${operation.client} ${what} (${method} ${route}, status ${status}${serviceCode ? `, ${serviceCode}` : ''})`,
    why,
    next: earlier + next + (requestId ? `. The request id is ${requestId}` : ''),
  };
  const refused = { ...exchange, body, serviceCode };
  return step
    ? new SignInStepError(step, explanation, refused)
    : apiErrorOf(refused, explanation, retryAfterMs, errors);
}

/** A 404 that is not about an object usually means a wrong `baseUrl`. */
function textsForMissing(
  operation: Operation,
  route: string,
  serviceCode: string | undefined,
): readonly [what: string, next: string] {
  const isAboutObject = serviceCode === undefined ? route.includes(':') : serviceCode !== 'not_found';
  if (isAboutObject)
    return ['found no such object', 'Check the id, and that it belongs to the environment of the API key'];
  const extension = operation.io.extension ? ', and that it offers this operation' : '';
  return ['found nothing at this address', `Check that baseUrl is the URL of the service${extension}`];
}

/** Return what happened and what to do next. */
function textsFor(
  operation: Operation,
  { route, status }: Exchange,
  serviceCode: string | undefined,
  retryAfterMs: number | undefined,
): readonly [what: string, next: string] {
  const retryHint =
    retryAfterMs === undefined ? 'Try again later' : `Try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
  switch (status) {
    case 401:
      return [
        'was not authorized',
        operation.io.auth === 'access_token'
          ? 'Get a new access token: let the user sign in again'
          : 'Check that the API key is correct and belongs to this baseUrl',
      ];
    case 403:
      return serviceCode === undefined || serviceCode === 'forbidden'
        ? ['is not allowed with this key', 'Use a key with the permission, or grant it']
        : ['is not allowed', 'Correct the request'];
    case 404:
      return textsForMissing(operation, route, serviceCode);
    case 409:
      return ['conflicts with an existing object', 'Use another value'];
    case 422:
      return ['has invalid fields', 'Correct the fields named in errors'];
    case 429:
      return ['was rate limited', retryHint];
    default:
      return status >= 500
        ? ['failed at the service', status === 501 ? 'Trying again will not help' : retryHint]
        : ['was refused', 'Correct the request'];
  }
}

const sentence = ({ field, code, message }: FieldError): string => [field, message ?? code].filter(Boolean).join(': ');
