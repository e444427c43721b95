import type { SavedWorld } from '../store/store.js';
import { type Memory, publicTokens } from './memory.js';

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

  /** Record the tokens and keys of an owner's memory until it ends. `saved` is the data it starts with. */
  follow(owner: Owner, memory: Memory, saved: SavedWorld): void {
    const known: Known<Owner> = { owner, tokens: new Set(), keys: new Set() };
    const fields = publicTokens();
    for (const [store, field] of fields)
      for (const [key, value] of saved[store] ?? []) this.#noteRecord(field, key, value, known);
    const unsubscribe = memory.onChange(({ store, key, value }) => {
      const field = fields.get(store);
      if (!field) return;
      // A deleted key has the value null and keeps its owner. The value is undefined once the store forgets the key.
      if (value === undefined) this.#forget(key, known.keys, known);
      else this.#noteRecord(field, key, value, known);
    });
    memory.onClose(() => {
      unsubscribe();
      for (const names of [known.tokens, known.keys]) for (const name of names) this.#forget(name, names, known);
    });
  }

  #noteRecord(field: string, key: string, value: unknown, known: Known<Owner>): void {
    if (field === 'id') {
      this.#note(key, known.keys, known);
      return;
    }
    const token = (value as Readonly<Record<string, unknown>> | null)?.[field];
    if (typeof token !== 'string') return;
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
