import type { KyInstance } from 'ky';
import { abortReason, onAbort } from '../../async/on-abort.js';
import { maxTimerMs } from '../../async/sleep.js';
import { ConfigurationError, SallyportError } from '../../errors/index.js';
import { BodyTooLarge, checkedResponse, discard, readBody } from '../../http/body.js';
import type { Fetch } from '../../http/fetch.js';
import { isLasting, isRefused, testEnvironmentAdvice } from '../../http/fetch-advice.js';
import { retryAfterMs } from '../../http/retry-after.js';
import type { Codec } from '../../service/describe/codec.js';
import type { WithResponse } from '../answer/call.js';
import { ApiError, type Attempted, type Exchange } from '../answer/errors.js';
import { refusalError } from '../answer/refusal.js';
import { resultOf, unexpected } from '../answer/result.js';
import { connectionError, timeoutError } from '../answer/unreachable.js';
import type { ListOptions } from '../request/options.js';
import type { PreparedRequest } from '../request/request.js';
import type { Config } from '../types.js';
import { loopEnded, nextCallId, type RequestRecord } from './observe.js';
import { type Failure, isHeldBack, type RetryBudget, waitBeforeRetry } from './retry.js';

/** State that the calls of a client share, and of the clients that `with` makes from it. */
export interface Shared {
  readonly codec: Codec;
  readonly budget: RetryBudget;
  /** Makes an attempt when the rate limits and `maxConcurrent` allow it; undefined without these options. */
  readonly inTurn: ((call: Sending) => Promise<Outcome>) | undefined;
}

/** The outcome of one attempt: its result, or a failure that a retry may fix, with the error to throw otherwise. */
export type Outcome =
  | { readonly exchange: Exchange; readonly data: unknown }
  | { readonly exchange?: Exchange; readonly failure: Failure; readonly error: () => SallyportError };

/** A response whose body was read. */
interface Answer {
  readonly response: Response;
  /** The body, or an empty string if it was not read. */
  readonly text: string;
  /** Why the body cannot be used. */
  readonly unreadable?: string;
}

const now = (): number => performance.now();

/** One call: attempts until one succeeds, fails for good, runs out of time or is aborted. */
export class Sending {
  readonly request: PreparedRequest;
  readonly deadline: Deadline;
  readonly startedAt = now();
  /** Milliseconds that it waited before its attempts, by what it waited for. */
  readonly waits: Record<string, number> = {};
  readonly #shared: Shared;
  readonly #config: Config;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  #attempts = 0;
  /** The attempts that ended with a 429 that the call waits out. */
  #heldBack = 0;
  #callId: string | undefined;

  constructor(shared: Shared, config: Config, request: PreparedRequest, options: ListOptions) {
    this.request = request;
    this.deadline = new Deadline(options.deadlineMs ?? config.deadlineMs, options.signal, now);
    this.#shared = shared;
    this.#config = config;
    this.#timeoutMs = options.timeoutMs ?? config.timeoutMs;
    this.#maxRetries = options.maxRetries ?? config.maxRetries;
  }

  /** Return the result. @throws {SallyportError} or the reason of the caller's signal */
  async run(): Promise<WithResponse<unknown>> {
    const { inTurn } = this.#shared;
    try {
      for (;;) {
        // A call that waits for a retry holds no slot.
        const outcome = await (inTurn ? inTurn(this) : this.attempt());
        if ('data' in outcome) return this.#succeed(outcome);
        const { failure, error } = outcome;
        const waitMs = this.#waitBeforeRetry(failure);
        if (waitMs === undefined) throw error();
        const status = failure.kind === 'status' ? failure.status : undefined;
        this.#config.notify('onRetry', () => ({ ...this.#record(), waitMs, status, because: failure.kind }));
        await this.deadline.wait(waitMs);
        // The timer may fire late.
        if (this.deadline.remainingMs <= 0) throw error();
      }
    } catch (thrown) {
      this.#reportFailure(thrown);
      throw thrown instanceof Aborted ? thrown.reason : thrown;
    }
  }

