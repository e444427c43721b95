/** A value that is there at once where the runtime can do so, and otherwise later. */
export type Soon<Value> = Value | Promise<Value>;

/** By its kind rather than `instanceof`: at the edge of Next the promises of Web Crypto are of another realm. */
const isLater = <Value>(value: Soon<Value>): value is Promise<Value> =>
  Object.prototype.toString.call(value) === '[object Promise]';

/** Goes on with a value: in the same tick, if it is there. */
export const whenThere = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  isLater(value) ? value.then(next) : next(value);

/** All of these values, in the same tick if all are there. */
export const allThere = <Value>(values: readonly Soon<Value>[]): Soon<readonly Value[]> =>
  values.some(isLater) ? Promise.all(values) : (values as readonly Value[]);
