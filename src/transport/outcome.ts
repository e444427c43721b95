import type { SallyportError } from '../errors/index.js';
import { isRecord, parsedJson, textIn } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import { within } from '../http/time-limit.js';
import { type Codec, Mismatch } from '../service/describe/codec.js';
import type { Operation } from '../service/describe/operation.js';
import type { Answer } from './attempt.js';
import type { Config } from './config.js';
import { OutOfTime } from './deadline.js';
import { type ApiError, type Attempted, apiErrorOf, ConnectionError, TimeoutError } from './errors.js';
import { flowErrorOf } from './flow-errors.js';
import type { RefusalWords } from './refusal.js';
import type { Prepared } from './request.js';
import { exchangeOf, type Facts, requestIdOf, resultOf, unexpected } from './result.js';
import type { Failure } from './retry.js';
import type { Read } from './unfinished.js';
import type { SilenceWords } from './unreachable.js';

/** What one attempt came to. */
export type Outcome = { readonly facts: Facts; readonly data: unknown } | Failed;

/** A failure that may be gone at the next try, with the error it means when there is none. */
export interface Failed {
  /** Of the answer, where there was one. */
  readonly facts?: Facts;
  readonly failure: Failure;
  readonly error: () => SallyportError | Promise<SallyportError>;
}

/** What an answer comes to. @throws {UnexpectedResponseError} It cannot be used, and repeating it would not help. */
export function outcomeOf(codec: Codec, facts: Facts, { text, redirect, unreadable }: Answer): Outcome {
  const { operation, status, headers } = facts;
  if (redirect)
    throw unexpected(facts, 'It is a redirect, and redirects are never followed: keys and bodies stay home');
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

/** Milliseconds that a failed call waits for its words, which a page that is offline would wait for in vain. */
const longestSearch = 1_000;

/** What finds the words for a call that failed; undefined where it cannot be loaded. */
const failedCall = () => within(longestSearch, () => import('./failed-call.js')).catch(() => undefined);

const unexplained = 'The part of this package that explains it could not be loaded';

const readerOf =
  (codec: Codec): Read =>
  (model, body) => {
    try {
      return codec.decode({ kind: 'model', model }, body);
    } catch (error) {
      if (error instanceof Mismatch) return undefined;
      throw error;
    }
  };

/** The error of an answer that is neither success nor redirect; of the same class where the words for it are missing. */
async function refusalError(codec: Codec, facts: Facts, text: string, afterMs: number | undefined): Promise<ApiError> {
  const { operation, method, route, status, quote } = facts;
  const parsed = parsedJson(text);
  const body = parsed === undefined ? text : parsed;
  const found = (await failedCall())?.wordsOfRefusal(readerOf(codec), facts, body, afterMs, requestIdOf(facts));
  const code = isRecord(body) ? textIn(body.code ?? body.error) : null;
  const { explanation, serviceCode, errors, step }: RefusalWords = found ?? {
    explanation: { what: `${operation.client} was refused (${method} ${route}, status ${status})`, why: unexplained },
    serviceCode: code === null ? undefined : quote(code),
  };
  const exchange = exchangeOf(facts, body, serviceCode);
  return step
    ? flowErrorOf(step.code, explanation, step.details, exchange)
    : apiErrorOf(exchange, explanation, afterMs, errors);
}

/** What an attempt comes to that brought no answer. @throws {TimeoutError} The call has no time left. */
export async function outcomeWithoutAnswer(
  config: Config,
  operation: Operation,
  prepared: Prepared,
  attempted: Attempted,
  waited: string,
  thrown: unknown,
): Promise<Outcome> {
  if (thrown instanceof OutOfTime) {
    const error = () => timeoutError(operation, attempted, waited, thrown.limit);
    if (thrown.limit === 'deadline') throw error();
    return { failure: { kind: 'timeout' }, error };
  }
  const refused = config.loopback && (await failedCall())?.isRefused(thrown);
  return {
    failure: { kind: refused ? 'refused_on_loopback' : 'network' },
    error: async () => {
      const { method, route, attempts } = attempted;
      const times = attempts === 1 ? 'once' : `${attempts} times`;
      const what = `${operation.client} got no answer from ${config.host} (${method} ${route}, tried ${times})`;
      const found = (await failedCall())?.wordsOfSilence(config, thrown, prepared.redact);
      const { cause, ...words }: SilenceWords = found ?? { why: unexplained, next: 'Check the network' };
      return new ConnectionError({ what, ...words }, attempted, cause);
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
