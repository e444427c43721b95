import { pause, within } from '../../async/time-limit.js';
import { type PasswordEntry, passwordRing, seal, unseal } from '../../crypto/seal.js';
import { printableCause } from '../../errors/printable-cause.js';
import { redactor } from '../../errors/redact.js';
import { checkedTokens } from '../../oauth/grant.js';
import { type Ended, retryLater } from '../../oauth/outcome.js';
import type { Report } from '../read/reporter.js';
import type { GrantOutcome, RetryPolicy } from './authenticator.js';

/**
 * A store shared by all replicas, for services that ignore idempotency keys. The first replica refreshes and stores the outcome
 * for the others. It also holds a copy of the service's keys for a process that starts while the service is down. Every store of
 * `sallyport/stores` works. Keys have at most 100 letters, digits and colons. Values are sealed with the cookie password, so the
 * store never sees a token.
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
/** Milliseconds after an outage. Until then another replica may still be disconnected, because its driver reconnects later. */
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
const isSpent = (outcome: GrantOutcome): outcome is Ended =>
  outcome.status === 'ended' && outcome.reason === 'invalid_grant';

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
  /** `timeoutMs` limits one call of the store, the duration of `run`, and the wait for another process. */
  readonly retryPolicy: RetryPolicy;
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
  const { store, now } = access;
  // The absolute difference, so that a clock that was set back does not prolong the pause.
  if (Math.abs(now() - (outages.get(store) ?? -Infinity)) < outagePauseMs)
    return uncertainIfSpent(await run(), new Error('The refresh store is down'));
  try {
    return await shareThroughStore(access, run);
  } catch (failure) {
    if (!(failure instanceof StoreFailure)) throw failure;
    const { cause } = failure;
    if (!outages.has(store)) access.report?.({ reason: 'store_down', cause });
    outages.set(store, now());
    lastFailures.set(store, Date.now());
    return uncertainIfSpent(await run(), cause);
  }
}

/** Read the outcome, or take the lock and get it. @throws {StoreFailure} */
async function shareThroughStore(access: StoreAccess, run: () => Promise<GrantOutcome>): Promise<GrantOutcome> {
  const { store, lockKey, retryPolicy } = access;
  const end = Date.now() + retryPolicy.timeoutMs;
  for (;;) {
    const stored = await readOutcome(access);
    if (stored) return stored;
    const lockMs = retryPolicy.timeoutMs + 2 * callMs(access);
    const release = await callStore(access, () => store.lock(`sallyport:lock:${lockKey}`, lockMs));
    outages.delete(store);
    if (release) return runLocked(access, run, release);
    if (Date.now() >= end)
      return retryLater(
        'store_unavailable',
        new Error('Another process has held the lock of the refresh for too long'),
      );
    await pause(pollMs);
  }
}

async function runLocked(
  access: StoreAccess,
  run: () => Promise<GrantOutcome>,
  release: () => Promise<void>,
): Promise<GrantOutcome> {
  try {
    // Another process may have finished between the check and the lock.
    const outcome = (await readOutcome(access)) ?? (await checkSpent(access, await run()));
    if (outcome.status === 'ok') await storeTokens(access, outcome.tokens);
    return outcome;
  } finally {
    // A lock that cannot be released expires.
    await within(callMs(access), release).catch(() => undefined);
  }
}

/** Mark a spent token as uncertain if the store was down a moment ago or is down now: another replica may have refreshed without it. */
async function checkSpent(access: StoreAccess, outcome: GrantOutcome): Promise<GrantOutcome> {
  const wasDown = Date.now() - (lastFailures.get(access.store) ?? -Infinity) < reconnectMs;
  const isDown = isSpent(outcome) && (await readOutcome(access).catch(() => 'down')) === 'down';
  return wasDown || isDown ? uncertainIfSpent(outcome, new Error('The refresh store was down a moment ago')) : outcome;
}

const uncertainIfSpent = (outcome: GrantOutcome, cause: unknown): GrantOutcome =>
  isSpent(outcome) ? { ...outcome, uncertain: retryLater('store_unavailable', cause) } : outcome;

/** Milliseconds for one call of the store. */
const callMs = ({ retryPolicy }: StoreAccess): number => Math.min(retryPolicy.timeoutMs, maxCallMs);

/** @throws {StoreFailure} The store throws or takes too long. */
const callStore = <Result>(access: StoreAccess, operation: () => Promise<Result>): Promise<Result> =>
  within(callMs(access), operation).catch((cause) => {
    throw new StoreFailure(printableCause(cause, redactor([access.key, access.lockKey])));
  });

const outcomeKey = ({ key }: StoreAccess): string => `sallyport:refresh:${key}`;

async function readOutcome(access: StoreAccess): Promise<GrantOutcome | undefined> {
  const { store, entry, now } = access;
  const text = await callStore(access, () => store.get(outcomeKey(access)));
  const opened = text ? await unseal(text, passwordRing([entry]), { now: now() }) : undefined;
  const tokens = opened?.status === 'ok' ? checkedTokens(opened.value) : undefined;
  return tokens && { status: 'ok', tokens };
}

async function storeTokens(access: StoreAccess, tokens: object): Promise<void> {
  const { store, entry, now } = access;
  const keepMs = access.keepMs();
  const text = await seal(tokens, passwordRing([entry]), { ttlMs: keepMs, now: now() });
  const set = () => within(callMs(access), () => store.set(outcomeKey(access), text, keepMs));
  // We already have the tokens. Retry once, then continue without the store.
  await set()
    .catch(set)
    .catch(() => undefined);
}
