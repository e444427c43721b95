import type { SallyportError } from '../errors/index.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { Codec } from '../service/describe/codec.js';
import type { Operation } from '../service/describe/operation.js';
import type { Answer } from './attempt.js';
import type { Config } from './config.js';
import { OutOfTime } from './deadline.js';
import { type Attempted, TimeoutError } from './errors.js';
import { refusalError } from './refusal.js';
import type { Prepared } from './request.js';
import { type Facts, resultOf, unexpected } from './result.js';
import type { Failure } from './retry.js';
import { isRefused, unreachable } from './unreachable.js';

/** What one attempt came to. */
export type Outcome = { readonly facts: Facts; readonly data: unknown } | Failed;

/** A failure that may be gone at the next try, with the error it means when there is none. */
export interface Failed {
  readonly failure: Failure;
  readonly error: () => SallyportError;
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
    failure: { kind: 'status', status, retryAfterMs: afterMs },
    error: () => refusalError(codec, facts, text, afterMs),
  };
}

/** What an attempt comes to that brought no answer. @throws {TimeoutError} The call has no time left. */
export function outcomeWithoutAnswer(
  config: Config,
  operation: Operation,
  prepared: Prepared,
  attempted: Attempted,
  queuedMs: number,
  thrown: unknown,
): Outcome {
  if (thrown instanceof OutOfTime) {
    const error = () => timeoutError(operation, attempted, queuedMs, thrown.limit);
    if (thrown.limit === 'deadline') throw error();
    return { failure: { kind: 'timeout' }, error };
  }
  return {
    failure: { kind: config.loopback && isRefused(thrown) ? 'refused_on_loopback' : 'network' },
    error: () => unreachable(config, operation.client, attempted, thrown, prepared.secrets()),
  };
}

function timeoutError(
  operation: Operation,
  attempted: Attempted,
  queuedMs: number,
  limit: OutOfTime['limit'],
): TimeoutError {
  const { method, route, attempts } = attempted;
  const option = limit === 'deadline' ? 'deadlineMs' : 'timeoutMs';
  const reached = limit === 'deadline' ? 'The call reached its deadlineMs' : 'The attempt took longer than timeoutMs';
  const waited = Math.round(queuedMs);
  return new TimeoutError(
    {
      what: `${operation.client} got no answer in time (${method} ${route}, attempt ${attempts})`,
      why: reached + (waited ? `. Before that the call waited ${waited} ms for one of its maxConcurrent places` : ''),
      next: `Raise ${option}, or try again later`,
    },
    attempted,
    limit,
  );
}
