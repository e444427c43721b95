/** State of a stream. */
export type StreamState =
  /** Not yet started by `run` or a loop. */
  | 'new'
  /** Acquiring the lease and loading the checkpoint. */
  | 'starting'
  /** Another process is following. */
  | 'standby'
  /** Polling for events and handing them out. */
  | 'following'
  /** The service, the checkpoint, the infrastructure of the handler or `onPoison` is failing; the stream keeps retrying. */
  | 'outage'
  /** Closed by `close` or its signal. */
  | 'closed'
  /** Ended with an error. */
  | 'failed';

/** Status of a stream. */
export interface StreamStatus {
  /** Current state. */
  readonly state: StreamState;
  /**
   * Milliseconds since the oldest unhandled event happened or, if all are handled, since the last poll. In standby: since the
   * checkpoint last moved.
   */
  readonly lagMs: number;
  /** Number of events that are handed out but not acknowledged, including those waiting for a retry. */
  readonly inFlight: number;
  /** Number of fetched events that are not handed out yet. */
  readonly waiting: number;
  /** Number of events handled since the stream was created, including skipped events and dead letters. */
  readonly handled: number;
  /** The last handled event. */
  readonly lastEvent: { readonly id: string; readonly createdAt: string } | undefined;
  /** The last error and its time; ISO 8601 UTC with milliseconds. */
  readonly lastError: { readonly message: string; readonly at: string } | undefined;
  /** The last settled event: everything up to it is handled, and no late event can appear before it. */
  readonly checkpoint: { readonly id: string; readonly createdAt: string } | undefined;
}

/** Result of a health check. */
export interface StreamHealth {
  /** Whether the stream is running or standing by, and no event has waited too long. */
  readonly ok: boolean;
  /** A summary in one line. */
  readonly line: string;
}

/** Summarize the status of a stream in one line. */
export function streamHealth(status: StreamStatus, maxLagMs: number): StreamHealth {
  const { state, lagMs, inFlight, waiting, handled, lastEvent, lastError } = status;
  const isLate = lagMs > maxLagMs;
  const ok = ['starting', 'standby', 'following', 'outage'].includes(state) && !isLate;
  const parts = [
    `${state}: ${state === 'standby' ? 'another process is following, ' : ''}lag ${(lagMs / 1_000).toFixed(1)} s`,
    `${inFlight} in flight`,
    `${waiting} waiting`,
    `${handled} handled`,
    ...(lastEvent ? [`last ${lastEvent.id}`] : []),
    ...(lastError ? [`last error at ${lastError.at}: ${lastError.message.replace(/\s+/g, ' ').slice(0, 200)}`] : []),
  ];
  return { ok, line: parts.join(', ') };
}
