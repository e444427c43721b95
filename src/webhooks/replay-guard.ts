import { within } from '../async/time-limit.js';
import { hex, utf8 } from '../crypto/encoding.js';
import type { Store } from '../stores/store.js';

/** Result of a claim: the delivery is ours to handle, was handled before, or is being handled by another process. */
export type Claim =
  | { readonly state: 'claimed'; readonly handled: () => Promise<void>; readonly release: () => Promise<void> }
  | { readonly state: 'handled' }
  | { readonly state: 'busy' };

/** Options of `claim`. */
export interface ClaimOptions {
  readonly store: Store;
  /** Key of the receiver and the event: two receivers handle the same event independently. */
  readonly key: string;
  /** How long the claim lasts if this process dies. */
  readonly leaseMs: number;
  /** How long the event is remembered as handled. */
  readonly rememberMs: number;
  /** Timeout of each store operation; default 2,000. */
  readonly timeoutMs?: number;
}

const handledValue = 'handled';

/** Claim a delivery. @throws The error of the store, or a timeout. */
export async function claim({ store, key, leaseMs, rememberMs, timeoutMs = 2_000 }: ClaimOptions): Promise<Claim> {
  const ask = <T>(operation: (signal: AbortSignal) => Promise<T>): Promise<T> => within(timeoutMs, operation);
  const token = crypto.randomUUID();
  const tryClaim = async (signal: AbortSignal): Promise<boolean> => {
    const isClaimed = await store.compareAndSet(key, undefined, token, leaseMs);
    // A claim after the timeout would block the next delivery.
    if (isClaimed && signal.aborted) await store.delete(key, token);
    return isClaimed;
  };
  // Try twice, because a claim may expire between `compareAndSet` and `get`.
  for (let look = 0; look < 2; look++) {
    if (await ask(tryClaim))
      return {
        state: 'claimed',
        async handled() {
          // Our lease may have expired. If the key is free, mark the event as handled anyway.
          if (!(await ask(() => store.compareAndSet(key, token, handledValue, rememberMs))))
            await ask(() => store.compareAndSet(key, undefined, handledValue, rememberMs));
        },
        async release() {
          await ask(() => store.delete(key, token));
        },
      };
    const value = await ask(() => store.get(key));
    if (value === handledValue) return { state: 'handled' };
    if (typeof value === 'string') return { state: 'busy' };
  }
  return { state: 'busy' };
}

/** The key of a delivery. Ids that are too long or not allowed in keys are hashed. */
export async function claimKey(receiver: string, id: string): Promise<string> {
  if (/^\w[\w.:-]{0,119}$/.test(id)) return `webhook:${receiver}:${id}`;
  const digits = hex(await crypto.subtle.digest('SHA-256', utf8(id)));
  // Unhashed ids never start with a colon, so the two kinds of keys cannot collide.
  return `webhook:${receiver}::${digits}`;
}
