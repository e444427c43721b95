import type { SavedWorld } from '../world/store.js';
import type { World } from '../world/world.js';

/** Stores whose keys travel alone, without an API key or a client id beside them. */
const stores: ReadonlySet<string> = new Set(['session', 'picture', 'audit log export link']);
/** The most tokens of links and sign-ins that are remembered of each owner: the newest. */
const mostTokens = 1_000;

/** Which of many owners something is of that a request names and one world alone knows: a session, a link, a sign-in. */
export class Names<Owner extends object> {
  readonly #owners = new Map<string, Owner>();
  readonly #tokens = new Map<Owner, Set<string>>();
  readonly #keys = new Map<Owner, Set<string>>();

  /** The owner of what goes by this name, as far as it is remembered. */
  ownerOf(name: string): Owner | undefined {
    return this.#owners.get(name);
  }

  /** Remember what is, and what comes to be, in a world of an owner; `saved` is what it begins with. */
  follow(owner: Owner, world: World, saved: SavedWorld = {}): void {
    for (const store of stores) for (const [key] of saved[store] ?? []) this.#note(this.#keys, owner, key);
    const deaf = world.onChange(({ store, key, value }) => {
      if (typeof value !== 'object' && typeof value !== 'string') return;
      if (stores.has(store)) this.#note(this.#keys, owner, key);
      // A link or a sign-in goes by the token in it.
      const token = (value as { readonly token?: unknown } | null)?.token;
      if (typeof token === 'string') this.#noteToken(owner, token);
    });
    world.onClose(deaf);
  }

  /** Forget all that an owner has. */
  drop(owner: Owner): void {
    for (const all of [this.#tokens, this.#keys]) {
      for (const name of all.get(owner) ?? []) this.#forget(owner, name);
      all.delete(owner);
    }
  }

  #noteToken(owner: Owner, token: string): void {
    const all = this.#note(this.#tokens, owner, token);
    if (all.size <= mostTokens) return;
    const [oldest] = all;
    all.delete(oldest!);
    this.#forget(owner, oldest!);
  }

  #note(names: Map<Owner, Set<string>>, owner: Owner, name: string): Set<string> {
    const all = names.get(owner) ?? new Set();
    names.set(owner, all);
    all.add(name);
    this.#owners.set(name, owner);
    return all;
  }

  #forget(owner: Owner, name: string): void {
    if (this.#owners.get(name) === owner) this.#owners.delete(name);
  }
}
