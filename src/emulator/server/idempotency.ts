import type { Clock } from '../world/clock.js';
import { badRequest, unprocessableField } from '../world/refusal.js';
import type { Answer } from './answer.js';

/** Answers are repeated for 24 hours. */
const lifetimeMs = 86_400_000;
/** Beyond this many bytes of remembered answers, or this many of them, the oldest are forgotten. */
const mostBytes = 64 * 1024 * 1024;
const mostAnswers = 10_000;
/** Longest key. */
const longestKey = 255;

interface AnswerRecord {
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly answer: Promise<Answer>;
  bytes: number;
}

/** A short text that is different for different requests; not a secret, not a proof. */
export function fingerprintOf(...parts: readonly string[]): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  let length = 0;
  for (const part of parts) {
    length += part.length;
    // The end of each part counts too: two parts must not be taken for one.
    for (let i = 0; i <= part.length; i++) {
      const code = i === part.length ? 0x10ffff : part.charCodeAt(i);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
  }
  return `${(high >>> 0).toString(36)}.${(low >>> 0).toString(36)}.${length}`;
}

/** Remembers answers by idempotency key, so that a repeated request changes nothing and gets the first answer. */
export class Idempotency {
  readonly #clock: Clock;
  readonly #strict: boolean;
  readonly #onDrop: () => void;
  readonly #records = new Map<string, AnswerRecord>();
  #bytes = 0;

  constructor(clock: Clock, strict: boolean, onDrop: () => void = () => undefined) {
    this.#clock = clock;
    this.#strict = strict;
    this.#onDrop = onDrop;
  }

  /** How many answers are remembered. */
  get size(): number {
    return this.#records.size;
  }

  /**
   * The answer to a request: the remembered one, the one a twin of it is just waiting for, or a new one from `run`.
   *
   * @param scope Whose key it is; the same key of somebody else is another one.
   */
  async answer(scope: string, key: string, fingerprint: string, run: () => Promise<Answer>): Promise<Answer> {
    if (key.length > longestKey)
      throw badRequest(
        'invalid_idempotency_key',
        `Idempotency-Key may have ${longestKey} characters, not ${key.length}`,
      );
    this.#sweep();
    const name = `${scope}\n${key}`;
    const earlier = this.#records.get(name);
    if (earlier) return this.#repeat(earlier, fingerprint);
    const record: AnswerRecord = {
      fingerprint,
      expiresAt: this.#clock.now() + lifetimeMs,
      answer: run(),
      bytes: 0,
    };
    this.#records.set(name, record);
    try {
      const answer = await record.answer;
      // A failure of the service or a limit is not the answer to the request: the next try may find another.
      if (answer.status >= 500 || answer.status === 429) this.#forget(name, record);
      else this.#weigh(name, record, answer);
      return answer;
    } catch (error) {
      this.#forget(name, record);
      throw error;
    }
  }

  async #repeat(earlier: AnswerRecord, fingerprint: string): Promise<Answer> {
    const same = earlier.fingerprint === fingerprint;
    if (!same && this.#strict)
      throw unprocessableField(
        'Idempotency-Key',
        'idempotency_key_reused',
        'was used for another request; use a new key for every new request',
      );
    const answer = await earlier.answer;
    return answer.with({ 'idempotency-replayed': same ? 'true' : 'mismatch' });
  }

  #weigh(name: string, record: AnswerRecord, answer: Answer): void {
    if (this.#records.get(name) !== record) return;
    record.bytes = name.length + 200 + (answer.body?.length ?? 0);
    this.#bytes += record.bytes;
    for (const [oldest, entry] of this.#records) {
      if (this.#bytes <= mostBytes && this.#records.size <= mostAnswers) break;
      this.#forget(oldest, entry);
      this.#onDrop();
    }
  }

  #forget(name: string, record: AnswerRecord): void {
    if (this.#records.get(name) !== record) return;
    this.#records.delete(name);
    this.#bytes -= record.bytes;
  }

  /** Forget what has expired; the map is in order of arrival, so the oldest stand first. */
  #sweep(): void {
    const now = this.#clock.now();
    for (const [name, entry] of this.#records) {
      if (entry.expiresAt > now) break;
      this.#forget(name, entry);
    }
  }
}
