import { integer, nullable, number, part, ref, string } from '../../service/describe/define.js';
import type { Clock } from '../world/clock.js';
import { badRequest, unprocessableField } from '../world/refusal.js';
import { Table } from '../world/table.js';
import { Answer, pairsOfTexts } from './answer.js';

/** Answers are repeated for 24 hours. */
const lifetimeMs = 86_400_000;
/** Beyond this many bytes of remembered answers in all worlds together, or this many of them in one, its oldest are forgotten. */
const mostBytes = 64 * 1024 * 1024;
/** What the worlds of the process remember, in bytes. */
let totalBytes = 0;
/** This much a world may remember whatever others do. */
const ownBytes = 64 * 1024;
const mostAnswers = 10_000;
/** Longest key. */
const longestKey = 255;

/** An answer as the emulator stores it. */
export interface AnswerRecord extends Pick<Answer, 'status' | 'headers'> {
  readonly fingerprint: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** Text of the body; null where there is none. */
  readonly body: string | null;
}
/** The same, described. */
export const answerRecord = ref<AnswerRecord>(
  part({
    status: integer,
    headers: pairsOfTexts,
    fingerprint: string,
    expiresAt: number,
    body: nullable(string),
  }),
);

/** A request that is being answered. */
interface Running {
  readonly fingerprint: string;
  readonly answer: Promise<Answer>;
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
  readonly #records: Table<AnswerRecord>;
  readonly #running = new Map<string, Running>();
  /** What the records take; undefined until one is added. */
  #bytes: number | undefined;
  #isClosed = false;

  constructor(
    clock: Clock,
    strict: boolean,
    onDrop: () => void = () => undefined,
    records = new Table<AnswerRecord>(),
  ) {
    this.#clock = clock;
    this.#strict = strict;
    this.#onDrop = onDrop;
    this.#records = records;
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
    const running = this.#running.get(name);
    if (running) return this.#repeat(running.fingerprint, fingerprint, running.answer);
    const record = this.#records.get(name);
    if (record) {
      const { status, body, headers } = record;
      return this.#repeat(record.fingerprint, fingerprint, new Answer(status, body, headers));
    }
    const expiresAt = this.#clock.now() + lifetimeMs;
    const own = { fingerprint, answer: run() };
    this.#running.set(name, own);
    try {
      const answer = await own.answer;
      const { status, body, headers } = answer;
      // A failure of the service or a limit is not the answer to the request: the next try may find another.
      if (status < 500 && status !== 429 && !this.#isClosed)
        // Operations answer with texts.
        this.#remember(name, { fingerprint, expiresAt, status, headers, body: typeof body === 'string' ? body : null });
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

  #remember(name: string, record: AnswerRecord): void {
    if (this.#bytes === undefined) {
      this.#bytes = 0;
      for (const [key, value] of this.#records.entries()) this.#count(bytesOf(key, value));
    }
    this.#records.set(name, record);
    this.#count(bytesOf(name, record));
    while ((totalBytes > mostBytes && this.#bytes > ownBytes) || this.#records.size > mostAnswers) {
      this.#forgetFirst();
      this.#onDrop();
    }
  }

  #forgetFirst(): void {
    const [name, record] = this.#records.first!;
    this.#records.delete(name);
    if (this.#bytes !== undefined) this.#count(-bytesOf(name, record));
  }

  #count(bytes: number): void {
    this.#bytes = (this.#bytes ?? 0) + bytes;
    totalBytes += bytes;
  }

  /** Leave the room that its answers took to others: its world has ended. */
  close(): void {
    this.#count(-(this.#bytes ?? 0));
    this.#isClosed = true;
  }

  /** Forget what has expired; the table is in order of arrival, so the oldest stand first. */
  #sweep(): void {
    const now = this.#clock.now();
    for (let { first } = this.#records; first && first[1].expiresAt <= now; { first } = this.#records)
      this.#forgetFirst();
  }
}

const bytesOf = (name: string, { body }: AnswerRecord): number => name.length + 200 + (body?.length ?? 0);
