/**
 * A view of a record, as the emulator's rooms give it: in callers' names. `object` may be left out where it can only have one
 * value, and what may be null may be undefined, which leaves it out in a dialect that writes null for nothing else; more fields
 * are welcome. Maps stay what they are.
 */
export type View<T> = T extends readonly (infer Item)[]
  ? readonly View<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : {
          readonly [K in keyof T as K extends 'object' ? (string extends T[K] ? K : never) : K]:
            | View<T[K]>
            | (null extends T[K] ? undefined : never);
        } & {
          readonly object?: string;
        }
    : T;
