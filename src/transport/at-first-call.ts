import type { Operation } from '../service/describe/operation.js';

/** An operation, or a function that loads it. */
export type Loadable<O extends Operation = Operation> = O | (() => Promise<O>);

/** Returns an operation of a namespace by its name, or a function that loads it. */
type Lookup<Operations> = <Name extends keyof Operations>(
  name: Name,
) => Operations[Name] | (() => Promise<Operations[Name]>);

/**
 * Load the operations of several namespaces with the first call of one of them. Programs use few namespaces, and none while they
 * start.
 */
export function atFirstCall<Namespaces>(
  load: () => Promise<Namespaces>,
): <Namespace extends keyof Namespaces>(namespace: Namespace) => Lookup<Namespaces[Namespace]> {
  let loaded: Namespaces | undefined;
  return (namespace) => (name) =>
    loaded
      ? loaded[namespace][name]
      : async () => {
          loaded = await load();
          return loaded[namespace][name];
        };
}
