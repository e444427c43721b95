import { onAbort } from '../async/on-abort.js';
import { sleep } from '../async/sleep.js';
import { problemOf } from '../errors/problem.js';
import type { Event } from '../service/events.js';
import type { DeadLetter } from '../streams/delivery.js';
import { follow, type Stream } from '../streams/follow/follow.js';
import { isRetryable, retentionMs } from '../streams/follow/polls.js';
import { serializePosition } from '../streams/follow/position.js';
import { isInfrastructureFailure } from '../streams/infrastructure.js';
import { deleteOldRows, retentionDays, tableNames } from '../streams/once/tables.js';
import { Outage } from '../streams/outage.js';
import { StreamError } from '../streams/stream-error.js';
import { applyChange } from './changes.js';
import { nowSql } from './clock.js';
import { Copy, type Progress, saveProgress } from './copy.js';
import { eventsOf, type MirrorClient } from './kinds.js';
import { Lease, LeaseLost } from './lease.js';
import { repairMarked } from './marks.js';
import { MirrorError, writeFailed } from './mirror-error.js';
import type { MirrorSettings } from './options.js';
import type { Target } from './order.js';
import type { Reader } from './reader.js';
import type { MirrorState } from './status.js';
import { mirrorsTable, saveKinds } from './tables.js';

/** Interval between two looks of the process that follows: at its lag and at marks. */
const tendMs = 1_000;
/** Interval between deletions of old rows. */
const cleanMs = 3_600_000;

/** Copies and follows whenever this process holds the lease. */
export class Writer {
  readonly #client: MirrorClient;
  readonly #settings: MirrorSettings;
  readonly #lease: Lease;
  readonly #reader: Reader;
  readonly #target: Target;
  readonly #ending: AbortSignal;
  readonly #outage: Outage;
  #cleanAt = 0;
  /** The stream of this process, while it follows. */
  stream: Stream | undefined;
  state: MirrorState = 'new';

