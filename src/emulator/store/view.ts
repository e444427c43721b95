import type { Accepted, Fields } from '../../service/describe/define.js';

/** A record that fits a description, as a store keeps it. An optional field may be undefined. */
export type Stored<Model, F = Fields<Model>> = {
  readonly [K in keyof F]: Accepted<F[K]> | (object extends Pick<F, K> ? undefined : never);
};

/**
 * An object of the service as the emulator's routes return it, in camelCase. `object` may be omitted if it has only one possible
 * value. A nullable field may be undefined, which omits it in dialects that leave absent fields out. Additional fields are allowed,
 * and maps are unchanged.
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
