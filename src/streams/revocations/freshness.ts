import { sleep } from '../../async/sleep.js';
import { messageOf, quietly } from '../../errors/problem.js';
import { explain } from '../../errors/sallyport-error.js';
import type { SessionProblem } from '../../session/read/problem-texts.js';
import type { StreamHealth, StreamStatus } from '../follow/status.js';
import { isTableMissing } from '../infrastructure.js';
import type { RevocationsProblem, RevocationsSettings } from './options.js';

/** Status of a revocation list. */
export interface RevocationsStatus {
  /** Number of revocations in the list. */
  readonly entries: number;
  /** Number of revocations dropped early because there were more than `maxEntries`. */
  readonly dropped: number;
  /** Whether the list contains the revocations from before it was created. */
  readonly isReady: boolean;
  /** Whether no news arrived for `staleMs`. */
  readonly isStale: boolean;
  /** Time of the last news or, if there was none, of the creation of the list; ISO 8601 UTC with milliseconds. */
  readonly heardAt: string;
  /** The last error and its time; ISO 8601 UTC with milliseconds. */
  readonly lastError: { readonly message: string; readonly at: string } | undefined;
  /** The event stream of this process, or undefined if `feed` is false. Its state is `standby` while another process follows. */
  readonly stream: StreamStatus | undefined;
}

/** Summarize the status of a list in one line. */
export function revocationsHealth(
  { entries, dropped, isReady, isStale, heardAt, lastError }: RevocationsStatus,
  now: number,
): StreamHealth {
  const line = [
    `${isStale ? 'stale' : isReady ? 'live' : 'catching up'}: last news ${((now - Date.parse(heardAt)) / 1_000).toFixed(1)} s ago`,
    `${entries} entries`,
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(lastError ? [`last error at ${lastError.at}: ${lastError.message.replace(/\s+/g, ' ').slice(0, 200)}`] : []),
  ];
  return { ok: !isStale, line: line.join(', ') };
}

/** How recent a list is, and the problems that are reported about it. */
export class Freshness {
  /** Whether the list contains the revocations from before it was created. */
  isReady = false;
  readonly #settings: RevocationsSettings;
  /** Called when the list is stale, besides `onProblem`. */
  readonly listeners: ReadonlySet<(problem: SessionProblem) => void>;
  /** Aborts when the list is ready or closed. */
  readonly #settling = new AbortController();
  #isStale = false;
  #heardAt: number;
  /** Whether the store has no table yet. */
  #isWaiting = false;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(settings: RevocationsSettings, listeners: Freshness['listeners']) {
    this.#settings = settings;
    this.listeners = listeners;
    this.#heardAt = settings.now();
  }

  noteFailure(error: unknown): void {
    if (isTableMissing(error)) this.#waitForTable(error);
    else this.#failure = { error, at: this.#settings.now() };
  }

  /** Report once that the store has no table yet: the list may be created before the store is set up. */
  #waitForTable(cause: unknown): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const message = explain({
      what: 'Revocations wait for setUp() of their store',
      why: 'The table of the store does not exist yet',
      next: 'Call setUp() when your application starts, or create the table in your migrations. The list then starts by itself',
    });
    this.report({ code: 'revocations_waiting', message, cause });
  }

  /** Record that the list was up to date at a time. */
  hear(at: number): void {
    this.#isWaiting = false;
    this.#heardAt = Math.max(this.#heardAt, at);
  }

  setReady(): void {
    this.isReady = true;
    this.#settling.abort();
  }

  /** Wait until the list is ready or closed. */
  async ready(timeoutMs: number): Promise<boolean> {
    await sleep(timeoutMs, this.#settling.signal);
    return this.isReady;
  }

  close(): void {
    this.#settling.abort();
  }

  /** Report the list once if no news has arrived for too long. */
  check(): void {
    const { staleMs, now } = this.#settings;
    // The clock may have been set back.
    this.#heardAt = Math.min(this.#heardAt, now());
    const isStale = now() - this.#heardAt > staleMs;
    if (isStale && !this.#isStale) this.#reportStale();
    this.#isStale = isStale;
  }

  #reportStale(): void {
    const { error: cause } = this.#failure ?? {};
    const message = explain({
      what: `No news of revocations since ${new Date(this.#heardAt).toISOString()}, so revoked sessions last until their tokens expire`,
      why: this.#isWaiting
        ? 'The store has no table, because setUp() did not run'
        : cause instanceof Error
          ? cause.message
          : 'No process polls the service for events',
      next: 'Make sure that a process with feed: true runs and can reach the service and the store',
    });
    const problem = { code: 'revocations_stale', message, cause } as const;
    this.report(problem);
    // Ignore whether a listener throws or rejects.
    for (const listener of this.listeners) quietly(() => listener(problem));
  }

  report(problem: RevocationsProblem): void {
    quietly(() => this.#settings.onProblem?.(problem));
  }

  status(): Pick<RevocationsStatus, 'isReady' | 'isStale' | 'heardAt' | 'lastError'> {
    const failure = this.#failure;
    return {
      isReady: this.isReady,
      isStale: this.#isStale,
      heardAt: new Date(this.#heardAt).toISOString(),
      lastError: failure && { message: messageOf(failure.error), at: new Date(failure.at).toISOString() },
    };
  }
}
