import { SallyportError } from '../../errors/index.js';
import type { Codec } from '../../service/describe/codec.js';
import type { Operation } from '../../service/describe/operation.js';
import type { WithResponse } from '../answer/call.js';
import { ApiError, type Attempted } from '../answer/errors.js';
import { type Failed, type Outcome, outcomeOf, outcomeWithoutAnswer } from '../answer/outcome.js';
import { type Facts, requestIdOf } from '../answer/result.js';
import type { Queues } from '../limits/semaphore.js';
import type { ListOptions } from '../request/options.js';
import type { Prepared } from '../request/request.js';
import type { Config } from '../types.js';
import { type Answer, readAnswer, sendOnce } from './attempt.js';
import { Aborted, Deadline } from './deadline.js';
import { nextCallId, type RequestRecord } from './observe.js';
import { type RetryBudget, waitBeforeRetry } from './retry.js';

/** State that the calls of a client share, and of the clients that `with` makes from it. */
export interface Shared extends Queues {
  readonly codec: Codec;
  readonly budget: RetryBudget;
}

const now = (): number => performance.now();

/** Runs one call: attempts until it succeeds, fails for good, runs out of time or is aborted. */
export class Delivery {
  readonly #shared: Shared;
  readonly #config: Config;
  readonly #operation: Operation;
  readonly #prepared: Prepared;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #deadline: Deadline;
  readonly #onInvalid: ListOptions['onInvalid'];
  readonly #startedAt = now();
  #attempts = 0;
  #callId: string | undefined;

  constructor(shared: Shared, config: Config, operation: Operation, prepared: Prepared, options: ListOptions) {
    this.#shared = shared;
    this.#config = config;
    this.#operation = operation;
    this.#prepared = prepared;
    this.#timeoutMs = options.timeoutMs ?? config.timeoutMs;
    this.#maxRetries = options.maxRetries ?? config.maxRetries;
    this.#deadline = new Deadline(options.deadlineMs ?? config.deadlineMs, options.signal, now);
    this.#onInvalid = options.onInvalid;
  }

  /** Return the result. @throws {SallyportError} or the reason of the caller's signal */
  async run(): Promise<WithResponse<unknown>> {
    const { observers, maxConcurrent, limits } = this.#config;
    try {
      for (;;) {
        const outcome = await (maxConcurrent || limits ? this.#attemptInTurn() : this.#attempt());
        if ('data' in outcome) return this.#succeed(outcome);
        await this.#waitAfter(outcome);
      }
    } catch (thrown) {
      observers.notify('error', () => ({
        ...this.#record(),
        code: thrown instanceof SallyportError ? thrown.code : 'aborted',
        status: thrown instanceof ApiError ? thrown.status : undefined,
        requestId: thrown instanceof ApiError ? thrown.requestId : undefined,
        durationMs: now() - this.#startedAt,
      }));
      throw thrown instanceof Aborted ? thrown.reason : thrown;
    }
  }

  /** Make one attempt when limits and `maxConcurrent` allow it. A call that waits for a retry holds no slot. */
  async #attemptInTurn(): Promise<Outcome> {
    const { inTurn } = await import('../limits/semaphore.js');
    return inTurn(this.#shared, {
      operation: this.#operation,
      prepared: this.#prepared,
      deadline: this.#deadline,
      record: this.#record,
      attempt: () => this.#attempt(),
    });
  }

  /** Make one attempt and return its outcome. @throws errors that a retry cannot fix */
  async #attempt(): Promise<Outcome> {
    const { codec } = this.#shared;
    const config = this.#config;
    this.#attempts += 1;
    config.observers.notify('request', this.#record);
    const operation = this.#operation;
    const { method, path: route } = operation;
    const attempted: Attempted = { method, route, attempts: this.#attempts };
    const startedAt = now();
    let response: Response | undefined;
    let answer: Answer;
    try {
      answer = await this.#deadline.run(this.#timeoutMs, async (signal) => {
        response = await sendOnce(config, this.#prepared, signal);
        return readAnswer(response, config.maxResponseBytes, signal);
      });
    } catch (thrown) {
      if (thrown instanceof SallyportError || thrown instanceof Aborted) throw thrown;
      // An operation without a result needs only a successful status, not the body.
      if (!response?.ok || operation.io.returns !== undefined)
        return outcomeWithoutAnswer(config, operation, this.#prepared, attempted, this.#deadline.waitSentence, thrown);
      answer = { status: response.status, headers: response.headers, text: '', redirect: false, unreadable: undefined };
    }
    const { status, headers } = answer;
    const { quote, backwards } = this.#prepared;
    const facts: Facts = { ...attempted, operation, status, headers, quote, backwards, onInvalid: this.#onInvalid };
    config.observers.notify('response', () => ({
      ...this.#record(),
      status,
      requestId: requestIdOf(facts),
      durationMs: now() - startedAt,
    }));
    return outcomeOf(codec, facts, answer);
  }

  #succeed({ facts, data }: Exclude<Outcome, Failed>): WithResponse<unknown> {
    this.#shared.budget.refill();
    const { status, headers } = facts;
    const requestId = headers.get('x-request-id') ?? undefined;
    return {
      data,
      response: { status, headers, requestId, attempts: this.#attempts, durationMs: now() - this.#startedAt },
    };
  }

  /** Wait for the next attempt. @throws {SallyportError} the error of the failed attempt, if it was the last one */
  async #waitAfter({ failure, error }: Failed): Promise<void> {
    const { budget } = this.#shared;
    const waitMs = waitBeforeRetry(failure, {
      method: this.#operation.method,
      hasIdempotencyKey: this.#prepared.hasIdempotencyKey,
      interactive: this.#operation.io.interactive === true,
      attempts: this.#attempts,
      maxRetries: this.#maxRetries,
      remainingMs: this.#deadline.remainingMs,
      random: Math.random,
    });
    if (waitMs === undefined || !budget.take()) throw error();
    const status = failure.kind === 'status' ? failure.status : undefined;
    this.#config.observers.notify('retry', () => ({ ...this.#record(), waitMs, status, because: failure.kind }));
    await this.#deadline.wait(waitMs);
    // The timer may fire late.
    if (this.#deadline.remainingMs <= 0) throw error();
  }

  readonly #record = (): RequestRecord => {
    this.#callId ??= nextCallId();
    return {
      callId: this.#callId,
      operation: this.#operation.id,
      client: this.#operation.client,
      method: this.#operation.method,
      route: this.#operation.path,
      attempt: this.#attempts,
    };
  };
}
