import type { SallyportError } from '../../errors/index.js';
import { parsedJson } from '../../http/json.js';
import { retryAfterMs } from '../../http/retry-after.js';
import { type Codec, Mismatch } from '../../service/describe/codec.js';
import type { Operation } from '../../service/describe/operation.js';
import type { Config } from '../config.js';
import type { Prepared } from '../request/request.js';
import type { Answer } from '../sending/attempt.js';
import { OutOfTime } from '../sending/deadline.js';
import type { Failure } from '../sending/retry.js';
import { type ApiError, type Attempted, apiErrorOf, ConnectionError, TimeoutError } from './errors.js';
import { SignInStepError } from './flow-errors.js';
import type { ModelReader } from './flow-step.js';
import { explainRefusal } from './refusal.js';
import { exchangeOf, type Facts, requestIdOf, resultOf, unexpected } from './result.js';
import { explainConnectionFailure, isRefused } from './unreachable.js';

/** The outcome of one attempt. */
export type Outcome = { readonly facts: Facts; readonly data: unknown } | Failed;

/** A failure that a retry may fix, with the error to throw otherwise. */
export interface Failed {
  /** The response, if one arrived. */
  readonly facts?: Facts;
  readonly failure: Failure;
  readonly error: () => SallyportError;
}

/** Return the outcome of a response. @throws {UnexpectedResponseError} The response is unusable and a retry would not help. */
export function outcomeOf(codec: Codec, facts: Facts, { text, redirect, unreadable }: Answer): Outcome {
  const { operation, status, headers } = facts;
  if (redirect)
    throw unexpected(
      facts,
      'It is a redirect. Redirects are never followed, because they could send your key elsewhere',
    );
  if (status >= 200 && status < 300) {
    if (unreadable && operation.io.returns) throw unexpected(facts, unreadable);
    return { facts, data: resultOf(codec, facts, text) };
  }
  const afterMs = retryAfterMs(headers, Date.now());
  return {
    facts,
    failure: { kind: 'status', status, retryAfterMs: afterMs },
    error: () => refusalError(codec, facts, text, afterMs),
  };
}

const modelReader =
  (codec: Codec): ModelReader =>
  (model, body) => {
    try {
      return codec.decode({ kind: 'model', model }, body);
    } catch (error) {
      if (error instanceof Mismatch) return undefined;
      throw error;
    }
  };

/** Create the error for a response that is neither a success nor a redirect. */
function refusalError(codec: Codec, facts: Facts, text: string, afterMs: number | undefined): ApiError {
  const parsed = parsedJson(text);
  const body = parsed === undefined ? text : parsed;
  const refusal = explainRefusal(modelReader(codec), facts, body, afterMs, requestIdOf(facts));
  const { explanation, serviceCode, errors, step } = refusal;
  const exchange = exchangeOf(facts, body, serviceCode);
  return step
    ? new SignInStepError(step.code, explanation, step.details, exchange)
    : apiErrorOf(exchange, explanation, afterMs, errors);
}

/** Return the outcome of an attempt without a response. @throws {TimeoutError} The call has no time left. */
export function outcomeWithoutAnswer(
  config: Config,
  operation: Operation,
  prepared: Prepared,
  attempted: Attempted,
  waited: string,
  thrown: unknown,
): Outcome {
  if (thrown instanceof OutOfTime) {
    const error = () => timeoutError(operation, attempted, waited, thrown.limit);
    if (thrown.limit === 'deadline') throw error();
    return { failure: { kind: 'timeout' }, error };
  }
  return {
    failure: { kind: config.loopback && isRefused(thrown) ? 'refused_on_loopback' : 'network' },
    error: () => {
      const { method, route, attempts } = attempted;
      const times = attempts === 1 ? 'once' : `${attempts} times`;
      const what = `${operation.client} got no answer from ${config.host} (${method} ${route}, tried ${times})`;
      const { cause, ...explanation } = explainConnectionFailure(config, thrown, prepared.redact);
      return new ConnectionError({ what, ...explanation }, attempted, cause);
    },
  };
}

function timeoutError(
  operation: Operation,
  attempted: Attempted,
  waited: string,
  limit: OutOfTime['limit'],
): TimeoutError {
  const { method, route, attempts } = attempted;
  const option = limit === 'deadline' ? 'deadlineMs' : 'timeoutMs';
  const reached = limit === 'deadline' ? 'The call reached its deadlineMs' : 'The attempt took longer than timeoutMs';
  return new TimeoutError(
    {
      what: `${operation.client} got no answer in time (${method} ${route}, attempt ${attempts})`,
      why: reached + waited,
      next: `Raise ${option}, or try again later`,
    },
    attempted,
    limit,
  );
}
