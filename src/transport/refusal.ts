import type { Explanation } from '../errors/index.js';
import { isText } from '../http/json.js';
import type { FieldError } from './errors.js';
import type { Facts } from './result.js';
import { type Read, type Step, stepOf } from './unfinished.js';

/** What there is to say of a refusal. */
export interface RefusalWords {
  readonly explanation: Explanation;
  readonly serviceCode: string | undefined;
  readonly errors?: readonly FieldError[];
  /** The next step of a sign-in, where the answer is one. */
  readonly step?: Step;
}

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

/** What to say of an answer that is neither success nor redirect. The flow's own codes come before the status. */
export function wordsOfRefusal(
  read: Read,
  facts: Facts,
  body: unknown,
  retryAfterMs: number | undefined,
  requestId: string | undefined,
): RefusalWords {
  const { operation } = facts;
  const { code, error } = Object(body);
  // As they came: a password such as "challenge" must not change the code mfa_challenge.
  for (const word of [code, error].filter(isText)) {
    const step = stepOf(read, operation, word, body);
    if (step) return { ...step, step, serviceCode: word };
  }
  const { codes, message, errors } = refusalOf(body, facts);
  const [serviceCode] = codes;
  const quoted = errors.slice(0, mostQuoted).map(sentence);
  if (errors.length > mostQuoted) quoted.push(`${errors.length - mostQuoted} more`);
  const why = [message && `The service says: ${message}`, ...quoted].filter(Boolean).join('; ');
  const [what, next] = wordsFor(facts, serviceCode, retryAfterMs);
  const explanation = {
    what: `${operation.client} ${what} (${facts.method} ${facts.route}, status ${facts.status}${serviceCode ? `, ${serviceCode}` : ''})`,
    why,
    next: next + (requestId ? `. The request id is ${requestId}` : ''),
  };
  return { explanation, serviceCode, errors };
}

/** What happened, and what to do next. */
function wordsFor(
  { operation, route, status }: Facts,
  serviceCode: string | undefined,
  retryAfterMs: number | undefined,
): readonly [what: string, next: string] {
  const again = retryAfterMs === undefined ? 'Try again later' : `Try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
  switch (status) {
    case 401:
      return [
        'was not authorized',
        operation.io.auth === 'access_token'
          ? 'Get a new access token: let the user sign in again'
          : 'Check the key that the client was made with, and that it belongs to this baseUrl',
      ];
    case 403:
      return serviceCode === undefined || serviceCode === 'forbidden'
        ? ['is not allowed with this key', 'Use a key with the permission, or grant it']
        : ['is not allowed', 'Correct the request'];
    case 404:
      // A path that the service does not have is most often a wrong `baseUrl`, and then there is no id to check.
      return (serviceCode === undefined ? route.includes(':') : serviceCode !== 'not_found')
        ? ['found no such object', 'Check the id, and that it belongs to the environment of the key']
        : [
            'found nothing at this address',
            `Check that baseUrl is the address of the service${operation.io.extension ? ', and that it offers this operation' : ''}`,
          ];
    case 409:
      return ['conflicts with what exists', 'Use another value'];
    case 422:
      return ['was given fields that the service cannot use', 'Correct the fields named in errors'];
    case 429:
      return ['was rate limited', again];
    default:
      return status >= 500 ? ['failed at the service', again] : ['was refused', 'Correct the request'];
  }
}

const sentence = ({ field, code, message }: FieldError): string => [field, message ?? code].filter(Boolean).join(': ');
