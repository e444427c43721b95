import { integer, nullable, number, part, string } from '../../service/describe/define.js';
import { Answer, pairsOfTexts } from '../http/answer.js';
import { badRequest, unprocessableField } from '../store/refusal.js';
import type { Table } from '../store/table.js';
import type { Stored } from '../store/view.js';
import type { Clock } from '../world/clock.js';

/** Lifetime of a stored response: 24 hours. */
const lifetimeMs = 86_400_000;
/** Maximum number of stored responses of one world. */
const maxAnswers = 10_000;
/** Maximum length of a key, in characters. */
const maxKeyLength = 255;

export const answerRecord = part({
  status: integer,
  headers: pairsOfTexts,
  fingerprint: string,
  /** Milliseconds since 1970. */
  expiresAt: number,
  body: nullable(string),
});
/** A stored response. */
export interface AnswerRecord extends Stored<typeof answerRecord> {}

/** A request in progress. */
interface Running {
  readonly fingerprint: string;
  readonly answer: Promise<Answer>;
}

/** Stores responses by idempotency key, so that a repeated request changes nothing and gets the first response. */
export class Idempotency {
  readonly #clock: Clock;
  readonly #strict: boolean;
  readonly #onDrop: () => void;
  readonly #records: Table<AnswerRecord>;
  readonly #running = new Map<string, Running>();

  constructor(clock: Clock, strict: boolean, onDrop: () => void, records: Table<AnswerRecord>) {
    this.#clock = clock;
    this.#strict = strict;
    this.#onDrop = onDrop;
    this.#records = records;
  }

  /** Number of stored responses. */
  get size(): number {
    return this.#records.size;
  }

  /**
   * Answer a request with the stored response, with the response of a running request with the same key, or with that of `run`.
   *
   * @param scope Identifies the caller. Different callers may use the same key.
   * @param fingerprint Identifies the content of the request.
   */
  async answer(scope: string, key: string, fingerprint: string, run: () => Promise<Answer>): Promise<Answer> {
    if (key.length > maxKeyLength)
      throw badRequest(
        'invalid_idempotency_key',
        `Idempotency-Key must have at most ${maxKeyLength} characters, not ${key.length}`,
      );
    this.#sweep();
    const name = `${scope}\n${key}`;
    const running = this.#running.get(name);
    if (running) return this.#repeat(running.fingerprint, fingerprint, running.answer);
    const record = this.#records.get(name);
    if (record) {
      const { status, body, headers } = record;
      return this.#repeat(record.fingerprint, fingerprint, new Answer(status, body, headers));
    }
    const expiresAt = this.#clock.now() + lifetimeMs;
    const started = { fingerprint, answer: run() };
    this.#running.set(name, started);
    try {
      const answer = await started.answer;
      const { status, body, headers } = answer;
      // Server errors and rate limits are not stored, because a retry may succeed.
      if (status < 500 && status !== 429)
        // Operations never respond with bytes.
        this.#store(name, { fingerprint, expiresAt, status, headers, body: typeof body === 'string' ? body : null });
      return answer;
    } finally {
      this.#running.delete(name);
    }
  }

  async #repeat(earlier: string, fingerprint: string, answer: Answer | Promise<Answer>): Promise<Answer> {
    const same = earlier === fingerprint;
    if (!same && this.#strict)
      throw unprocessableField(
        'Idempotency-Key',
        'idempotency_key_reused',
        'was used for another request; use a new key for every new request',
      );
    return (await answer).with({ 'idempotency-replayed': same ? 'true' : 'mismatch' });
  }

  #store(name: string, record: AnswerRecord): void {
    this.#records.set(name, record);
    if (this.#records.size <= maxAnswers) return;
    this.#records.delete(this.#records.first![0]);
    this.#onDrop();
  }

  /** Drop expired responses. The table is in order of insertion, so the oldest come first. */
  #sweep(): void {
    const now = this.#clock.now();
    for (let { first } = this.#records; first && first[1].expiresAt <= now; { first } = this.#records)
      this.#records.delete(first[0]);
  }
}