  /** Send the request once. @throws errors that a retry cannot fix */
  async attempt(): Promise<Outcome> {
    this.#attempts += 1;
    const { notify, maxResponseBytes } = this.#config;
    notify('onRequest', this.#record);
    const startedAt = now();
    let response: Response | undefined;
    let answer: Answer;
    try {
      answer = await this.deadline.run(this.#timeoutMs, async (signal) => {
        response = await fetchOnce(this.#config, this.request, signal);
        return readAnswer(response, maxResponseBytes, signal);
      });
    } catch (thrown) {
      if (thrown instanceof SallyportError || thrown instanceof Aborted) throw thrown;
      // An operation without a result needs only a successful status, not the body.
      if (!response || !isSuccess(response.status) || this.request.operation.io.returns !== undefined)
        return this.#outcomeWithoutAnswer(thrown);
      answer = { response, text: '' };
    }
    const exchange = this.#exchangeOf(answer.response);
    const { status } = exchange;
    notify('onResponse', () => ({
      ...this.#record(),
      status,
      requestId: exchange.requestId,
      durationMs: now() - startedAt,
    }));
    return this.#outcomeOf(exchange, answer);
  }

  /** Return the outcome of a response. @throws {UnexpectedResponseError} It is unusable and a retry would not help. */
  #outcomeOf(exchange: Exchange, { response, text, unreadable }: Answer): Outcome {
    const { request } = this;
    const { codec } = this.#shared;
    const { status, headers } = exchange;
    if (isRedirect(response))
      throw unexpected(
        request,
        exchange,
        'It is a redirect. Redirects are never followed, because they could send your key elsewhere',
      );
    if (isSuccess(status)) {
      if (unreadable && request.operation.io.returns) throw unexpected(request, exchange, unreadable);
      return { exchange, data: resultOf(codec, request, exchange, text) };
    }
    const afterMs = retryAfterMs(headers, Date.now());
    return {
      exchange,
      failure: { kind: 'status', status, retryAfterMs: afterMs },
      error: () => refusalError(request, exchange, text, afterMs),
    };
  }

  /** Return the outcome of an attempt without a response. @throws {SallyportError} No time is left, or every attempt would fail alike. */
  #outcomeWithoutAnswer(thrown: unknown): Outcome {
    const { request, attempted } = this;
    const config = this.#config;
    if (thrown instanceof OutOfTime) {
      const error = () => timeoutError(request, attempted, thrown.limit, this.waits);
      if (thrown.limit === 'deadline') throw error();
      return { failure: { kind: 'timeout' }, error };
    }
    const isPermanent = isLasting(thrown) || (config.loopback && isRefused(thrown));
    return {
      failure: { kind: isPermanent ? 'permanent' : 'network' },
      error: () => connectionError(config, request, attempted, thrown),
    };
  }

  /** Return the milliseconds to wait before the next attempt; undefined if there is none. Waiting out a 429 uses up no retries. */
  #waitBeforeRetry(failure: Failure): number | undefined {
    const { operation, hasIdempotencyKey } = this.request;
    const isWaitedOut = isHeldBack(failure);
    if (isWaitedOut) this.#heldBack += 1;
    const waitMs = waitBeforeRetry(failure, {
      method: operation.method,
      hasIdempotencyKey,
      interactive: operation.io.interactive === true,
      attempts: isWaitedOut ? this.#heldBack : this.#attempts - this.#heldBack,
      maxRetries: this.#maxRetries,
      remainingMs: this.deadline.remainingMs,
      random: Math.random,
    });
    const isAllowed = waitMs === undefined || isWaitedOut || this.#shared.budget.take();
    return isAllowed ? waitMs : undefined;
  }

  #succeed({ exchange, data }: { readonly exchange: Exchange; readonly data: unknown }): WithResponse<unknown> {
    this.#shared.budget.refill();
    const { status, headers, attempts } = exchange;
    const requestId = headers.get('x-request-id') ?? undefined;
    return { data, response: { status, headers, requestId, attempts, durationMs: now() - this.startedAt } };
  }

  #reportFailure(thrown: unknown): void {
    const { notify } = this.#config;
    if (thrown instanceof Aborted && thrown.reason === loopEnded) notify('onCancel', this.#record);
    else
      notify('onError', () => ({
        ...this.#record(),
        code: thrown instanceof SallyportError ? thrown.code : 'aborted',
        status: thrown instanceof ApiError ? thrown.status : undefined,
        requestId: thrown instanceof ApiError ? thrown.requestId : undefined,
        durationMs: now() - this.startedAt,
      }));
  }

  /** Milliseconds after which an attempt that begins now must have ended. */
  get attemptMs(): number {
    return Math.min(this.#timeoutMs, this.deadline.remainingMs);
  }

  /** The request, as errors describe it. */
  get attempted(): Attempted {
    const { method, path: route } = this.request.operation;
    return { method, route, attempts: this.#attempts };
  }

  #exchangeOf({ status, headers }: Response): Exchange {
    const { quote } = this.request;
    return {
      ...this.attempted,
      status,
      headers,
      // Few calls need it, and quoting collects the secrets of the request.
      get requestId() {
        const id = headers.get('x-request-id');
        return id === null ? undefined : quote(id);
      },
      body: undefined,
      serviceCode: undefined,
    };
  }

  /** The request, as hooks and logs describe it. */
  readonly #record = (): RequestRecord => {
    this.#callId ??= nextCallId();
    const { id, client, method, path } = this.request.operation;
    return { callId: this.#callId, operation: id, client, method, route: path, attempt: this.#attempts };
  };
}

/** ky, loaded by the first request: it touches `Request`, which starts Node's fetch stack. */
let ky: KyInstance | undefined;

