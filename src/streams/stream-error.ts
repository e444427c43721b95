import { type Explanation, SallyportError, withoutSecrets } from '../errors/sallyport-error.js';
import type { DeadLetter } from './delivery.js';

/** Codes of `StreamError`. */
export type StreamErrorCode =
  | 'poison_event'
  | 'checkpoint_conflict'
  | 'checkpoint_expired'
  | 'checkpoint_malformed'
  | 'checkpoint_lost'
  | 'stream_in_use';

/** A stream has ended, because going on would lose events or skip them. */
export class StreamError extends SallyportError<StreamErrorCode> {
  static override readonly kind: string = 'StreamError';
  readonly #letter: DeadLetter | undefined;

  constructor(
    code: StreamErrorCode,
    explanation: Explanation,
    options?: { readonly cause?: unknown; readonly letter?: DeadLetter },
  ) {
    const { letter, ...rest } = options ?? {};
    super(code, withoutSecrets(explanation), rest);
    this.#letter = letter;
  }

  /** The event that could not be handled, with `poison_event`; not printed with the error. */
  get letter(): DeadLetter | undefined {
    return this.#letter;
  }
}

export const checkpointConflict = (): StreamError =>
  new StreamError('checkpoint_conflict', {
    what: 'Another stream has moved the checkpoint of this stream',
    why: 'Two streams follow with one checkpoint, which has no claim() to give turns',
    next: 'Follow in one process, or use storeCheckpoint: the other processes then stand by',
  });

/** The error of a stream that stands by while a stream with other types follows. */
export const checkpointOfOther = (mine: readonly string[], theirs: readonly string[]): StreamError =>
  new StreamError('checkpoint_conflict', {
    what: `Another process follows with this checkpoint and asks for other events: ${theirs.join(', ')}`,
    why: `A checkpoint is for one stream, and this one asks for ${mine.join(', ')}`,
    next: 'Give each stream its own name for its checkpoint',
  });

/** The error that a stream reports after it has saved again what a store has lost. */
export const checkpointLost = (): StreamError =>
  new StreamError('checkpoint_lost', {
    what: 'The store has lost the checkpoint of this stream',
    why: 'It was emptied, or restarted without its data',
    next: 'The stream has saved its own copy; give the store persistence, and see that it evicts nothing',
  });
