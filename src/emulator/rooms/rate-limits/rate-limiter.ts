import { type Fields, number, part, ref, valueAs } from '../../../service/describe/define.js';
import { type Counted, hereAddress } from '../../../service/rates/limited-requests.js';
import { type RateLimitName, rateLimits } from '../../../service/rates/rate-limits.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { Table } from '../../store/table.js';
import type { Clock } from '../../world/clock.js';
import { type Memory, type Slot, slot, table } from '../../world/memory.js';

/** The number of requests that a limit allows, and the length of its window in milliseconds. */
interface Allowance {
  readonly requests: number;
  readonly windowMs: number;
}

/** Requests counted under one allowance, and when it ends, in milliseconds since 1970. */
const use = part({ used: number, endsAt: number });
interface Use extends Readonly<Fields<typeof use>> {}

/** Limits that were set or removed since the world started, by name. */
const changedLimits = table<Allowance | 'unlimited'>('rate limit', valueAs(), (limit) =>
  limit === 'unlimited' || (Number.isInteger(limit?.requests) && Number.isInteger(limit.windowMs))
    ? undefined
    : 'it must be unlimited, or have whole numbers of requests and milliseconds',
);
/** Counters of the allowances in use. */
const usedLimits = table<Use>('rate limit use', ref<Use>(use));

/** Beyond this many counters, expired ones are dropped. */
const maxCounters = 10_000;

/** Headers of a limit, which are added to every counted response. */
type LimitHeaders = Readonly<Record<string, string>>;

const scopes = new Map(rateLimits.map(({ name, scope, per }) => [name, per === null ? scope : `${scope}, per ${per}`]));
/** Limits per IP address, which are shared by all environments. */
const perAddress = new Set(rateLimits.filter(({ per }) => per === 'IP address').map(({ name }) => name));

/** Counts requests and refuses those over a limit, by the emulator's clock. An allowance starts with its first request. */
class RateLimiter {
  readonly #clock: Clock;
  /** Limits that apply unless they were changed. */
  readonly #published: ReadonlyMap<RateLimitName, Allowance>;
  readonly #changes: Table<Allowance | 'unlimited'>;
  readonly #uses: Table<Use>;

  constructor(memory: Memory) {
    this.#clock = memory.clock;
    this.#published = new Map(memory.settings.rateLimits ? rateLimits.map((limit) => [limit.name, limit]) : []);
    this.#changes = memory.of(changedLimits);
    this.#uses = memory.of(usedLimits);
  }

  /** Whether no limit applies. */
  get isIdle(): boolean {
    return this.#published.size === 0 && this.#changes.size === 0;
  }

  #allowanceOf(name: RateLimitName): Allowance | undefined {
    const allowance = this.#changes.get(name) ?? this.#published.get(name);
    return allowance === 'unlimited' ? undefined : allowance;
  }

  /** Set a limit. Requests counted so far still count. */
  set(name: RateLimitName, allowance: Allowance): void {
    this.#changes.set(name, allowance);
  }

  /** Remove a limit and its counters. */
  clear(name: RateLimitName): void {
    if (this.#published.has(name)) this.#changes.set(name, 'unlimited');
    else this.#changes.delete(name);
    for (const key of this.#uses.keys()) if (key.startsWith(`${name}\n`)) this.#uses.delete(key);
  }

  /**
   * Count a request under all its limits. Returns the headers of the limit with the fewest requests left.
   *
   * @throws {EmulatorRefusal} 429 with `Retry-After` if a limit is used up. The request is then not counted at all.
   */
  count(counted: readonly Counted[], clientId: string): LimitHeaders {
    const now = this.#clock.now();
    const all = counted.flatMap(({ name, subject }) => {
      const allowance = this.#allowanceOf(name);
      if (!allowance) return [];
      const key = `${name}\n${perAddress.has(name) ? '' : clientId}\n${subject}`;
      return [{ name, key, allowance, use: this.#useOf(key, allowance, now) }];
    });
    const full = all.filter(({ allowance, use }) => use.used >= allowance.requests);
    const worst = full.sort((one, other) => other.use.endsAt - one.use.endsAt)[0];
    if (worst) throw tooMany(worst.name, worst.allowance, worst.use, now);
    for (const one of all) {
      one.use = { ...one.use, used: one.use.used + 1 };
      this.#uses.set(one.key, one.use);
    }
    const [tightest] = all.sort((one, other) => leftOf(one) - leftOf(other));
    return tightest ? headersOf(tightest.allowance, tightest.use) : {};
  }

  #useOf(key: string, { windowMs }: Allowance, now: number): Use {
    const use = this.#uses.get(key);
    // After the clock was set back, no caller may wait longer than the duration of the limit.
    if (use && use.endsAt > now && use.endsAt <= now + windowMs) return use;
    if (this.#uses.size >= maxCounters)
      for (const [other, { endsAt }] of this.#uses.entries()) if (endsAt <= now) this.#uses.delete(other);
    return { used: 0, endsAt: now + windowMs };
  }
}

const leftOf = ({ allowance, use }: { readonly allowance: Allowance; readonly use: Use }): number =>
  allowance.requests - use.used;

const headersOf = ({ requests }: Allowance, { used, endsAt }: Use): LimitHeaders => ({
  'x-ratelimit-limit': String(requests),
  'x-ratelimit-remaining': String(Math.max(0, requests - used)),
  'x-ratelimit-reset': String(Math.ceil(endsAt / 1_000)),
});

function tooMany(name: RateLimitName, allowance: Allowance, use: Use, now: number): EmulatorRefusal {
  const wait = Math.ceil((use.endsAt - now) / 1_000);
  return new EmulatorRefusal(
    429,
    'rate_limit_exceeded',
    `Too many requests (${scopes.get(name)}): ${allowance.requests} are allowed in ${seconds(allowance.windowMs / 1_000)}. Wait ${seconds(wait)}`,
    {},
    { ...headersOf(allowance, use), 'retry-after': String(wait) },
  );
}

const seconds = (count: number): string => `${count} second${count === 1 ? '' : 's'}`;

/** The rate limits of a world, which it shares with the whole emulator. */
export const rateLimiter: Slot<RateLimiter> = slot(
  'rate limiter',
  'its counters are stored in tables',
  (memory) => memory.main?.of(rateLimiter) ?? new RateLimiter(memory),
);

/** Count an action on the hosted pages that cannot be recognized from its request alone. @throws {EmulatorRefusal} 429. */
export function countActivity(memory: Memory, name: RateLimitName, subject = hereAddress): void {
  memory.of(rateLimiter).count([{ name, subject }], memory.settings.clientId);
}

/** List the limits that a request for a hosted page counts under. */
export const countedAsHosted = (method: string): readonly Counted[] => [
  { name: 'all_requests', subject: hereAddress },
  { name: method === 'GET' ? 'hosted_sign_in_read' : 'hosted_sign_in_write', subject: '' },
];
