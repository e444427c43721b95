/** A value, or a promise if the runtime's cryptography is asynchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Whether a value is a promise, of this realm or another: Web Crypto returns such promises in Next's edge runtime. */
const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> =>
  typeof (value as Partial<Promise<Value>> | undefined)?.then === 'function';

/** Call a function with a value: synchronously unless it is a promise. */
export const andThen = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (isPromise(value) ? value.then(next) : next(value));

/** Like `Promise.all`, but synchronous if none of the values is a promise. */
export const allOf = <Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> =>
  values.some(isPromise) ? Promise.all(values) : (values as readonly Value[]);
