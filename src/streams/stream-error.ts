import { messageOf, type Problem, problemOf } from '../errors/problem.js';
import { type Explanation, SallyportError, withoutSecrets } from '../errors/sallyport-error.js';
import type { DeadLetter } from './delivery.js';

/** Codes of `StreamError`. */
export type StreamErrorCode =
  | 'poison_event'
  | 'checkpoint_conflict'
  | 'checkpoint_expired'
  | 'checkpoint_malformed'
  | 'checkpoint_lost'
  | 'stream_in_use'
  | 'not_settled';

/** A stream ended because continuing would lose or skip events. */
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

  /** For `poison_event`: the event that could not be handled. It is not printed with the error. */
  get letter(): DeadLetter | undefined {
    return this.#letter;
  }
}

export const checkpointConflict = (): StreamError =>
  new StreamError('checkpoint_conflict', {
    what: 'Another stream has moved the checkpoint of this stream',
    why: 'Two streams use one checkpoint, which has no claim() method',
    next: 'Follow in one process only, or use storeCheckpoint, so that other processes stand by',
  });

/** The error of a stream in standby while another stream with different types follows. */
export const checkpointInUse = (types: readonly string[], otherTypes: readonly string[]): StreamError =>
  new StreamError('checkpoint_conflict', {
    what: `Another process uses this checkpoint for other events: ${otherTypes.join(', ')}`,
    why: `A checkpoint belongs to one stream, and this one follows ${types.join(', ')}`,
    next: 'Give the checkpoint of each stream its own name',
  });

/** The problem that a stream reports if its checkpoint cannot be loaded or saved, or was lost. */
export const checkpointProblem = (cause: unknown): Problem<'checkpoint'> =>
  problemOf('checkpoint', 'The checkpoint failed', cause);

/** The error that a stream reports after it restored a checkpoint that the store had lost. */
export const checkpointLost = (): StreamError =>
  new StreamError('checkpoint_lost', {
    what: 'The store has lost the checkpoint of this stream',
    why: 'The store was cleared, or restarted without its data',
    next: 'The stream has saved its own copy. Enable persistence in the store and disable eviction',
  });

export function poisonEvent(letter: DeadLetter): StreamError {
  const { event, error, attempts } = letter;
  return new StreamError(
    'poison_event',
    {
      what:
        attempts === 0
          ? `The event ${event.id} could not be read`
          : `The handler failed ${attempts} times for the event ${event.id} of type ${event.event}`,
      why: messageOf(error),
      next: "The stream stopped before it. Fix the cause and start again, or pass onPoison: 'skip' or a store for dead letters",
    },
    { cause: error, letter },
  );
}

/** The error of `settled`. Without a time, it can never succeed. */
export const notSettled = (state: string, timeoutMs?: number, cause?: unknown): StreamError =>
  new StreamError(
    'not_settled',
    {
      what:
        timeoutMs === undefined
          ? 'The stream cannot tell when it has caught up'
          : `The stream did not catch up within ${timeoutMs} ms`,
      why: cause === undefined ? `Its state is ${state}` : messageOf(cause),
      next: 'Call settled() while a process follows, with storeCheckpoint or the checkpoint of exactlyOnce if there are several processes, and pass a longer timeoutMs if events take longer',
    },
    { cause },
  );
