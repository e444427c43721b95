/** A value, or a promise if the runtime's cryptography is asynchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Does not use `instanceof`: in Next's edge runtime, Web Crypto returns promises of another realm. */
const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  Object.prototype.toString.call(value) === '[object Promise]';

/** Call a function with a value: synchronously unless it is a promise. */
export const andThen = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (isPromise(value) ? value.then(next) : next(value));

/** Like `Promise.all`, but synchronous if none of the values is a promise. */
export const allOf = <Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> =>
  values.some(isPromise) ? Promise.all(values) : (values as readonly Value[]);
