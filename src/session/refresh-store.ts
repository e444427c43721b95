import { type PasswordEntry, passwordRing } from '../crypto/passwords.js';
import { seal, unseal } from '../crypto/seal.js';
import { printableCause } from '../errors/printable-cause.js';
import { redactor } from '../errors/redact.js';
import { pause, within } from '../http/time-limit.js';
import { checkedTokens } from '../oauth/tokens.js';
import type { Report } from './problems.js';
import { type GrantLimits, type GrantOutcome, transient } from './service.js';

/**
 * A store that all replicas share, for services that do not honour idempotency keys: the first replica refreshes and leaves
 * the outcome for the others. Every store of `sallyport/stores` is one. Keys are texts of at most 100 letters, digits and colons.
 * Values are sealed with the cookie password, so that the store never sees a token.
 *
 * While the store is down (it throws, or takes longer than a second), refreshes go on without it, under their idempotency keys, and
 * `onProblem` is told once. A refresh that is refused meanwhile, or within half a minute, ends no session: another replica may have the
 * new tokens.
 */
export interface RefreshStore {
  /** What is kept under a key; undefined or null when there is nothing or its time is over. */
  get(key: string): Promise<string | null | undefined>;
  /** Keeps a value for `ttlMs` milliseconds. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Takes a lock that ends by itself after `ttlMs` milliseconds. Resolves at once: to a function that lets go of it, or to
   * undefined or null when somebody else holds it.
   */
  lock(key: string, ttlMs: number): Promise<(() => Promise<void>) | null | undefined>;
}

/** How often it is looked whether somebody else is done. */
const lookEveryMs = 50;
/** How long one call of the store may take at most. */
const callMs = 1_000;
/** For how long a store that failed is left alone. */
const leaveAloneMs = 2_000;
/** For how long after a store failed here another replica may still be without it: its driver connects again at a time of its own. */
const reunionMs = 30_000;

/** When the stores that are down were asked last, in milliseconds since 1970. */
const outages = new WeakMap<RefreshStore, number>();
/** When stores failed last, by the clock of this machine, whether or not they are back. */
const failedAt = new WeakMap<RefreshStore, number>();

/** The store failed, and not what was done by way of it. */
class StoreFailure {
  constructor(readonly cause: unknown) {}
}

/** Whether somebody has used the refresh token before. */
const isSpent = (outcome: GrantOutcome): outcome is Extract<GrantOutcome, { kind: 'rejected' }> =>
  outcome.kind === 'rejected' && outcome.error.code === 'invalid_grant';

/** What refreshing by way of a store needs. */
export interface StoreAccess {
  readonly store: RefreshStore;
  /** The idempotency key: stands for the outcome. */
  readonly key: string;
  /** Stands for the refresh token: whatever spends it takes this lock. */
  readonly lockKey: string;
  /** The password that opened the cookie, which every replica has that can ask for the outcome. */
  readonly entry: PasswordEntry;
  readonly now: () => number;
  /** Milliseconds for which the outcome is left for others. */
  readonly keepMs: () => number;
  /** `timeoutMs` is for one call of the store; `deadlineMs` to wait for somebody else, and what `run` takes at most. */
  readonly limits: GrantLimits;
  readonly report?: Report | undefined;
}

/** The outcome that another replica left, or else that of `run`, left for the others; while the store is down, that of `run` alone. */
export async function throughStore(access: StoreAccess, run: () => Promise<GrantOutcome>): Promise<GrantOutcome> {
  const { store, lockKey, entry, now } = access;
  const { timeoutMs, deadlineMs } = access.limits;
  const storeMs = Math.min(timeoutMs, callMs);
  const key = `sallyport:refresh:${access.key}`;
  const ring = passwordRing([entry]);
  const end = Date.now() + deadlineMs;

  const call = <Result>(operation: () => Promise<Result>): Promise<Result> =>
    within(storeMs, operation).catch((cause) => {
      throw new StoreFailure(printableCause(cause, redactor([access.key, lockKey])));
    });
  const look = async (): Promise<GrantOutcome | undefined> => {
    const text = await call(() => store.get(key));
    const opened = text ? await unseal(text, ring, { now: now() }) : undefined;
    const tokens = opened?.ok ? checkedTokens(opened.value) : undefined;
    return tokens && { kind: 'tokens', tokens };
  };
  const leave = async (tokens: object): Promise<void> => {
    const keepMs = access.keepMs();
    const text = await seal(tokens, ring, { ttlSec: Math.ceil(keepMs / 1_000), now: now() });
    const set = () => within(storeMs, () => store.set(key, text, keepMs));
    // The tokens are ours already and nobody else gets them: one more try, and then on without the store.
    await set()
      .catch(set)
      .catch(() => undefined);
  };

  const inDoubt = (outcome: GrantOutcome, cause: unknown): GrantOutcome =>
    isSpent(outcome) ? { ...outcome, transient: transient('store_unavailable', cause) } : outcome;
  const without = async (cause: unknown): Promise<GrantOutcome> => inDoubt(await run(), cause);
  const withStore = async (): Promise<GrantOutcome> => {
    const outcome = await run();
    const wasDown = Date.now() - (failedAt.get(store) ?? -Infinity) < reunionMs;
    // Where it is gone by now, another replica may have been without it before us.
    const isDown = isSpent(outcome) && (await look().catch(() => 'down')) === 'down';
    return wasDown || isDown ? inDoubt(outcome, new Error('The store of refreshes was down a moment ago')) : outcome;
  };

  // A clock that was set back leaves no store alone for longer.
  if (Math.abs(now() - (outages.get(store) ?? -Infinity)) < leaveAloneMs)
    return without(new Error('The store of refreshes is down'));
  try {
    for (;;) {
      const storedOutcome = await look();
      if (storedOutcome) return storedOutcome;
      const lockMs = deadlineMs + 2 * storeMs;
      const release = await call(() => store.lock(`sallyport:lock:${lockKey}`, lockMs));
      outages.delete(store);
      if (release)
        try {
          // Between the look and the lock somebody else may have been done.
          const outcome = (await look()) ?? (await withStore());
          if (outcome.kind === 'tokens') await leave(outcome.tokens);
          return outcome;
        } finally {
          // A lock that cannot be let go of ends by itself.
          await within(storeMs, release).catch(() => undefined);
        }
      if (Date.now() >= end)
        return transient('store_unavailable', new Error('somebody else holds the lock of the refresh for too long'));
      await pause(lookEveryMs);
    }
  } catch (failure) {
    if (!(failure instanceof StoreFailure)) throw failure;
    const { cause } = failure;
    if (!outages.has(store)) access.report?.({ reason: 'store_down', cause });
    outages.set(store, now());
    failedAt.set(store, Date.now());
    return without(cause);
  }
}
