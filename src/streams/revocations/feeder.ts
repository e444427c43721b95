import type { Event } from '../../service/events.js';
import type { Store } from '../../stores/store.js';
import { type Checkpoint, storeCheckpoint } from '../checkpoint.js';
import { type Stream, streamOf } from '../follow/follow.js';
import type { EventsClient } from '../follow/latest.js';
import { type FollowOptions, settingsOf } from '../follow/options.js';
import { serializePosition } from '../follow/position.js';
import type { Freshness } from './freshness.js';
import { maxPerEntry, type RevocationLog } from './log.js';
import { oldestOf, type RevocationsSettings } from './options.js';
import { type Revocation, revokingTypes } from './revocation-of.js';

/** Delay before a failed stream restarts. */
const restartDelayMs = 5_000;

/** Follows the events of the service whenever this process has the lease. */
export class Feeder {
  /** The current stream. */
  stream: Stream | undefined;
  readonly #client: EventsClient;
  readonly #settings: RevocationsSettings;
  readonly #freshness: Freshness;
  readonly #signal: AbortSignal;
  /** Number of polls that this process has started. */
  #polls = 0;

  constructor(client: EventsClient, settings: RevocationsSettings, freshness: Freshness, signal: AbortSignal) {
    // Streams use only `listEvents` of the client.
    this.#client = { events: { listEvents: this.#countingList(client) } } as EventsClient;
    this.#settings = settings;
    this.#freshness = freshness;
    this.#signal = signal;
  }

  /** Apply events until the list is closed. */
  async run(apply: (event: Event) => Promise<void>, checkpoint: FeederCheckpoint | undefined): Promise<void> {
    const { now, sleep } = this.#settings;
    const signal = this.#signal;
    while (!signal.aborted) {
      const start = new Date(oldestOf(this.#settings)).toISOString();
      this.stream = this.#follow(start, checkpoint);
      try {
        await this.stream.run(apply);
      } catch (error) {
        this.#freshness.noteFailure(error);
        // No process has followed for a month. Tokens from before `start` have expired, so restart there.
        if (Object(error).code === 'checkpoint_expired') await checkpoint?.beginAgain(start, now()).catch(() => {});
      }
      await sleep(restartDelayMs, signal);
    }
  }

  #follow(start: string, checkpoint: Checkpoint | undefined): Stream {
    const { pollMs, now, sleep } = this.#settings;
    // An unreadable event must not block the others.
    const onPoison = 'skip';
    const onProblem: FollowOptions['onProblem'] = ({ cause }) => this.#freshness.noteFailure(cause);
    const concurrency = maxPerEntry;
    const options = {
      events: revokingTypes,
      start,
      checkpoint,
      concurrency,
      onPoison,
      onProblem,
      pollMs,
      now,
    } as const;
    return streamOf(this.#client, settingsOf(options, sleep), this.#signal);
  }

  /** List events, and count the polls. */
  #countingList({ events }: EventsClient): EventsClient['events']['listEvents'] {
    return (filter, options) => {
      // Requests in descending order only look for the newest event.
      if (filter?.order === 'asc') this.#polls += 1;
      return events.listEvents(filter, options);
    };
  }

  /** When this process was last up to date with the service, or undefined if it does not follow. */
  get followedAt(): number | undefined {
    const { state, lagMs } = this.stream?.status() ?? {};
    // A second poll starts only after the first is complete.
    const hasPolled = state === 'following' && this.#polls > 1;
    return hasPolled && lagMs !== undefined ? this.#settings.now() - lagMs : undefined;
  }
}

/** The checkpoint of the stream that writes to the log. */
interface FeederCheckpoint extends Checkpoint {
  /**
   * Restart the stream at a time. Replaces the checkpoint, because another process would restore a deleted one from its copy.
   */
  beginAgain(since: string, now: number): Promise<void>;
}

/** Create a checkpoint that is consistent with the log: every event before it is in the log and in the list of this process. */
export function feederCheckpoint(
  store: Store,
  name: string,
  log: RevocationLog,
  list: {
    /** Lists the revocations known to this process. */
    readonly entries: () => Iterable<Revocation>;
    /** Reads the new entries of the log. */
    readonly read: () => Promise<void>;
  },
): FeederCheckpoint {
  const checkpoint = storeCheckpoint(store, name);
  return {
    ...checkpoint,
    async load() {
      const text = await checkpoint.load();
      await list.read();
      return text;
    },
    async save(next, previous) {
      // A store without a checkpoint may have lost the log too.
      if (previous === undefined) await log.fill(list.entries());
      return checkpoint.save(next, previous);
    },
    async beginAgain(since, now) {
      const position = { settled: undefined, since, polledAt: now, handled: new Map<string, number>() };
      await store.set(
        `checkpoint:${name}`,
        serializePosition(position, { by: crypto.randomUUID(), types: revokingTypes }),
      );
    },
  };
}
