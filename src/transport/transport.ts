import { abortReason } from '../async/on-abort.js';
import { isPlainObject } from '../errors/known-options.js';
import { forService, isMissing } from '../http/environment.js';
import type { Fetch } from '../http/fetch.js';
import { Codec } from '../service/describe/codec.js';
import type { Descriptor } from '../service/describe/define.js';
import type { Operation } from '../service/describe/operation.js';
import { Call, type WithResponse } from './answer/call.js';
import type { Page } from './answer/result.js';
import { fromHere } from './answer/stack.js';
import { callConfig, changedOptions, configure } from './config.js';
import type { Queues } from './limits/in-turn.js';
import type { ClientLimits } from './limits/options.js';
import { PagePromise } from './lists/page-promise.js';
import { checkOptions, type ExtraQuery, type ListOptions, type ListParams } from './request/options.js';
import { type AnyInput, type PreparedRequest, prepare } from './request/request.js';
import { urlOf } from './request/url.js';
import { RetryBudget } from './sending/retry.js';
import { Sending, type Shared } from './sending/send.js';
import type { Config, Loadable, SallyportOptions, WithOptions } from './types.js';

/** Remove the parameter that sets the start of the list from later pages, which start at `after`. */
const withoutStart = ({ io: { startsAt } }: Operation, { after }: ListParams): Record<string, undefined> =>
  startsAt !== undefined && after !== undefined ? { [startsAt]: undefined } : {};

/** Return a plain object with these changes. Any other value is returned as it is, to be refused by name. */
const withChanges = <T extends object>(given: T | undefined, changes: Partial<T>): T =>
  // Without changes, an absent object has no fields.
  !given || isPlainObject(given) ? ({ ...given, ...changes } as T) : given;

/** What a client and those that `with` makes from it share, and the options of this one. */
interface Core extends Shared {
  readonly config: Config;
  /** The `fetch` for requests outside of the operations; undefined for the global one. */
  readonly fetch: Fetch | undefined;
}

function coreOf(config: Config, queues: Queues): Core {
  const { fetch: given, fetchOptions } = config;
  return {
    config,
    codec: new Codec(config.dialect),
    budget: new RetryBudget(),
    // Few programs set these options.
    inTurn:
      config.maxConcurrent || config.limits
        ? async (call) => (await import('./limits/in-turn.js')).inTurn(queues, config, call)
        : undefined,
    // One function per client, because key sets are cached by it.
    fetch:
      Object.keys(fetchOptions).length > 0 ? (url, init) => (given ?? fetch)(url, { ...fetchOptions, ...init }) : given,
  };
}

/** Sends operations, with one deadline per call, safe retries, and typed results and errors. */
export class Transport {
  readonly #options: SallyportOptions;
  /** Returns the core, or throws if a setting is missing: frameworks load modules during the build, in another environment. */
  readonly #core: () => Core;
  /** Usage of the service's rate limits. */
  readonly limits: ClientLimits;

  constructor(options: SallyportOptions, origin?: Transport) {
    this.#options = options;
    if (origin) {
      const changed = callConfig(options);
      this.limits = origin.limits;
      this.#core = () => {
        const core = origin.#core();
        return { ...core, config: { ...core.config, ...changed } };
      };
    } else {
      const queues: Queues = {};
      this.limits = { snapshot: () => queues.limits?.snapshot() ?? [] };
      this.#core = forService(options, () => coreOf(configure(options), queues), isMissing);
    }
  }

  /** Return a transport with other options that shares its limits, queue, retry budget and `fetch` with this one. */
  with(changes: WithOptions): Transport {
    return new Transport(changedOptions(this.#options, changes), this);
  }

  get config(): Config {
    return this.#core().config;
  }
  get fetch(): Fetch | undefined {
    return this.#core().fetch;
  }

  /** Send one request. */
  send(operation: Loadable, input: AnyInput, options?: ListOptions): Call<unknown> {
    const answer = this.#run(operation, input, options);
    return new Call(() => answer);
  }

  /** Return a list whose pages are fetched as needed. */
  pages(loadable: Loadable, input: AnyInput, options?: ListOptions): PagePromise<unknown> {
    const query: Readonly<Record<string, unknown>> & ListParams = input.query ?? {};
    return new PagePromise(
      async (params, signal) => {
        // Loaded here rather than in #run, so that the stack trace of an error leads to the caller.
        const operation = await (typeof loadable === 'function' ? loadable() : loadable);
        const key = options?.idempotencyKey;
        const cursor = params.after ?? params.before;
        const page = await this.#run(
          operation,
          { ...input, query: withChanges(query, { ...withoutStart(operation, params), ...params }) },
          withChanges(options, {
            ...(signal && { signal }),
            // With the key of the first page, the service would return that page again.
            ...(key && cursor && { idempotencyKey: `${key}:${cursor}` }),
          }),
        );
        // List operations return pages.
        return page as WithResponse<Page<unknown>>;
      },
      query,
      options?.signal,
    );
  }

  /** Return the URL of an operation for the user's browser. */
  address(
    operation: Operation,
    { extraQuery, ...query }: Readonly<Record<string, unknown>> & ExtraQuery,
    params: Readonly<Record<string, string>> = {},
  ): string {
    const { config, codec } = this.#core();
    return urlOf(config, codec, operation, { query, params }, extraQuery);
  }

  /** Decode a wire value. @throws {Mismatch} */
  decode(descriptor: Descriptor, value: unknown): unknown {
    return this.#core().codec.decode(descriptor, value);
  }

  async #run(
    loadable: Loadable,
    input: AnyInput,
    requestOptions: ListOptions | null | undefined,
  ): Promise<WithResponse<unknown>> {
    const options = requestOptions ?? {};
    const core = this.#core();
    const { config } = core;
    let callSite: Error | undefined;
    let operation: Operation;
    let prepared: PreparedRequest;
    if (typeof loadable === 'function') callSite = new Error();
    try {
      operation = typeof loadable === 'function' ? await loadable() : loadable;
      if (requestOptions) checkOptions(operation, requestOptions);
      if (options.signal?.aborted) throw abortReason(options.signal);
      prepared = prepare(config, core.codec, operation, input, options);
    } catch (error) {
      throw fromHere(error, callSite);
    }
    return new Sending(core, config, prepared, options).run();
  }
}
