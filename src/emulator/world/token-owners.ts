import type { SavedWorld } from '../store/store.js';
import type { Memory } from './memory.js';

/** Stores whose keys appear in requests that have no API key or client id. */
const stores: ReadonlySet<string> = new Set(['session', 'picture', 'audit log export link']);
/** Maximum number of tokens of links and sign-ins per world. Beyond it, the oldest are dropped. */
const maxTokens = 1_000;

/** Tokens and keys of one world. */
interface Known<Owner> {
  readonly owner: Owner;
  readonly tokens: Set<string>;
  readonly keys: Set<string>;
}

/** Finds the owner of the session, link or sign-in that a request refers to. */
export class TokenOwners<Owner extends object> {
  readonly #known = new Map<string, Known<Owner>>();

  /** Find the owner of a token or key. Undefined if it is unknown or was dropped. */
  ownerOf(name: string): Owner | undefined {
    return this.#known.get(name)?.owner;
  }

  /** Record the tokens and keys of an owner's world until it ends. `saved` is the data the world starts with. */
  follow(owner: Owner, memory: Memory, saved: SavedWorld = {}): void {
    const known: Known<Owner> = { owner, tokens: new Set(), keys: new Set() };
    for (const store of stores) for (const [key] of saved[store] ?? []) this.#note(key, known.keys, known);
    for (const pairs of Object.values(saved)) {
      // All records of a store have the same fields: if the first has no token, none has.
      if (tokenIn(pairs.find(([, value]) => value !== null)?.[1]) === undefined) continue;
      for (const [, value] of pairs) this.#noteToken(value, known);
    }
    const unsubscribe = memory.onChange(({ store, key, value }) => {
      // A deleted key has the value null and keeps its owner. The value is undefined once the store forgets the key.
      if (value === undefined && stores.has(store)) this.#forget(key, known.keys, known);
      if (typeof value !== 'object' && typeof value !== 'string') return;
      if (stores.has(store)) this.#note(key, known.keys, known);
      this.#noteToken(value, known);
    });
    memory.onClose(() => {
      unsubscribe();
      for (const names of [known.tokens, known.keys]) for (const name of names) this.#forget(name, names, known);
    });
  }

  #noteToken(value: unknown, known: Known<Owner>): void {
    const token = tokenIn(value);
    if (token === undefined) return;
    this.#note(token, known.tokens, known);
    const [oldest] = known.tokens;
    if (known.tokens.size > maxTokens) this.#forget(oldest!, known.tokens, known);
  }

  #note(name: string, names: Set<string>, known: Known<Owner>): void {
    names.add(name);
    this.#known.set(name, known);
  }

  #forget(name: string, names: Set<string>, known: Known<Owner>): void {
    names.delete(name);
    if (this.#known.get(name) === known) this.#known.delete(name);
  }
}

/** Read the token of a link or sign-in. */
function tokenIn(value: unknown): string | undefined {
  const { token } = Object(value) as { readonly token?: unknown };
  return typeof token === 'string' ? token : undefined;
}
