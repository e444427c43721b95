import { isMissing } from '../http/environment.js';
import { Codec } from '../service/describe/codec.js';
import type { Descriptor } from '../service/describe/define.js';
import type { Dialect } from '../service/describe/dialect.js';
import type { Operation } from '../service/describe/operation.js';
import type { Loadable } from './at-first-call.js';
import { Call, type WithResponse } from './call.js';
import { configure, type SallyportOptions } from './config.js';
import { Delivery, type Shared } from './delivery.js';
import type { ClientLimits } from './limits/options.js';
import { checkOptions, type ExtraQuery, type ListOptions, type ListParams } from './options.js';
import { PagePromise } from './page-promise.js';
import { type AnyInput, type Prepared, prepare } from './request.js';
import type { Page } from './result.js';
import { RetryBudget } from './retry.js';
import { fromHere } from './stack.js';
import { urlOf } from './url.js';

/** What said where the list starts is left out of the later pages: `after` says where they start. */
const withoutStart = ({ io: { startsAt } }: Operation, { after }: ListParams): Record<string, undefined> =>
  startsAt !== undefined && after !== undefined ? { [startsAt]: undefined } : {};

/** Sends operations: one deadline a call, safe retries, typed results and errors. */
export class Transport {
  readonly #options: SallyportOptions;
  #made: Shared | undefined;
  /** What is used of the service's limits; nothing else can be seen of it. */
  readonly limits: ClientLimits = { snapshot: () => this.#made?.limits?.snapshot() ?? [] };
  #fetch: typeof fetch | undefined;

  /** Frameworks load modules while they build, with another environment: a missing setting is reported by the first call. */
  constructor(options: SallyportOptions) {
    this.#options = options;
    try {
      void this.#shared;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** @throws {ConfigurationError} A setting is missing. */
  get #shared(): Shared {
    if (!this.#made) {
      const config = configure(this.#options);
      this.#made = { config, codec: new Codec(config.dialect), budget: new RetryBudget() };
    }
    return this.#made;
  }

  get dialect(): Dialect {
    return this.#shared.config.dialect;
  }
  get clientId(): string | undefined {
    return this.#shared.config.clientId;
  }
  get baseUrl(): string {
    return this.#shared.config.baseUrl;
  }
  /** What requests beside the operations are to be made with: the client's `fetch`, undefined for the global one. */
  get fetch(): typeof fetch | undefined {
    const { config } = this.#shared;
    if (Object.keys(config.fetchOptions).length === 0) return config.fetch;
    // One and the same for the whole life of the client: key sets are kept by the function that fetches them.
    this.#fetch ??= (input, init) => (config.fetch ?? fetch)(input, { ...config.fetchOptions, ...init });
    return this.#fetch;
  }

  /** One request for one answer. */
  send(operation: Loadable, input: AnyInput, options?: ListOptions): Call<unknown> {
    return new Call(this.#run(operation, input, options));
  }

  /** Pages of a list. */
  pages(loadable: Loadable, input: AnyInput, options?: ListOptions): PagePromise<unknown> {
    const query = (input.query ?? {}) as ListParams;
    return new PagePromise(
      async (params, signal) => {
        // Only then does the engine know who waits, and the stack of a refusal leads there.
        const operation = await (typeof loadable === 'function' ? loadable() : loadable);
        const key = options?.idempotencyKey;
        const cursor = params.after ?? params.before;
        const page = await this.#run(
          operation,
          { ...input, query: { ...query, ...withoutStart(operation, params), ...params } },
          // Under the key of the first page the service would answer with that page again.
          { ...options, ...(signal && { signal }), ...(key && cursor && { idempotencyKey: `${key}:${cursor}` }) },
        );
        // A list operation answers pages.
        return page as WithResponse<Page<unknown>>;
      },
      query,
      options?.signal,
    );
  }

  /** Address of an operation that the user's browser performs. */
  address(
    operation: Operation,
    { extraQuery, ...query }: Readonly<Record<string, unknown>> & ExtraQuery,
    params: Readonly<Record<string, string>> = {},
  ): string {
    const { config, codec } = this.#shared;
    return urlOf(config, codec, operation, { query, params }, extraQuery);
  }

  /** A wire value as callers see it. @throws {Mismatch} */
  decode(descriptor: Descriptor, value: unknown): unknown {
    return this.#shared.codec.decode(descriptor, value);
  }

  async #run(
    loadable: Loadable,
    input: AnyInput,
    requestOptions: ListOptions | null | undefined,
  ): Promise<WithResponse<unknown>> {
    const options = requestOptions ?? {};
    const { config, codec } = this.#shared;
    let called: Error | undefined;
    let operation: Operation;
    if (typeof loadable === 'function') {
      called = new Error();
      operation = await loadable();
    } else operation = loadable;
    let prepared: Prepared;
    try {
      checkOptions(operation.client, options);
      if (options.signal?.aborted) throw options.signal.reason;
      prepared = prepare(config, codec, operation, input, options);
    } catch (error) {
      throw fromHere(error, called);
    }
    return new Delivery(this.#shared, operation, prepared, options).run();
  }
}
