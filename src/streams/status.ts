/** What a stream is doing. */
export type StreamState =
  /** Neither `run` nor a loop has started it. */
  | 'new'
  /** It asks for its turn and loads the checkpoint. */
  | 'starting'
  /** Another process follows. */
  | 'standby'
  /** It looks for events and hands them out. */
  | 'following'
  /** The service, the checkpoint or the infrastructure of the handler fails; the stream tries again. */
  | 'outage'
  /** It was closed, or its signal has aborted. */
  | 'closed'
  /** It has ended with an error. */
  | 'failed';

/** How a stream is doing. */
export interface StreamStatus {
  /** What it is doing. */
  readonly state: StreamState;
  /**
   * Milliseconds since the oldest unhandled event happened. If all are handled, since the last look at the feed; in standby, since the
   * process that follows last moved the checkpoint.
   */
  readonly lagMs: number;
  /** Events that are handed out and not acknowledged, those that wait for another attempt among them. */
  readonly inFlight: number;
  /** Events that are fetched and wait for their turn. */
  readonly waiting: number;
  /** Events that were handled since the stream was made, those skipped or put aside as dead letters among them. */
  readonly handled: number;
  /** The event that was handled last. */
  readonly lastEvent: { readonly id: string; readonly createdAt: string } | undefined;
  /** What failed last, and when; ISO 8601 UTC with milliseconds. */
  readonly lastError: { readonly message: string; readonly at: string } | undefined;
  /** The event up to which everything is handled and nothing can appear late any more. */
  readonly checkpoint: { readonly id: string; readonly createdAt: string } | undefined;
}

/** A line for a health check. */
export interface StreamHealth {
  /** Whether events are followed, or could be at once, and none waits too long. */
  readonly ok: boolean;
  /** How it is doing, in one line. */
  readonly line: string;
}

/** Says in one line how a stream is doing. */
export function healthOf(status: StreamStatus, maxLagMs: number): StreamHealth {
  const { state, lagMs, inFlight, waiting, handled, lastEvent, lastError } = status;
  const isLate = lagMs > maxLagMs;
  const ok = ['starting', 'standby', 'following', 'outage'].includes(state) && !isLate;
  const parts = [
    `${state}: ${state === 'standby' ? 'another process follows, ' : ''}lag ${(lagMs / 1_000).toFixed(1)} s`,
    `${inFlight} in flight`,
    `${waiting} waiting`,
    `${handled} handled`,
    ...(lastEvent ? [`last ${lastEvent.id}`] : []),
    ...(lastError ? [`last error at ${lastError.at}: ${lastError.message.replace(/\s+/g, ' ').slice(0, 200)}`] : []),
  ];
  return { ok, line: parts.join(', ') };
}
