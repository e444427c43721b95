import { explainForgottenAwait } from './forgotten-await.js';

/** What is known of the exchange behind a result. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** `X-Request-ID` of the answer; name it when you ask the service's support. */
  readonly requestId: string | undefined;
  /** Requests this call sent. */
  readonly attempts: number;
  /** Milliseconds from the call to the result, waits included. */
  readonly durationMs: number;
}

/** A result together with its exchange. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseInfo;
}

/** A request under way: `await` it for the result, or `.withResponse()` for the result and its exchange. */
export class Call<T> implements Promise<T> {
  readonly #answer: Promise<WithResponse<T>>;

  static {
    explainForgottenAwait(Call.prototype, 'Call, a promise that is not awaited: put await before it for the result');
  }

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer;
  }

  /** The result with status, headers, request id, attempts and duration. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }

  then<A = T, B = never>(
    onResult?: ((result: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onResult, onError);
  }

  catch<B = never>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onError);
  }

  finally(onSettled?: (() => void) | null): Promise<T> {
    return this.then().finally(onSettled);
  }

  get [Symbol.toStringTag](): string {
    return 'Call';
  }
}
