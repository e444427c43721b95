import type { Explanation } from '../errors/index.js';
import type { Codec } from '../service/describe/codec.js';
import {
  ApiError,
  BadRequestError,
  ConflictError,
  type FieldError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnauthorizedError,
  UnprocessableError,
} from './errors.js';
import { flowErrorOf } from './flow-errors.js';
import { exchangeOf, type Facts } from './result.js';

/** What the service says of a refusal, in any of the forms it uses. */
interface Refusal {
  /** `code` or `error`, the words that stand for a kind of refusal. */
  readonly codes: readonly string[];
  readonly message: string | undefined;
  readonly errors: readonly FieldError[];
}

/** Field errors that a message quotes, and that an error holds. */
const mostQuoted = 5;
const mostHeld = 1_000;

function refusalOf(body: unknown, { quote }: Facts): Refusal {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? quote(value) : undefined);
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
    errors: Array.isArray(errors) ? errors.slice(0, mostHeld).map(fieldErrorOf) : [],
  };
}

const compact = (entry: { [K in keyof FieldError]: FieldError[K] | undefined }): FieldError =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));

const parsed = (bodyText: string): unknown => {
  try {
    return JSON.parse(bodyText);
  } catch {
    return bodyText;
  }
};

/** The error for an answer that is neither success nor redirect. The flow's own codes come before the status. */
export function refusalError(codec: Codec, facts: Facts, bodyText: string, retryAfterMs: number | undefined): ApiError {
  const { operation } = facts;
  const body = parsed(bodyText);
  const { codes, message, errors } = refusalOf(body, facts);
  for (const code of codes) {
    const flow = flowErrorOf(codec, operation, code, exchangeOf(facts, body, code));
    if (flow) return flow;
  }
  const [serviceCode] = codes;
  const exchange = exchangeOf(facts, body, serviceCode);
  const quoted = errors.slice(0, mostQuoted).map(sentence);
  if (errors.length > mostQuoted) quoted.push(`${errors.length - mostQuoted} more`);
  const why = [message && `The service says: ${message}`, ...quoted].filter(Boolean).join('; ');
  const explanation = (what: string, next: string) => ({
    what: `${operation.client} ${what} (${facts.method} ${facts.route}, status ${facts.status}${serviceCode ? `, ${serviceCode}` : ''})`,
    why,
    next: next + (exchange.requestId ? `. The request id is ${exchange.requestId}` : ''),
  });
  switch (facts.status) {
    case 400:
      return new BadRequestError('bad_request', explanation('was refused', 'Correct the request'), exchange);
    case 401:
      return new UnauthorizedError(
        'unauthorized',
        explanation(
          'was not authorized',
          operation.io.auth === 'access_token'
            ? 'Get a new access token: let the user sign in again'
            : 'Check the key that the client was made with, and that it belongs to this baseUrl',
        ),
        exchange,
      );
    case 403:
      return new ForbiddenError(
        'forbidden',
        serviceCode === undefined || serviceCode === 'forbidden'
          ? explanation('is not allowed with this key', 'Use a key with the permission, or grant it')
          : explanation('is not allowed', 'Correct the request'),
        exchange,
      );
    case 404:
      return new NotFoundError('not_found', notFound(facts, serviceCode, explanation), exchange);
    case 409:
      return new ConflictError('conflict', explanation('conflicts with what exists', 'Use another value'), exchange);
    case 422:
      return new UnprocessableError(
        explanation('was given fields that the service cannot use', 'Correct the fields named in errors'),
        exchange,
        errors,
      );
    case 429:
      return new RateLimitError(explanation('was rate limited', waitAdvice(retryAfterMs)), exchange, retryAfterMs);
    default:
      return facts.status >= 500
        ? new ServerError(explanation('failed at the service', waitAdvice(retryAfterMs)), exchange, retryAfterMs)
        : new ApiError('request_failed', explanation('was refused', 'Correct the request'), exchange);
  }
}

/** A path that the service does not have is most often a wrong `baseUrl`, and then there is no id to check. */
function notFound(
  { route, operation }: Facts,
  serviceCode: string | undefined,
  explanation: (what: string, next: string) => Explanation,
): Explanation {
  const isObject = serviceCode === undefined ? route.includes(':') : serviceCode !== 'not_found';
  if (isObject)
    return explanation('found no such object', 'Check the id, and that it belongs to the environment of the key');
  return explanation(
    'found nothing at this address',
    `Check that baseUrl is the address of the service${operation.io.extension ? ', and that it offers this operation' : ''}`,
  );
}

const sentence = ({ field, code, message }: FieldError): string => [field, message ?? code].filter(Boolean).join(': ');

const waitAdvice = (ms: number | undefined): string =>
  ms === undefined ? 'Try again later' : `Try again in ${Math.ceil(ms / 1_000)} s`;
