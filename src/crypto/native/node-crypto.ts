type NodeCrypto = typeof import('node:crypto');

let loaded: NodeCrypto | undefined;

/** Load Node's crypto module on first use, because loading it takes longer than the rest of the package. */
export function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
