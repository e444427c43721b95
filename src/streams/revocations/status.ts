import type { StreamHealth, StreamStatus } from '../follow/status.js';

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
