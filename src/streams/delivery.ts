import type { Event } from '../service/events.js';

/** The second argument of a stream handler. */
export interface StreamContext {
  /** Aborts when the stream ends or another process takes over. */
  readonly signal: AbortSignal;
  /** Number of this attempt, starting at 1. */
  readonly attempt: number;
}

/** An event that a stream has handed out. */
export interface EventDelivery extends StreamContext {
  /** The event. */
  readonly event: Event;
  /** Acknowledge the event as handled. Later events of its objects can then be handed out. */
  ack(): void;
  /** Report a failure. The event is handed out again after a delay. After the last attempt, `onPoison` applies. */
  fail(error: unknown): void;
}

/** Message of the diagnostics channel `sallyport:stream:event`: an attempt to handle an event has ended. */
export interface StreamEventRecord {
  readonly outcome: 'handled' | 'failed';
  /** Number of this attempt, starting at 1; later attempts repeat the event. 0 for an event that could not be read. */
  readonly attempt: number;
  /** Milliseconds since the event happened, by the clock of the service. */
  readonly lagMs: number;
}

/** An event that could not be handled. */
export interface DeadLetter {
  /** The event. If it could not be read: an `UnknownEvent` with a `problem` and the record as received. */
  readonly event: Event;
  /** The error of the last attempt. */
  readonly error: unknown;
  /** Number of attempts; 0 for an event that could not be read. */
  readonly attempts: number;
  /** When the last attempt failed; ISO 8601 UTC with milliseconds. */
  readonly failedAt: string;
}

/**
 * What to do with an event that cannot be handled. `halt` ends the stream. `skip` reports the event and continues. A function or
 * an object with `add` gets the dead letter; the stream continues when it resolves, and calls it again if it fails.
 */
export type PoisonPolicy =
  | 'halt'
  | 'skip'
  | ((letter: DeadLetter) => unknown)
  | {
      /** Store the dead letter. */
      add(letter: DeadLetter): unknown;
    };
