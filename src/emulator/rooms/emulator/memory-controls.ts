import { ConfigurationError } from '../../../errors/index.js';
import { body, type Fields, opaqueAs, optional, ref } from '../../../service/describe/define.js';
import { get, post } from '../../../service/describe/operation.js';
import { control, lookup } from '../../http/control.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import { maxSnapshotBytes, type Snapshot, snapshot } from '../../store/snapshot.js';
import { type Dropped, dropped } from '../../world/dropped.js';
import type { World } from '../../world/world.js';

const resetOptions = body({
  /** Seed for this and later resets. */
  seed: optional(opaqueAs<object>()),
});
/** Options of `reset`. */
export interface Restart extends Readonly<Fields<typeof resetOptions>> {}

/** Reset a world, optionally to another seed. @throws {EmulatorRefusal} 422 `invalid_seed`. */
export async function startOver(world: World, seed: string | object | undefined): Promise<void> {
  try {
    await world.reset(seed);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new EmulatorRefusal(422, 'invalid_seed', error.message);
  }
}

export const memoryControls = {
  /**
   * Count the events, deliveries, messages and idempotent responses that the emulator has dropped. It drops the oldest when there
   * are too many, and logs a warning once for each kind.
   */
  dropped: lookup(get('/_emulator/dropped', { returns: ref<Dropped>(dropped) }), ({ memory }) => memory.dropped.counts),
  /**
   * Take a snapshot of everything in the emulator, staging and production, as JSON. Restore it in this or another emulator. It
   * contains secrets: API keys, password hashes and signing keys.
   */
  snapshot: lookup(post('/_emulator/snapshot', { returns: ref<Snapshot>(snapshot) }), ({ world }) =>
    world.set.snapshot(),
  ),
  /**
   * Replace everything in the emulator with a snapshot of at most 256 MiB. This restores sessions and the clock, and resumes
   * deliveries and domain verifications.
   *
   * @throws {EmulatorRefusal} 422 `invalid_snapshot` if it is not a snapshot, or has another version or other environments. Then nothing
   * changes.
   */
  restore: control(
    post('/_emulator/restore', { body: ref<Snapshot>(snapshot) }),
    ({ world }, snapshot) => world.set.restore(snapshot),
    { maxBytes: maxSnapshotBytes },
  ),
  /**
   * Reset the emulator to its seed and the clock to its start. Listeners and credentials stay. With `seed`, reset to that seed,
   * now and later: an object or, in process only, the path or `file:` URL of a file. If the seed is invalid, nothing changes.
   *
   * @throws {EmulatorRefusal} 422 `invalid_seed`.
   */
  reset: control(post('/_emulator/reset', { body: ref<Restart>(resetOptions) }), ({ world }, options: Restart = {}) =>
    startOver(world, options.seed),
  ),
};
