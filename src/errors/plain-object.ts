/** Whether a value is an object literal or a copy of one, also of another realm: not a class instance, a list, a Map or a Set. */
export const isPlainObject = (value: unknown): boolean =>
  Object(value) === value && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) === null;
