import type { Store } from '../../stores/store.js';
import { type Checkpoint, storeCheckpoint } from '../checkpoint.js';
import { serializePosition } from '../follow/position.js';
import type { RevocationLog } from './log.js';
import { type Revocation, revokingTypes } from './revocation-of.js';

/** The checkpoint of the stream that writes to the log. */
export interface FeederCheckpoint extends Checkpoint {
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
