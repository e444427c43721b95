import type { Declared, Input, Io, Operation, Output } from '../../service/describe/operation.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import type { Answer } from './answer.js';

declare const method: unique symbol;

/** Where a control is used. */
export interface Situation {
  readonly world: World;
  /** Aborted when whoever waits for the answer has gone. */
  readonly signal?: AbortSignal | undefined;
}

/** An act of the real world that no operation of the service does: described once, called in process or over HTTP. */
export interface Control<Method = unknown> {
  readonly description: Declared;
  /** Fields of the body or query that are given in process one by one, in this order. */
  readonly spread: readonly string[] | undefined;
  /** Answers at once in process, without a promise. */
  readonly isLookup: boolean;
  /** What is answered over HTTP, where that is no JSON of its description. */
  readonly answer: ((result: never) => Answer) | undefined;
  /** The most bytes of its body, where that may be larger than other bodies. */
  readonly mostBytes: number | undefined;
  readonly carryOut: (situation: Situation, ...values: never[]) => unknown;
  /** Carries the type of the in-process method only; never set. */
  readonly [method]: Method;
}

/** Controls by the names of their methods; a group is an object of its own, `emulator.inbox`. */
export interface ControlSet {
  readonly [name: string]: Control | ControlSet;
}

/** The in-process methods of controls, with their comments. */
export type Methods<C> = { readonly [K in keyof C]: C[K] extends Control<infer M> ? M : Methods<C[K]> };

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
type CarrierResult<T> = View<T> | readonly View<T>[];

type Rest<F> = F extends (situation: never, ...rest: infer A) => unknown ? A : never;
type Carrier<A extends unknown[], R> = (situation: Situation, ...values: A) => R;
type NullAsUndefined<T> = null extends T ? NonNullable<T> | undefined : T;
type MethodResult<F, T> = F extends (...values: never) => Awaitable<readonly unknown[]>
  ? readonly T[]
  : NullAsUndefined<T>;

/** What may be said of a control beside its description. */
export interface ControlOptions<S extends readonly string[]> {
  /** Fields of the body or query that are given in process one by one, where one object would be in the way. */
  readonly spread?: S;
  /** What is answered over HTTP, where that is no JSON of the description: a file. */
  readonly answer?: (result: never) => Answer;
  /** The most bytes of its body, where that may be larger than other bodies. */
  readonly mostBytes?: number;
}

/**
 * Declare a control: its description, and the function that carries it out with what the description has checked, the
 * parameters of the path first, then the body. What the parameters of the function are called is what callers read.
 */
export const control = <
  const P extends string,
  const I extends Io,
  F extends Carrier<Arguments<P, I, S>, Awaitable<CarrierResult<Output<Operation<P, I>>>>>,
  const S extends readonly string[] = [],
>(
  description: Declared<P, I>,
  carryOut: F,
  options: ControlOptions<S> = {},
): Control<(...values: Rest<F>) => Promise<MethodResult<F, Output<Operation<P, I>>>>> =>
  makeControl(description, carryOut, options, false);

/** Declare a control that only reads: in process it answers at once, without a promise. */
export const lookup = <
  const P extends string,
  const I extends Io,
  F extends Carrier<Arguments<P, I, S>, CarrierResult<Output<Operation<P, I>>>>,
  const S extends readonly string[] = [],
>(
  description: Declared<P, I>,
  carryOut: F,
  options: ControlOptions<S> = {},
): Control<(...values: Rest<F>) => MethodResult<F, Output<Operation<P, I>>>> =>
  makeControl(description, carryOut, options, true);

const makeControl = <M>(
  description: Declared,
  carryOut: (...values: never) => unknown,
  { spread, answer, mostBytes }: ControlOptions<readonly string[]>,
  isLookup: boolean,
): Control<M> =>
  // The symbol exists for the type checker only.
  ({ description, carryOut, spread, answer, isLookup, mostBytes }) as unknown as Control<M>;

/** A control with its name, `inbox.latest`, and as an operation. */
export interface NamedControl {
  readonly name: string;
  readonly control: Control;
  readonly operation: Operation;
}

const isControl = (entry: Control | ControlSet): entry is Control => typeof entry.carryOut === 'function';

/** All controls of a set by their names, those of its groups too. */
export const namedControlsOf = (controls: ControlSet, group = ''): readonly NamedControl[] =>
  Object.entries(controls).flatMap(([key, entry]) => {
    const name = group + key;
    if (!isControl(entry)) return namedControlsOf(entry, `${name}.`);
    const operation = { ...entry.description, id: `emulator.${name}`, client: name };
    return { name, control: entry, operation };
  });

/** The names of the parameters in the path of a control, in order. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name!);