  constructor(context: {
    readonly client: MirrorClient;
    readonly settings: MirrorSettings;
    readonly reader: Reader;
    readonly target: Target;
    /** Aborts when the mirror is closed. */
    readonly ending: AbortSignal;
  }) {
    const { client, settings, reader, target, ending } = context;
    this.#client = client;
    this.#settings = settings;
    this.#lease = new Lease(settings.database, settings.names, settings.leaseMs);
    this.#reader = reader;
    this.#target = target;
    this.#ending = ending;
    this.#outage = new Outage((error) =>
      settings.onProblem(problemOf('copy', 'The mirror has to wait for the service or the database', error)),
    );
  }

  /** Work until the mirror is closed. @throws Errors that a retry cannot fix. */
  async run(): Promise<void> {
    const { leaseMs } = this.#settings;
    try {
      while (!this.#ending.aborted)
        try {
          if (await this.#lease.claim()) await this.#hold();
          else {
            this.state = 'standby';
            await sleep(leaseMs / 10, this.#ending);
          }
          this.#outage.end();
        } catch (error) {
          if (!isInfrastructureFailure(error) && !isRetryable(error)) throw error;
          const waitMs = this.#outage.fail(error);
          this.state = 'outage';
          await sleep(waitMs, this.#ending);
        }
      this.state = 'closed';
    } catch (error) {
      this.state = 'failed';
      throw error;
    } finally {
      // If releasing the lease fails, it expires by itself.
      await this.#lease.release().catch(() => {});
    }
  }

  /** Copy and follow while this process holds the lease. */
  async #hold(): Promise<void> {
    const term = new AbortController();
    const removeListener = onAbort(this.#ending, () => term.abort());
    const renewing = this.#renew(term);
    try {
      await this.#lead(term);
    } catch (error) {
      // If another process has the lease, or the mirror is closing, the error is only an effect of that.
      if (error instanceof MirrorError || !(term.signal.aborted || isLost(error))) throw error;
    } finally {
      term.abort();
      removeListener();
      this.stream = undefined;
      await renewing;
    }
  }

  /** Renew the lease, and abort the term when it is lost. */
  async #renew(term: AbortController): Promise<void> {
    const { ms } = this.#lease;
    let renewedAt = performance.now();
    for (;;) {
      await sleep(ms * 0.3, term.signal);
      if (term.signal.aborted) return;
      const now = performance.now();
      try {
        if (!(await this.#lease.claim())) return term.abort();
        renewedAt = now;
      } catch {
        // The work of the term reports the outage.
        if (now - renewedAt > ms * 0.7) return term.abort();
      }
    }
  }

  async #lead(term: AbortController): Promise<void> {
    const { of, names, now } = this.#settings;
    await saveKinds(this.#target.query, names, of);
    const [row] = await this.#target.query(`SELECT progress FROM ${mirrorsTable} WHERE prefix = $1`, [names.prefix]);
    // Only this class writes it.
    const saved = typeof row?.progress === 'string' ? (JSON.parse(row.progress) as Progress) : undefined;
    const hasAll = of.every((kind) => saved?.of.includes(kind));
    const isOld = !saved?.isDone && now() - (saved?.beganAt ?? now()) > retentionMs;
    if (!saved || !hasAll || isOld) await this.#begin({ of });
    if (!(saved?.isDone && hasAll)) await this.#copy(hasAll && !isOld ? saved! : { of }, term.signal);
    else if (saved.of.length > of.length)
      await this.#lease.write((query) => saveProgress(query, this.#target, { ...saved, of }));
    if (!term.signal.aborted) await this.#follow(term);
  }

  /** Begin a copy. Until it ends, reads throw. */
  async #begin(progress: Progress): Promise<void> {
    await this.#lease.write(async (query) => {
      await saveProgress(query, this.#target, progress);
      await query(`UPDATE ${mirrorsTable} SET fresh_at = NULL WHERE prefix = $1`, [this.#settings.names.prefix]);
      await this.#lease.replaceCheckpoint(query, undefined);
    });
  }

  async #copy(progress: Progress, signal: AbortSignal): Promise<void> {
    const { overlapMs, now } = this.#settings;
    this.state = 'copying';
    const copy = new Copy({ lease: this.#lease, reader: this.#reader, target: this.#target, now, signal, progress });
    await copy.run((query, since, beganAt) => {
      const start = new Date(Date.parse(since) - overlapMs).toISOString();
      const position = { settled: undefined, since: start, polledAt: beganAt - overlapMs, handled: new Map() };
      return this.#lease.replaceCheckpoint(query, serializePosition(position, { by: 'copy', types: this.#events }));
    });
  }

  get #events() {
    return eventsOf(this.#target.kinds);
  }

  async #follow(term: AbortController): Promise<void> {
    const { overlapMs, pollMs, now, onProblem } = this.#settings;
    let failure: MirrorError | undefined;
    const stream = follow(this.#client, {
      checkpoint: this.#lease.checkpoint,
      events: this.#events,
      signal: term.signal,
      overlapMs,
      pollMs,
      now,
      onProblem: (problem) => {
        // `run` throws the failure.
        if (!failure) onProblem(problem);
      },
      onPoison: async (letter) => {
        if (letter.attempts === 0) return this.#readAgain(letter);
        failure = writeFailed(`The event ${letter.event.id}`, letter.error);
        term.abort();
        // Otherwise the checkpoint would skip the event.
        throw failure;
      },
    });
    this.stream = stream;
    this.state = 'following';
    const tended = new AbortController();
    const removeListener = onAbort(term.signal, () => tended.abort());
    const tending = this.#tend(term, tended.signal, stream);
    try {
      await stream.run((event) => this.#apply(term, event));
    } catch (error) {
      if (!(error instanceof StreamError && error.code === 'checkpoint_expired')) throw error;
      onProblem(problemOf('checkpoint', 'The mirror copies again', error));
      await this.#begin({ of: this.#settings.of });
    } finally {
      removeListener();
      tended.abort();
      await tending;
    }
    if (failure) throw failure;
  }

  async #apply(term: AbortController, event: Event): Promise<void> {
    const recordedAt = new Date(this.#settings.now()).toISOString();
    try {
      await this.#lease.writeOnce(event, recordedAt, (query) => applyChange({ ...this.#target, query }, event));
    } catch (error) {
      if (error instanceof LeaseLost) term.abort();
      throw error;
    }
  }

  /** Mark the record of an event that could not be read. */
  async #readAgain({ event, error }: DeadLetter): Promise<void> {
    this.#settings.onProblem({ ...problemOf('poison', `The record of event ${event.id} is read again`, error), event });
    await this.#lease.write((query) => applyChange({ ...this.#target, query }, event));
  }

  /** Save how fresh the tables are, read marked records again, and delete old rows. */
  async #tend(term: AbortController, signal: AbortSignal, stream: Stream): Promise<void> {
    const { names, now } = this.#settings;
    const outage = new Outage((error) => this.#settings.onProblem(problemOf('copy', 'The mirror has to wait', error)));
    while (!signal.aborted)
      try {
        await this.#lease.write(async (query) => {
          // In this order: what happens between the two makes the tables seem older, never newer.
          const [clock] = await query(`SELECT ${nowSql(this.#target.dialect)} AS now`);
          const freshAt = new Date(Date.parse(String(clock!.now)) - stream.status().lagMs).toISOString();
          await query(`UPDATE ${mirrorsTable} SET fresh_at = $2 WHERE prefix = $1`, [names.prefix, freshAt]);
        });
        const hasMore = await repairMarked(this.#lease, this.#reader, this.#target, signal);
        if (now() >= this.#cleanAt) await this.#clean();
        outage.end();
        if (!hasMore) await sleep(tendMs, signal);
      } catch (error) {
        if (error instanceof LeaseLost) term.abort();
        if (!signal.aborted) await sleep(outage.fail(error), signal);
      }
  }

  async #clean(): Promise<void> {
    const { names, now } = this.#settings;
    this.#cleanAt = now() + cleanMs;
    const before = new Date(now() - retentionDays * 86_400_000).toISOString();
    await this.#lease.write(async (query) => {
      await deleteOldRows({ query }, tableNames(names.prefix), now());
      await query(`DELETE FROM ${names.tombstones} WHERE deleted_at < $1`, [before]);
    });
  }
}

/** Whether another process has the lease or has moved the checkpoint. */
const isLost = (error: unknown): boolean =>
  error instanceof LeaseLost || (error instanceof StreamError && error.code === 'checkpoint_conflict');
