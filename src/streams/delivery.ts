import type { Event } from '../service/events.js';

/** What a handler of a stream is called with beside the event. */
export interface StreamContext {
  /** Aborts when the stream ends, or when another process follows in its place. */
  readonly signal: AbortSignal;
  /** How often the event was given to the handler, this time included: 1 the first time. */
  readonly attempt: number;
}

/** An event that a stream has handed out. */
export interface EventDelivery {
  /** What has happened. */
  readonly event: Event;
  /** How often the event was handed out, this time included: 1 the first time. */
  readonly attempt: number;
  /** Aborts when the stream ends, or when another process follows in its place. */
  readonly signal: AbortSignal;
  /** Say that the event is handled. It is not handed out again, and later events of its objects are free to go. */
  ack(): void;
  /** Say that handling it failed: it is handed out again after a while, and is poison after the last attempt. */
  fail(error: unknown): void;
}

/** An event that could not be handled. */
export interface DeadLetter {
  /** The event; where it could not be read, an `UnknownEvent` with a `problem` and the record as received. */
  readonly event: Event;
  /** What the last attempt failed with. */
  readonly error: unknown;
  /** How often it was tried; 0 for an event that could not be read. */
  readonly attempts: number;
  /** When the last attempt failed; ISO 8601 UTC with milliseconds. */
  readonly failedAt: string;
}

/**
 * What becomes of an event that cannot be handled: `halt` ends the stream, `skip` reports it and goes on, and a function or an object
 * with `add` is given the letter; the stream goes on when that has resolved, and tries again when it fails.
 */
export type PoisonPolicy =
  | 'halt'
  | 'skip'
  | ((letter: DeadLetter) => unknown)
  | {
      /** Keeps the letter. */
      add(letter: DeadLetter): unknown;
    };
