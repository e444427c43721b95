import { checkOption } from '../../errors/check-option.js';
import type { Operation } from '../../service/describe/operation.js';
import { type Counted, countedOf } from '../../service/limited-requests.js';
import { type RateLimitName, rateLimits } from '../../service/rate-limits.js';
import type { Prepared } from '../request.js';
import { Budget } from './budget.js';
import type { LimitNumbers, LimitsMode, LimitsOptions, LimitUse } from './options.js';
import { SharedStore, SharedWindow } from './shared-window.js';

/** Above this many budgets those that are not in use are forgotten. */
const mostIdle = 1_000;

/** One budget a request falls under. */
export interface Place {
  readonly name: RateLimitName;
  readonly budget: Budget;
}

/** The clocks: one that is never set, and the wall's. */
export interface Clocks {
  readonly steady: () => number;
  readonly wall: () => number;
}
const clocks: Clocks = { steady: () => performance.now(), wall: () => Date.now() };

/** What a client uses of the service's limits, by limit and by whose allowance it is. */
export class Limits {
  readonly #holdsBack: boolean;
  readonly #numbers: ReadonlyMap<RateLimitName, LimitNumbers>;
  readonly #shared: SharedStore | undefined;
  readonly #account: string;
  readonly #clocks: Clocks;
  readonly #budgets = new Map<string, Place & { readonly key: string }>();
  #sweepAt = mostIdle;

  /** `account` is the service and the API key: it separates clients in a store. */
  constructor(option: LimitsMode | LimitsOptions, account: string, using: Clocks = clocks) {
    const {
      mode,
      store,
      limits = {},
      onProblem,
    }: LimitsOptions = typeof option === 'string' ? { mode: option } : option;
    checkOption(
      mode === 'published' || mode === 'observed',
      'limits',
      'must be observed, published or an object with such a mode',
    );
    checkOption(
      store === undefined || [store?.increment, store?.set].every((one) => typeof one === 'function'),
      'limits.store',
      'must have increment and set, as every store of sallyport/stores has',
    );
    checkNumbers(limits);
    this.#holdsBack = mode === 'published';
    this.#numbers = new Map(
      rateLimits.flatMap((published) => {
        const numbers = limits[published.name] ?? published;
        return numbers === 'unlimited' ? [] : [[published.name, numbers] as const];
      }),
    );
    this.#shared = store && this.#holdsBack ? new SharedStore(store, onProblem, using.steady) : undefined;
    this.#account = account;
    this.#clocks = using;
  }

  /** The budgets that a request falls under, the narrowest first: a call that waits for it holds no place in the wider ones. */
  async placesOf(operation: Operation, prepared: Prepared, apiKey: string | undefined): Promise<readonly Place[]> {
    const counted = countedOf(limitedRequestOf(operation, prepared, apiKey));
    const places = await Promise.all(counted.map((one) => this.#placeOf(one)));
    return places.filter((place) => place !== undefined).reverse();
  }

  async #placeOf({ name, subject }: Counted): Promise<Place | undefined> {
    const numbers = this.#numbers.get(name);
    if (!numbers) return undefined;
    const id = `${name} ${subject}`;
    const known = this.#budgets.get(id);
    if (known) return known;
    const fingerprint = await fingerprintOf([this.#account, name, subject]);
    // Another call may have made it in the meantime.
    const made = this.#budgets.get(id);
    if (made) return made;
    if (this.#budgets.size >= this.#sweepAt) {
      for (const [other, { budget }] of this.#budgets) if (budget.isIdle) this.#budgets.delete(other);
      this.#sweepAt = Math.max(mostIdle, this.#budgets.size * 2);
    }
    const { steady } = this.#clocks;
    // Each process usually has its own IP address, and each address has its own allowance.
    const shared =
      this.#shared && name !== 'all_requests'
        ? new SharedWindow(this.#shared, `limits:${fingerprint}`, numbers, steady)
        : undefined;
    const key = hasPrivateKey.has(name) ? fingerprint.slice(0, 16) : subject;
    const place = { name, key, budget: new Budget(numbers, this.#holdsBack, steady, shared) };
    this.#budgets.set(id, place);
    return place;
  }

  snapshot(): readonly LimitUse[] {
    return [...this.#budgets.values()]
      .filter(({ budget }) => !budget.isIdle)
      .map(({ name, key, budget }) => ({
        name,
        key,
        used: budget.used,
        allowed: budget.numbers.requests,
        seconds: budget.numbers.seconds,
        waiting: budget.waiting,
        pausedUntil: budget.pausedMs > 0 ? new Date(this.#clocks.wall() + budget.pausedMs).toISOString() : null,
      }));
  }
}

/** Limits whose key is a secret or personal: a snapshot shows a fingerprint of it. */
const hasPrivateKey = new Set(
  rateLimits
    .filter(({ per }) => per === 'API key' || per === 'email' || per === 'email or challenge id')
    .map(({ name }) => name),
);

/** The SHA-256 of some texts as 64 hexadecimal digits. The prefix makes it differ from every other hash of the same texts. */
async function fingerprintOf(texts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(`sallyport limits 1\n${JSON.stringify(texts)}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function limitedRequestOf(operation: Operation, { url, body, method }: Prepared, apiKey: string | undefined) {
  const { pathname, searchParams } = new URL(url);
  const group = searchParams.get('group');
  return {
    path: operation.path,
    method,
    params: paramsOf(operation.path, pathname),
    // Few limits look into it.
    get body() {
      return bodyOf(body);
    },
    apiKey,
    // The client does not know whose group it is: it counts as a directory of its own.
    subject: searchParams.get('directory') ?? (group === null ? undefined : `group ${group}`),
  };
}

/** The parameters of a path; it may stand behind a path of the service's address. */
function paramsOf(path: string, sent: string): Readonly<Record<string, string>> {
  const words = path.split('/').reverse();
  const values = sent.split('/').reverse();
  return Object.fromEntries(
    words.flatMap((word, at) => (word.startsWith(':') ? [[word.slice(1), decodeURIComponent(values[at] ?? '')]] : [])),
  );
}

function bodyOf(body: string | undefined): unknown {
  if (body === undefined) return undefined;
  return body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

function checkNumbers(limits: NonNullable<LimitsOptions['limits']>): void {
  for (const [name, numbers] of Object.entries(limits)) {
    checkOption(
      rateLimits.some((one) => one.name === name),
      `limits.limits.${name}`,
      `is not a limit of the service. Use ${rateLimits.map((one) => one.name).join(', ')}`,
    );
    checkOption(
      numbers === 'unlimited' || (Number.isInteger(numbers?.requests) && numbers.requests > 0 && numbers.seconds > 0),
      `limits.limits.${name}`,
      "must be 'unlimited', or have requests, a whole number from 1, and seconds, greater than 0",
    );
  }
}