/** Send the request once and resolve when the response headers arrive. */
async function fetchOnce(config: Config, request: PreparedRequest, signal: AbortSignal): Promise<Response> {
  ky ??= (await import('./ky.js')).default;
  if (signal.aborted) throw signal.reason;
  const { url, headers, body, operation } = request;
  const { method } = operation;
  const init = { ...config.fetchOptions, method, headers: { ...headers }, redirect: 'manual', signal } as const;
  const fetchNow: Fetch = config.fetch ?? fetch;
  let sent: Promise<Response> | undefined;
  const send = (): Promise<Response> => {
    // ky returns the response as it is, also if a custom fetch returns only its most important parts.
    sent = (async () =>
      checkedResponse(await fetchNow(url, body === undefined ? init : { ...init, body })) as Response)();
    return sent;
  };
  let response: Response;
  try {
    // Passing ky's Request to `fetch` would copy it, and ky would join the signal with its own. Both are slow.
    const own = { method, retry: 0, timeout: false, throwHttpErrors: false, fetch: send } as const;
    response = await ky(url, { ...config.fetchOptions, ...own });
  } catch (error) {
    // A test environment has replaced AbortSignal: ky cannot make a Request, and the fetch of an emulator needs none.
    if (!sent && !(isLasting(error) && testEnvironmentAdvice())) throw badOptionError(request, error);
    // ky's errors contain the request with its headers, so throw the one of `fetch`.
    response = await (sent ?? send());
  }
  if (!signal.aborted) return response;
  discard(response);
  throw signal.reason;
}

const badOptionError = ({ quote }: PreparedRequest, error: unknown): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: 'fetchOptions are not valid fetch options',
    why: quote((error as Error).message),
    next: 'Correct fetchOptions',
  });

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Whether it is a redirect. Redirects are never followed, so keys and bodies only reach the configured service. Browsers give such a
 * response the status 0.
 */
const isRedirect = ({ status, type }: Response): boolean =>
  (status >= 300 && status < 400) || type === 'opaqueredirect';

/** Shared by all responses: creating a decoder costs more than decoding a typical body. */
let decoder: TextDecoder | undefined;

/** Read at most `limitBytes` of the body of a response. */
async function readAnswer(response: Response, limitBytes: number, signal: AbortSignal): Promise<Answer> {
  if (isRedirect(response)) {
    discard(response);
    return { response, text: '' };
  }
  let bytes: Uint8Array;
  try {
    bytes = await readBody(response, limitBytes, signal);
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    return { response, text: '', unreadable: `The body is larger than maxResponseBytes, ${limitBytes} bytes` };
  }
  try {
    decoder ??= new TextDecoder('utf-8', { fatal: true });
    return { response, text: decoder.decode(bytes) };
  } catch {
    // In some runtimes a decoder is unusable after an error.
    decoder = undefined;
    return { response, text: '', unreadable: 'The body must be valid UTF-8' };
  }
}

/** Thrown inside a call when a time limit passes; never reaches callers. */
export class OutOfTime extends Error {
  constructor(readonly limit: 'attempt' | 'deadline') {
    super('out of time');
  }
}

/** Wraps the reason of a caller's abort inside a call. Callers get the reason itself. */
export class Aborted extends Error {
  declare readonly reason: unknown;
  constructor(signal: AbortSignal) {
    super('aborted');
    this.reason = abortReason(signal);
  }
}

/** The deadline of a call and the caller's signal. Each step removes its timer and listener when it ends. */
export class Deadline {
  readonly #ends: number;
  readonly #signal: AbortSignal | undefined;
  readonly #now: () => number;

  constructor(deadlineMs: number, signal: AbortSignal | undefined, now: () => number) {
    this.#ends = now() + deadlineMs;
    this.#signal = signal;
    this.#now = now;
  }

  get remainingMs(): number {
    return this.#ends - this.#now();
  }

  /** Run one step of the call until it ends, its limit or the deadline passes, or the caller aborts. */
  run<T>(limitMs: number, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#signal;
    if (signal?.aborted) return Promise.reject(new Aborted(signal));
    const remaining = this.remainingMs;
    if (remaining <= 0) return Promise.reject(new OutOfTime('deadline'));
    const limit = limitMs < remaining ? 'attempt' : 'deadline';
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        unsubscribe?.();
      };
      const fail = (reason: unknown) => {
        settle();
        reject(reason);
      };
      const stop = (reason: Error) => {
        // The step may ignore its signal, so the call settles first.
        fail(reason);
        controller.abort(reason);
      };
      const timer = setTimeout(() => stop(new OutOfTime(limit)), Math.min(limitMs, remaining, maxTimerMs));
      const unsubscribe = signal && onAbort(signal, () => stop(new Aborted(signal)));
      step(controller.signal).then((value) => {
        settle();
        resolve(value);
      }, fail);
    });
  }

  /** Wait `ms` milliseconds, or until the deadline. Rejects if the caller aborts. */
  async wait(ms: number): Promise<void> {
    try {
      await this.run(ms, () => new Promise<never>(() => {}));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
    }
  }
}
