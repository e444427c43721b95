import type { Input, Operation, Output } from '../service/describe/operation.js';
import type { Loadable } from './at-first-call.js';
import type { Call } from './call.js';
import type { ExtraQuery, ListOptions, ListParams } from './options.js';
import type { PagePromise } from './page-promise.js';
import type { AnyInput } from './request.js';
import type { Transport } from './transport.js';

type QueryOf<O> = Input<O> extends { readonly query?: infer Q } ? Q : unknown;
type ListInput<O> = Omit<Input<O>, 'query'> & { readonly query?: (QueryOf<O> & ListParams) | undefined };

/** Base of every room: documented methods on top, requests below. */
export abstract class Namespace {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The transport, for rooms made of rooms. */
  protected get transport(): Transport {
    return this.#transport;
  }

  /** One request for one answer. */
  protected send<O extends Operation>(
    operation: Loadable<O>,
    input: Input<O> & { readonly accessToken?: string },
    options?: ListOptions,
  ): Call<Output<O>> {
    // The codec answers what the operation's description says, which is what `Output` derives from it.
    return this.#transport.send(operation, input, options) as Call<Output<O>>;
  }

  /** Pages of a list, fetched as they are needed. */
  protected pages<O extends Operation>(
    operation: Loadable<O>,
    input: ListInput<O>,
    options?: ListOptions,
  ): PagePromise<Output<O>> {
    return this.#transport.pages(operation, input as AnyInput, options) as PagePromise<Output<O>>;
  }

  /** An address for the user's browser; nothing is sent. */
  protected address<O extends Operation>(operation: O, query: QueryOf<O> & ExtraQuery): string {
    return this.#transport.address(operation, query as AnyInput['query'] & ExtraQuery);
  }
}

/** An argument that may have been forgotten, as an object to take apart: what is missing in it is then refused by name. */
export const orEmpty = <T extends object>(argument: T): T => argument ?? ({} as T);
