import { quotable, type SallyportError } from '../errors/index.js';
import type { Codec } from '../service/describe/codec.js';
import type { Operation } from '../service/describe/operation.js';
import { type Facts, resultOf, unexpected } from './answer.js';
import type { Answer } from './attempt.js';
import type { Config } from './config.js';
import { OutOfTime } from './deadline.js';
import { type Attempted, TimeoutError } from './errors.js';
import { refusalError } from './refusal.js';
import type { Prepared } from './request.js';
import { type Failure, retryAfterMs } from './retry.js';
import { isRefused, unreachable } from './unreachable.js';

/** What one attempt came to. */
export type Outcome = { readonly facts: Facts; readonly data: unknown } | Failed;

/** A failure that may be gone at the next try, with the error it means when there is none. */
export interface Failed {
  readonly failure: Failure;
  readonly error: () => SallyportError;
}

/** What is known of an answer from its head. */
export const factsOf = (
  config: Config,
  attempted: Attempted,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
): Facts => {
  const requestId = headers.get('x-request-id');
  return {
    ...attempted,
    status,
    headers,
    requestId: requestId === null ? undefined : quotable(requestId, config.apiKey ? [config.apiKey] : []),
  };
};

/** What an answer comes to. @throws {UnexpectedResponseError} It cannot be used, and repeating it would not help. */
export function outcomeOf(
  codec: Codec,
  operation: Operation,
  prepared: Prepared,
  facts: Facts,
  { text, redirect, unreadable }: Answer,
): Outcome {
  const { status, headers } = facts;
  // A service may repeat what it was sent, and what it says is printed.
  let secrets: readonly string[] | undefined;
  const quote = (words: string) => {
    secrets ??= prepared.secrets();
    return quotable(words, secrets);
  };
  if (redirect)
    throw unexpected(operation, facts, 'it is a redirect, and redirects are never followed: keys and bodies stay home');
  if (status >= 200 && status < 300) {
    if (unreadable && operation.io.returns) throw unexpected(operation, facts, unreadable);
    return { facts, data: resultOf(codec, operation, facts, text, quote) };
  }
  const afterMs = retryAfterMs(headers, Date.now());
  return {
    failure: { kind: 'status', status, retryAfterMs: afterMs },
    error: () => refusalError(codec, operation, facts, text, quote, afterMs),
  };
}

/** What an attempt comes to that brought no answer. @throws {TimeoutError} The call has no time left. */
export function outcomeWithoutAnswer(
  config: Config,
  operation: Operation,
  prepared: Prepared,
  attempted: Attempted,
  thrown: unknown,
): Outcome {
  if (thrown instanceof OutOfTime) {
    const error = () => timeoutError(operation, attempted, thrown.limit);
    if (thrown.limit === 'deadline') throw error();
    return { failure: { kind: 'timeout' }, error };
  }
  return {
    failure: { kind: config.loopback && isRefused(thrown) ? 'refused_on_loopback' : 'network' },
    error: () => unreachable(config, operation.client, attempted, thrown, prepared.secrets()),
  };
}

function timeoutError(operation: Operation, attempted: Attempted, limit: OutOfTime['limit']): TimeoutError {
  const { method, route, attempts } = attempted;
  const option = limit === 'deadline' ? 'deadlineMs' : 'timeoutMs';
  return new TimeoutError(
    {
      what: `${operation.client} got no answer in time (${method} ${route}, attempt ${attempts})`,
      why: limit === 'deadline' ? 'the call reached its deadlineMs' : 'the attempt took longer than timeoutMs',
      next: `Raise ${option}, or try again later`,
    },
    attempted,
    limit,
  );
}
