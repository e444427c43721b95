type NodeCrypto = typeof import('node:crypto');

let loaded: NodeCrypto | undefined;

/** Node's cryptography, loaded by the first check: that takes Node longer than to import all the rest. */
export function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
