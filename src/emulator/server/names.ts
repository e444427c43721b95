import type { SavedWorld } from '../world/store.js';
import type { World } from '../world/world.js';

/** Stores whose keys travel alone, without an API key or a client id beside them. */
const stores: ReadonlySet<string> = new Set(['session', 'picture', 'audit log export link']);
/** The most tokens of links and sign-ins that are remembered of each world: the newest. */
const mostTokens = 1_000;

/** What one world knows. */
interface Known<Owner> {
  readonly owner: Owner;
  readonly tokens: Set<string>;
  readonly keys: Set<string>;
}

/** Which of many owners something is of that a request names and one world alone knows: a session, a link, a sign-in. */
export class Names<Owner extends object> {
  readonly #known = new Map<string, Known<Owner>>();

  /** The owner of what goes by this name, as far as it is remembered. */
  ownerOf(name: string): Owner | undefined {
    return this.#known.get(name)?.owner;
  }

  /** Remember what is, and what comes to be, in a world of an owner until it ends; `saved` is what it begins with. */
  follow(owner: Owner, world: World, saved: SavedWorld = {}): void {
    const known: Known<Owner> = { owner, tokens: new Set(), keys: new Set() };
    for (const store of stores) for (const [key] of saved[store] ?? []) this.#note(key, known.keys, known);
    for (const pairs of Object.values(saved)) {
      // One that has no token stands for all in its store.
      if (tokenIn(pairs.find(([, value]) => value !== null)?.[1]) === undefined) continue;
      for (const [, value] of pairs) this.#noteToken(value, known);
    }
    const deaf = world.onChange(({ store, key, value }) => {
      // Of what was deleted the place is still known, and so is whose it was, until that is forgotten too.
      if (value === undefined && stores.has(store)) this.#forget(key, known.keys, known);
      if (typeof value !== 'object' && typeof value !== 'string') return;
      if (stores.has(store)) this.#note(key, known.keys, known);
      this.#noteToken(value, known);
    });
    world.onClose(() => {
      deaf();
      for (const names of [known.tokens, known.keys]) for (const name of names) this.#forget(name, names, known);
    });
  }

  #noteToken(value: unknown, known: Known<Owner>): void {
    const token = tokenIn(value);
    if (token === undefined) return;
    this.#note(token, known.tokens, known);
    const [oldest] = known.tokens;
    if (known.tokens.size > mostTokens) this.#forget(oldest!, known.tokens, known);
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

/** The token by which a link or a sign-in goes. */
function tokenIn(value: unknown): string | undefined {
  const { token } = Object(value) as { readonly token?: unknown };
  return typeof token === 'string' ? token : undefined;
}
