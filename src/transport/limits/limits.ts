import { checkNames, checkOption } from '../../errors/known-options.js';
import { type Counted, countedOf } from '../../service/rates/limited-requests.js';
import { type RateLimitName, rateLimits } from '../../service/rates/rate-limits.js';
import type { PreparedRequest } from '../request/request.js';
import { isGiven } from '../request/url.js';
import { Budget } from './budget.js';
import type { LimitNumbers, LimitsMode, LimitsOptions, LimitUse, SharedLimiter } from './options.js';
import { LimiterOutages, SharedLimit } from './shared-limit.js';

/** Above this number of budgets, idle ones are deleted. */
const maxIdle = 1_000;

/** A budget that a request counts towards. */
export interface LimitBudget {
  readonly name: RateLimitName;
  readonly budget: Budget;
}

const now = (): number => performance.now();

/** Tracks what a client uses of the service's rate limits. */
export class Limits {
  readonly #holdsBack: boolean;
  readonly #numbers: ReadonlyMap<RateLimitName, LimitNumbers>;
  readonly #limiters: ReadonlyMap<RateLimitName, SharedLimiter>;
  readonly #outages: LimiterOutages;
  readonly #account: string;
  readonly #budgets = new Map<string, LimitBudget & { readonly key: string }>();
  #sweepAt = maxIdle;

  /** @param account The service and the API key, which separate clients that share limiters. */
  constructor(option: LimitsMode | LimitsOptions, account: string) {
    const options: LimitsOptions = typeof option === 'object' ? option : { mode: option };
    checkNames('new Sallyport()', options, { mode: 1, limiter: 1, limits: 1, onProblem: 1 }, 'limits.');
    const { mode, limiter, limits = {}, onProblem } = options;
    checkOption(
      mode === 'published' || mode === 'observed',
      'limits',
      'must be observed, published or an object with one of them as mode',
    );
    checkOption(limiter === undefined || typeof limiter === 'function', 'limits.limiter', 'must be a function');
    checkNumbers(limits);
    this.#holdsBack = mode === 'published';
    this.#numbers = new Map(
      rateLimits.flatMap((published) => {
        const numbers = limits[published.name] ?? published;
        return numbers === 'unlimited' ? [] : [[published.name, numbers] as const];
      }),
    );
    this.#limiters = new Map(limiter && this.#holdsBack ? limitersOf(limiter, this.#numbers) : []);
    this.#outages = new LimiterOutages(onProblem, now);
    this.#account = account;
  }

  /** Return the budgets of a request, the narrowest first, so that a call waiting for it holds no slot in the wider ones. */
  async budgetsOf(request: PreparedRequest, apiKey: string | undefined): Promise<readonly LimitBudget[]> {
    const counted = countedOf(limitedRequestOf(request, apiKey));
    const budgets = await Promise.all(counted.map((one) => this.#budgetOf(one)));
    return budgets.filter((budget) => budget !== undefined).reverse();
  }

  async #budgetOf({ name, subject }: Counted): Promise<LimitBudget | undefined> {
    const numbers = this.#numbers.get(name);
    if (!numbers) return undefined;
    const id = `${name} ${subject}`;
    const cached = this.#budgets.get(id);
    if (cached) return cached;
    const fingerprint = await fingerprintOf([this.#account, name, subject]);
    // Another call may have created it in the meantime.
    const created = this.#budgets.get(id);
    if (created) return created;
    if (this.#budgets.size >= this.#sweepAt) {
      for (const [other, { budget }] of this.#budgets) if (budget.isIdle) this.#budgets.delete(other);
      this.#sweepAt = Math.max(maxIdle, this.#budgets.size * 2);
    }
    const limiter = this.#limiters.get(name);
    const shared = limiter && new SharedLimit(limiter, fingerprint, numbers.windowMs, this.#outages, now);
    const key = hasPrivateKey.has(name) ? fingerprint.slice(0, 16) : subject;
    const added = { name, key, budget: new Budget(numbers, this.#holdsBack, now, shared) };
    this.#budgets.set(id, added);
    return added;
  }

  snapshot(): readonly LimitUse[] {
    return [...this.#budgets.values()]
      .filter(({ budget }) => !budget.isIdle)
      .map(({ name, key, budget }) => ({
        name,
        key,
        used: budget.used,
        allowed: budget.numbers.requests,
        windowMs: budget.numbers.windowMs,
        waiting: budget.waiting,
        pausedUntil: budget.pausedMs > 0 ? new Date(Date.now() + budget.pausedMs).toISOString() : null,
      }));
  }
}

function limitersOf(
  limiterOf: NonNullable<LimitsOptions['limiter']>,
  limits: ReadonlyMap<RateLimitName, LimitNumbers>,
): (readonly [RateLimitName, SharedLimiter])[] {
  // Each process usually has its own IP address, and limits on activities are not for clients.
  const shared = rateLimits.filter(({ per, counts }) => per !== 'IP address' && typeof counts !== 'string');
  return shared.flatMap(({ name }) => {
    const numbers = limits.get(name);
    if (!numbers) return [];
    const limiter = limiterOf({ name, requests: numbers.requests, windowMs: numbers.windowMs });
    checkOption(typeof limiter?.consume === 'function', 'limits.limiter', 'must return an object that has consume');
    return [[name, limiter] as const];
  });
}

/** Limits with a secret or personal key. Snapshots show its fingerprint. */
const hasPrivateKey = new Set(
  rateLimits
    .filter(({ per }) => per === 'API key' || per === 'email' || per === 'email or challenge id')
    .map(({ name }) => name),
);

/** Return the SHA-256 of some texts as 64 hexadecimal digits. The prefix separates it from other hashes of the same texts. */
async function fingerprintOf(texts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(`sallyport limits 1\n${JSON.stringify(texts)}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function limitedRequestOf({ operation, params, query, fields }: PreparedRequest, apiKey: string | undefined) {
  const { path, method } = operation;
  const given = (name: string) => (isGiven(query[name]) ? String(query[name]) : undefined);
  // The client does not know the directory of a group, so a group is treated as a separate directory.
  const subject = given('directory') ?? (given('group') && `group ${given('group')}`);
  return { path, method, params, body: fields, apiKey, subject };
}

function checkNumbers(limits: NonNullable<LimitsOptions['limits']>): void {
  for (const [name, numbers] of Object.entries(limits)) {
    checkOption(
      rateLimits.some((one) => one.name === name),
      `limits.limits.${name}`,
      `is not a limit of the service. Use ${rateLimits.map((one) => one.name).join(', ')}`,
    );
    checkOption(
      numbers === 'unlimited' || (Number.isInteger(numbers?.requests) && numbers.requests > 0 && numbers.windowMs > 0),
      `limits.limits.${name}`,
      "must be 'unlimited', or have requests, a whole number of 1 or more, and windowMs, greater than 0",
    );
  }
}
