import type { Declared, Input, Io, Operation, Output } from '../../service/describe/operation.js';
import type { Given } from '../world/given.js';
import type { World } from '../world/world.js';

declare const method: unique symbol;

/** Where a control is used. */
export interface Situation {
  readonly world: World;
  /** Aborted when whoever waits for the answer has gone. */
  readonly signal?: AbortSignal | undefined;
}

/** Something that happens in the real world and no operation of the service does: described once, called in process or over HTTP. */
export interface Control<Method = unknown> {
  readonly described: Declared;
  /** Fields of the body or query that are given in process one by one, in this order. */
  readonly spread: readonly string[] | undefined;
  /** Answers at once in process, without a promise. */
  readonly isView: boolean;
  readonly carryOut: (situation: Situation, ...given: never[]) => unknown;
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
type Sent<P extends string, I extends Io> =
  Input<Operation<P, I>> extends { readonly body: infer B }
    ? B
    : Input<Operation<P, I>> extends { readonly query?: infer Q }
      ? NonNullable<Q>
      : never;
type OneByOne<T, S extends readonly unknown[]> = { [K in keyof S]: S[K] extends keyof T ? T[S[K]] : never };
type Arguments<P extends string, I extends Io, S extends readonly string[]> = [
  ...PathArguments<P>,
  ...(S extends readonly [] ? ([Sent<P, I>] extends [never] ? [] : [Sent<P, I>]) : OneByOne<Required<Sent<P, I>>, S>),
];
type Awaitable<T> = T | Promise<T>;
type Carried<T> = Given<T> | readonly Given<T>[];

type Rest<F> = F extends (situation: never, ...rest: infer A) => unknown ? A : never;
type Carrier<A extends unknown[], R> = (situation: Situation, ...given: A) => R;
type Undefined<T> = null extends T ? NonNullable<T> | undefined : T;
type Answered<F, T> = F extends (...given: never) => Awaitable<readonly unknown[]> ? readonly T[] : Undefined<T>;

/** What may be said of a control beside its description. */
export interface ControlOptions<S extends readonly string[]> {
  /** Fields of the body or query that are given in process one by one, where one object would be in the way. */
  readonly spread?: S;
}

/**
 * Declares a control: its description, and the function that carries it out with what the description has checked, the
 * parameters of the path first, then the body. What the parameters of the function are called is what callers read.
 */
export const control = <
  const P extends string,
  const I extends Io,
  F extends Carrier<Arguments<P, I, S>, Awaitable<Carried<Output<Operation<P, I>>>>>,
  const S extends readonly string[] = [],
>(
  described: Declared<P, I>,
  carryOut: F,
  { spread }: ControlOptions<S> = {},
): Control<(...given: Rest<F>) => Promise<Answered<F, Output<Operation<P, I>>>>> =>
  declared(described, carryOut, spread, false);

/** Declares a control that only looks: in process its answer is there at once, without a promise. */
export const view = <
  const P extends string,
  const I extends Io,
  F extends Carrier<Arguments<P, I, S>, Carried<Output<Operation<P, I>>>>,
  const S extends readonly string[] = [],
>(
  described: Declared<P, I>,
  carryOut: F,
  { spread }: ControlOptions<S> = {},
): Control<(...given: Rest<F>) => Answered<F, Output<Operation<P, I>>>> => declared(described, carryOut, spread, true);

const declared = <M>(
  described: Declared,
  carryOut: (...given: never) => unknown,
  spread: readonly string[] | undefined,
  isView: boolean,
): Control<M> =>
  // The symbol exists for the type checker only.
  ({ described, carryOut, spread, isView }) as unknown as Control<M>;

/** A control with its name, `inbox.latest`, and as an operation. */
export interface NamedControl {
  readonly name: string;
  readonly control: Control;
  readonly operation: Operation;
}

const isControl = (entry: Control | ControlSet): entry is Control => typeof entry.carryOut === 'function';

/** All controls of a set by their names, those of its groups too. */
export const named = (controls: ControlSet, group = ''): readonly NamedControl[] =>
  Object.entries(controls).flatMap(([key, entry]) => {
    const name = group + key;
    if (!isControl(entry)) return named(entry, `${name}.`);
    const operation = { ...entry.described, id: `emulator.${name}`, client: name };
    return { name, control: entry, operation };
  });

/** The names of the parameters in the path of a control, in order. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name!);
