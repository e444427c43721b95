/** Status, headers and timing of the response behind a result. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** `X-Request-ID` of the response. Quote it when you contact the service's support. */
  readonly requestId: string | undefined;
  /** Number of requests this call sent. */
  readonly attempts: number;
  /** Milliseconds from the call to the result, including waits. */
  readonly durationMs: number;
}

/** A result with its response. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseInfo;
}

/** A pending request. `await` it for the result, or call `.withResponse()` for the result and its response. */
export class Call<T> implements Promise<T> {
  readonly #answer: () => Promise<WithResponse<T>>;

  static {
    // The types omit these methods, which console.log and JSON.stringify use.
    const value = (): string => 'Not awaited: add await to get the result';
    for (const name of ['toJSON', Symbol.for('nodejs.util.inspect.custom')])
      Object.defineProperty(Call.prototype, name, { value });
  }

  constructor(answer: () => Promise<WithResponse<T>>) {
    this.#answer = answer;
  }

  /** Get the result with its status, headers, request id, attempts and duration. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#answer();
  }

  then<A = T, B = never>(
    onResult?: ((result: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer()
      .then(({ data }) => data)
      .then(onResult, onError);
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
