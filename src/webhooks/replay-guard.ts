import { within } from '../http/time-limit.js';
import type { Store } from '../stores/store.js';

/** What a store knows of a delivery: nobody had it before, so it is ours now; it was handled; somebody is handling it. */
export type Claim =
  | { readonly state: 'ours'; readonly handled: () => Promise<void>; readonly release: () => Promise<void> }
  | { readonly state: 'handled' }
  | { readonly state: 'busy' };

/** What a claim is made of. */
export interface ClaimOptions {
  readonly store: Store;
  /** Who receives, and what: two receivers handle the same event apart. */
  readonly key: string;
  /** How long nobody else handles it if nothing more is heard of us. */
  readonly leaseMs: number;
  /** How long it is known as handled. */
  readonly rememberMs: number;
  /** How long the store may take to answer; one that takes longer counts as down. Default 2,000. */
  readonly patienceMs?: number;
}

const isHandled = 'handled';

/** Claims a delivery. @throws What the store throws, or that it does not answer. */
export async function claim({ store, key, leaseMs, rememberMs, patienceMs = 2_000 }: ClaimOptions): Promise<Claim> {
  const ask = <T>(operation: (signal: AbortSignal) => Promise<T>): Promise<T> => within(patienceMs, operation);
  const mine = crypto.randomUUID();
  const tryClaim = async (signal: AbortSignal): Promise<boolean> => {
    const isOurs = await store.compareAndSet(key, undefined, mine, leaseMs);
    // Nobody waits any more: what comes so late would keep the next delivery from being handled.
    if (isOurs && signal.aborted) await store.delete(key, mine);
    return isOurs;
  };
  // Twice, because a claim may end between the two looks.
  for (let look = 0; look < 2; look++) {
    if (await ask(tryClaim))
      return {
        state: 'ours',
        async handled() {
          // Whoever claimed it after our lease had ended finds it handled when it is done, too.
          if (!(await ask(() => store.compareAndSet(key, mine, isHandled, rememberMs))))
            await ask(() => store.compareAndSet(key, undefined, isHandled, rememberMs));
        },
        async release() {
          await ask(() => store.delete(key, mine));
        },
      };
    const found = await ask(() => store.get(key));
    if (found === isHandled) return { state: 'handled' };
    if (typeof found === 'string') return { state: 'busy' };
  }
  return { state: 'busy' };
}

/** The key of a delivery; what has other letters than a key may have, or too many, is hashed. */
export async function claimKey(receiver: string, id: string): Promise<string> {
  if (/^\w[\w.:-]{0,119}$/.test(id)) return `webhook:${receiver}:${id}`;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const digits = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  // No id that goes as it is begins with a colon.
  return `webhook:${receiver}::${digits}`;
}
