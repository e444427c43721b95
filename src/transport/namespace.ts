import type { Input, Operation, Output, Payload } from '../service/describe/operation.js';
import type { Call } from './answer/call.js';
import type { PagePromise } from './lists/page-promise.js';
import type { ExtraQuery, ListOptions, ListParams } from './request/options.js';
import type { AnyInput } from './request/request.js';
import type { Transport } from './transport.js';
import type { Loadable } from './types.js';

type QueryOf<O> = Input<O> extends { readonly query?: infer Q } ? Q : unknown;
type ListInput<O> = Omit<Input<O>, 'query'> &
  Pick<AnyInput, 'headers'> & { readonly query?: (QueryOf<O> & ListParams) | undefined };

/** Base class of the client's namespaces. Gives their methods typed requests. */
export abstract class Namespace {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The transport, for namespaces that contain others. */
  protected get transport(): Transport {
    return this.#transport;
  }

  /** Send one request. */
  protected send<O extends Operation>(
    operation: Loadable<O>,
    input: Input<O> & Pick<AnyInput, 'accessToken' | 'headers'>,
    options?: ListOptions,
  ): Call<Output<O>> {
    // `Output` and the codec come from the same description.
    return this.#transport.send(operation, input, options) as Call<Output<O>>;
  }

  /** Send one request with the path parameters and the body from one object. */
  protected sendObject<O extends Operation>(
    operation: Loadable<O>,
    payload: Payload<O>,
    options?: ListOptions,
  ): Call<Output<O>> {
    return this.#transport.send(operation, { payload: orEmpty(payload) }, options) as Call<Output<O>>;
  }

  /** Return a list whose pages are fetched as needed. */
  protected pages<O extends Operation>(
    operation: Loadable<O>,
    input: ListInput<O>,
    options?: ListOptions,
  ): PagePromise<Output<O>> {
    return this.#transport.pages(operation, input as AnyInput, options) as PagePromise<Output<O>>;
  }

  /** Return a URL for the user's browser. Sends nothing. */
  protected address<O extends Operation>(operation: O, query: QueryOf<O> & ExtraQuery): string {
    return this.#transport.address(operation, query as AnyInput['query'] & ExtraQuery);
  }
}

/** Replace a missing argument by an empty object, so that the error names the first missing field. */
export const orEmpty = <T extends object>(argument: T): T => argument ?? ({} as T);

/** Returns an operation of a namespace by its name, or a function that loads it. */
type Lookup<Operations> = <Name extends keyof Operations>(
  name: Name,
) => Operations[Name] | (() => Promise<Operations[Name]>);

/**
 * Load the operations of several namespaces with the first call of one of them. Programs use few namespaces, and none while they
 * start.
 */
export function atFirstCall<Namespaces>(
  load: () => Promise<Namespaces>,
): <Namespace extends keyof Namespaces>(namespace: Namespace) => Lookup<Namespaces[Namespace]> {
  let loaded: Namespaces | undefined;
  return (namespace) => (name) =>
    loaded
      ? loaded[namespace][name]
      : async () => {
          loaded = await load();
          return loaded[namespace][name];
        };
}
