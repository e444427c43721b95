import { pause, within } from '../../async/time-limit.js';
import { type PasswordEntry, passwordRing } from '../../crypto/passwords.js';
import { seal, unseal } from '../../crypto/seal.js';
import { printableCause } from '../../errors/printable-cause.js';
import { redactor } from '../../errors/redact.js';
import { checkedTokens } from '../../oauth/tokens.js';
import type { Report } from '../read/reporter.js';
import { type GrantLimits, type GrantOutcome, transient } from './service.js';

/**
 * A store shared by all replicas, for services that ignore idempotency keys. The first replica refreshes and stores the outcome
 * for the others. Every store of `sallyport/stores` works. Keys have at most 100 letters, digits and colons. Values are sealed
 * with the cookie password, so the store never sees a token.
 *
 * If the store throws or takes longer than a second, refreshes continue without it, under their idempotency keys, and `onProblem`
 * is called once. A refresh that is refused during the outage, or within 30 seconds after it, ends no session, because another
 * replica may have the new tokens.
 */
export interface RefreshStore {
  /** Get a value, or undefined or null if there is none or it has expired. */
  get(key: string): Promise<string | null | undefined>;
  /** Store a value for `ttlMs` milliseconds. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Try to take a lock that expires after `ttlMs` milliseconds. Resolves immediately: to a function that releases the lock, or to
   * undefined or null if it is taken.
   */
  lock(key: string, ttlMs: number): Promise<(() => Promise<void>) | null | undefined>;
}

/** Milliseconds between checks whether another process has finished. */
const pollMs = 50;
/** Maximum milliseconds for one call of the store. */
const maxCallMs = 1_000;
/** Milliseconds to leave a failed store alone. */
const outagePauseMs = 2_000;
/** Milliseconds after an outage in which another replica may still be disconnected, because its driver reconnects later. */
const reconnectMs = 30_000;

/** When each store that is down was last called, in milliseconds since 1970. */
const outages = new WeakMap<RefreshStore, number>();
/** When each store last failed, even if it has recovered since. By the system clock, not `now`. */
const lastFailures = new WeakMap<RefreshStore, number>();

/** An error of the store, as opposed to one of the refresh. */
class StoreFailure {
  constructor(readonly cause: unknown) {}
}

/** Whether the refresh token has already been used. */
const isSpent = (outcome: GrantOutcome): outcome is Extract<GrantOutcome, { kind: 'rejected' }> =>
  outcome.kind === 'rejected' && outcome.error.code === 'invalid_grant';

/** What a refresh through a store needs. */
export interface StoreAccess {
  readonly store: RefreshStore;
  /** The idempotency key. Identifies the outcome. */
  readonly key: string;
  /** Identifies the refresh token. Every exchange of the token takes this lock. */
  readonly lockKey: string;
  /** The password that opened the cookie. Every replica that can ask for the outcome has it. */
  readonly entry: PasswordEntry;
  readonly now: () => number;
  /** Milliseconds to keep the outcome for others. */
  readonly keepMs: () => number;
  /** `timeoutMs` limits one call of the store, and `deadlineMs` the wait for another process and the duration of `run`. */
  readonly limits: GrantLimits;
  readonly report?: Report | undefined;
}

/**
 * Get the outcome that another replica has stored; otherwise call `run` and store its outcome. While the store is down, only call
 * `run`.
 */
export async function refreshThroughStore(
  access: StoreAccess,
  run: () => Promise<GrantOutcome>,
): Promise<GrantOutcome> {
  const { store, lockKey, entry, now } = access;
  const { timeoutMs, deadlineMs } = access.limits;
  const storeMs = Math.min(timeoutMs, maxCallMs);
  const key = `sallyport:refresh:${access.key}`;
  const ring = passwordRing([entry]);
  const end = Date.now() + deadlineMs;

  const call = <Result>(operation: () => Promise<Result>): Promise<Result> =>
    within(storeMs, operation).catch((cause) => {
      throw new StoreFailure(printableCause(cause, redactor([access.key, lockKey])));
    });
  const readOutcome = async (): Promise<GrantOutcome | undefined> => {
    const text = await call(() => store.get(key));
    const opened = text ? await unseal(text, ring, { now: now() }) : undefined;
    const tokens = opened?.ok ? checkedTokens(opened.value) : undefined;
    return tokens && { kind: 'tokens', tokens };
  };
  const storeOutcome = async (tokens: object): Promise<void> => {
    const keepMs = access.keepMs();
    const text = await seal(tokens, ring, { ttlMs: keepMs, now: now() });
    const set = () => within(storeMs, () => store.set(key, text, keepMs));
    // The tokens are already ours. Retry once, then continue without the store.
    await set()
      .catch(set)
      .catch(() => undefined);
  };

  const transientIfSpent = (outcome: GrantOutcome, cause: unknown): GrantOutcome =>
    isSpent(outcome) ? { ...outcome, transient: transient('store_unavailable', cause) } : outcome;
  const runWithoutStore = async (cause: unknown): Promise<GrantOutcome> => transientIfSpent(await run(), cause);
  const runWithStore = async (): Promise<GrantOutcome> => {
    const outcome = await run();
    const wasDown = Date.now() - (lastFailures.get(store) ?? -Infinity) < reconnectMs;
    // If the store is down now, another replica may have refreshed without it.
    const isDown = isSpent(outcome) && (await readOutcome().catch(() => 'down')) === 'down';
    return wasDown || isDown
      ? transientIfSpent(outcome, new Error('The refresh store was down a moment ago'))
      : outcome;
  };

  // The absolute difference, so that a clock that was set back does not prolong the pause.
  if (Math.abs(now() - (outages.get(store) ?? -Infinity)) < outagePauseMs)
    return runWithoutStore(new Error('The refresh store is down'));
  try {
    for (;;) {
      const storedOutcome = await readOutcome();
      if (storedOutcome) return storedOutcome;
      const lockMs = deadlineMs + 2 * storeMs;
      const release = await call(() => store.lock(`sallyport:lock:${lockKey}`, lockMs));
      outages.delete(store);
      if (release)
        try {
          // Another process may have finished between the check and the lock.
          const outcome = (await readOutcome()) ?? (await runWithStore());
          if (outcome.kind === 'tokens') await storeOutcome(outcome.tokens);
          return outcome;
        } finally {
          // A lock that cannot be released expires.
          await within(storeMs, release).catch(() => undefined);
        }
      if (Date.now() >= end)
        return transient(
          'store_unavailable',
          new Error('Another process has held the lock of the refresh for too long'),
        );
      await pause(pollMs);
    }
  } catch (failure) {
    if (!(failure instanceof StoreFailure)) throw failure;
    const { cause } = failure;
    if (!outages.has(store)) access.report?.({ reason: 'store_down', cause });
    outages.set(store, now());
    lastFailures.set(store, Date.now());
    return runWithoutStore(cause);
  }
}
