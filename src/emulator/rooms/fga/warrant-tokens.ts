import { unprocessableField } from '../../world/refusal.js';
import { slot, type World } from '../../world/world.js';

/** The moments after writes; each has a token. */
class Moments {
  readonly #tokens = new Set<string>();
  readonly #next: () => string;
  #latest: string | undefined;

  constructor(next: () => string) {
    this.#next = next;
  }

  get latest(): string {
    return this.#latest ?? this.pass();
  }

  knows(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** The moment after a write. */
  pass(): string {
    this.#latest = this.#next();
    this.#tokens.add(this.#latest);
    return this.#latest;
  }
}

const moments = slot((world) => new Moments(() => world.ids('warrant_token')));

/** The token of the moment as it is now. */
export const latestWarrantToken = (world: World): string => world.of(moments).latest;

/**
 * Refuse a read that names an unknown write. Every read knows of all writes here, so that is all there is to
 * a token.
 */
export function heedWarrantToken(world: World, request: Request): void {
  const token = request.headers.get('warrant-token');
  if (token === null || token === 'latest' || world.of(moments).knows(token)) return;
  throw unprocessableField(
    'Warrant-Token',
    'unknown_warrant_token',
    'must be latest, or a warrant_token that a write was answered with',
  );
}

/** Note that a write has happened; return the token of the moment after it. */
export const passWarrantWrite = (world: World): string => world.of(moments).pass();
