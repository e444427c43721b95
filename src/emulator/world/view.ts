/**
 * A value as the emulator's rooms give it: in callers' names, `object` filled in where it can only have one value, further fields
 * welcome. Maps stay what they are.
 */
export type View<T> = T extends readonly (infer Item)[]
  ? readonly View<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [K in keyof T as K extends 'object' ? (string extends T[K] ? K : never) : K]: View<T[K]> } & {
          readonly object?: string;
        }
    : T;
