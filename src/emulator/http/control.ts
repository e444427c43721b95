import type { Declared, Input, Io, Operation, Output } from '../../service/describe/operation.js';
import type { View } from '../store/view.js';
import type { CreatedWorlds } from '../world/created-worlds.js';
import type { Memory } from '../world/memory.js';
import type { World } from '../world/world.js';
import type { Answer } from './answer.js';

declare const method: unique symbol;

/** Context of a call of a control. */
export interface ControlContext {
  readonly memory: Memory;
  readonly world: World;
  /** The created worlds. Only over HTTP. */
  readonly worlds?: CreatedWorlds;
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** An action that the service's API does not offer, such as moving the clock. Callable in process and over HTTP. */
export interface Control<Method = unknown> {
  readonly description: Declared;
  /** Fields of the body or query that the in-process method takes as separate arguments, in this order. */
  readonly positional: readonly string[] | undefined;
  /** Whether the in-process method returns its result without a promise. */
  readonly isSync: boolean;
  /** Creates the HTTP response if it is not JSON. */
  readonly answer: ((result: never) => Answer) | undefined;
  /** Maximum size of the body in bytes, if larger than the usual limit. */
  readonly maxBytes: number | undefined;
  readonly run: (context: ControlContext, ...values: never[]) => unknown;
  /** Type of the in-process method. Never set. */
  readonly [method]: Method;
}

/** Controls by method name. A group, such as `emulator.inbox`, is a nested object. */
export interface ControlSet {
  readonly [name: string]: Control | ControlSet;
}

/** In-process methods of controls, with their comments. */
export type Methods<C> = { readonly [K in keyof C]: C[K] extends Control<infer M> ? M : Methods<C[K]> };

/** The same methods, called over HTTP: all of them return promises. */
export type Promised<M> = {
  readonly [K in keyof M]: M[K] extends (...values: infer A) => infer R
    ? (...values: A) => Promise<Awaited<R>>
    : Promised<M[K]>;
};

type PathArguments<P extends string> = P extends `${string}:${string}/${infer Rest}`
  ? [string, ...PathArguments<Rest>]
  : P extends `${string}:${string}`
    ? [string]
    : [];
type Payload<P extends string, I extends Io> =
  Input<Operation<P, I>> extends { readonly body: infer B }
    ? B
    : Input<Operation<P, I>> extends { readonly query?: infer Q }
      ? NonNullable<Q>
      : never;
type OneByOne<T, S extends readonly unknown[]> = { [K in keyof S]: S[K] extends keyof T ? T[S[K]] : never };
type Arguments<P extends string, I extends Io, S extends readonly string[]> = [
  ...PathArguments<P>,
  ...(S extends readonly []
    ? [Payload<P, I>] extends [never]
      ? []
      : [Payload<P, I>]
    : OneByOne<Required<Payload<P, I>>, S>),
];
type Awaitable<T> = T | Promise<T>;
type HandlerResult<T> = View<T> | readonly View<T>[];

type Rest<F> = F extends (context: never, ...rest: infer A) => unknown ? A : never;
type ControlHandler<A extends unknown[], R> = (context: ControlContext, ...values: A) => R;
type NullAsUndefined<T> = null extends T ? NonNullable<T> | undefined : T;
type MethodResult<F, T> = F extends (...values: never) => Awaitable<readonly unknown[]>
  ? readonly T[]
  : NullAsUndefined<T>;

/** Options of a control. */
interface ControlOptions<S extends readonly string[]> {
  /** Fields of the body or query that the in-process method takes as separate arguments instead of one object. */
  readonly positional?: S;
  /** Creates the HTTP response if it is not JSON, such as a file. */
  readonly answer?: (result: never) => Answer;
  /** Maximum size of the body in bytes, if larger than the usual limit. */
  readonly maxBytes?: number;
}

/**
 * Declare a control. `run` gets the checked path parameters, then the checked body or query. Its parameter names are public:
 * callers of the in-process method see them.
 */
export const control = <
  const P extends string,
  const I extends Io,
  F extends ControlHandler<Arguments<P, I, S>, Awaitable<HandlerResult<Output<Operation<P, I>>>>>,
  const S extends readonly string[] = [],
>(
  description: Declared<P, I>,
  run: F,
  options: ControlOptions<S> = {},
): Control<(...values: Rest<F>) => Promise<MethodResult<F, Output<Operation<P, I>>>>> =>
  makeControl(description, run, options, false);

/** Declare a control that only reads. Its in-process method returns the result without a promise. */
export const lookup = <
  const P extends string,
  const I extends Io,
  F extends ControlHandler<Arguments<P, I, S>, HandlerResult<Output<Operation<P, I>>>>,
  const S extends readonly string[] = [],
>(
  description: Declared<P, I>,
  run: F,
  options: ControlOptions<S> = {},
): Control<(...values: Rest<F>) => MethodResult<F, Output<Operation<P, I>>>> =>
  makeControl(description, run, options, true);

const makeControl = <M>(
  description: Declared,
  run: (...values: never) => unknown,
  { positional, answer, maxBytes }: ControlOptions<readonly string[]>,
  isSync: boolean,
): Control<M> =>
  // The symbol exists for the type checker only.
  ({ description, run, positional, answer, isSync, maxBytes }) as unknown as Control<M>;

/** A control with its name, such as `inbox.latest`, and as an operation. */
export interface NamedControl {
  readonly name: string;
  readonly control: Control;
  readonly operation: Operation;
}

const isControl = (entry: Control | ControlSet): entry is Control => typeof entry.run === 'function';

/** List the controls of a set and its groups, with their names. */
export const namedControlsOf = (controls: ControlSet, group = ''): readonly NamedControl[] =>
  Object.entries(controls).flatMap(([key, entry]) => {
    const name = group + key;
    if (!isControl(entry)) return namedControlsOf(entry, `${name}.`);
    const operation = { ...entry.description, id: `emulator.${name}`, client: name };
    return { name, control: entry, operation };
  });

/** List the parameter names in the path of a control, in order. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name!);
