import { type Explanation, SallyportError, withoutSecrets } from '../errors/sallyport-error.js';
import type { DeadLetter } from './delivery.js';

/** Codes of `StreamError`. */
export type StreamErrorCode =
  | 'poison_event'
  | 'checkpoint_conflict'
  | 'checkpoint_expired'
  | 'checkpoint_malformed'
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
