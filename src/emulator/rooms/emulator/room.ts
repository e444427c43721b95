import { ConfigurationError } from '../../../errors/index.js';
import { body, type Fields, opaqueAs, optional, ref } from '../../../service/describe/define.js';
import { get, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../http/control.js';
import type { Room } from '../../http/router.js';
import { Refusal } from '../../store/refusal.js';
import { maxSnapshotBytes, type Snapshot, snapshot } from '../../store/snapshot.js';
import { type Dropped, dropped } from '../../world/dropped.js';
import type { World } from '../../world/world.js';
import { apiKeyControls } from '../api-keys/controls.js';
import { apiKeysSection } from '../api-keys/seed.js';
import { type FaultControls, failureControls, faultControls } from '../faults/controls.js';
import { faults } from '../faults/faults.js';
import { faultsSection } from '../faults/seed.js';
import { rateLimitControls } from '../rate-limits/controls.js';
import { redirectUrisSection } from '../redirect-uris/seed.js';
import { type Requests, requestControls } from '../requests/controls.js';
import { clockControls, type EmulatorClock } from './clock-controls.js';
import { type Inbox, inboxControls } from './inbox-controls.js';

const resetOptions = body({
  /** Seed for this and later resets. */
  seed: optional(opaqueAs<object>()),
});
/** Options of `reset`. */
export interface Restart extends Readonly<Fields<typeof resetOptions>> {}

/** Reset a world, optionally to another seed. @throws {Refusal} 422 `invalid_seed`. */
export async function startOver(world: World, seed: string | object | undefined): Promise<void> {
  try {
    await world.reset(seed);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Refusal(422, 'invalid_seed', error.message);
  }
}

const worldControls = {
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
   * @throws {Refusal} 422 `invalid_snapshot` if it is not a snapshot, or has another version or other environments. Then nothing
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
   * @throws {Refusal} 422 `invalid_seed`.
   */
  reset: control(post('/_emulator/reset', { body: ref<Restart>(resetOptions) }), ({ world }, options: Restart = {}) =>
    startOver(world, options.seed),
  ),
};

/** The emulator as a whole: clock, inbox, API keys, faults, requests and reset. */
export const worldRoom = {
  routes() {},
  start(memory) {
    // Create the faults before the first event, because a fault may delay it.
    memory.of(faults);
  },
  controls: {
    ...apiKeyControls,
    ...worldControls,
    ...failureControls,
    ...rateLimitControls,
    clock: clockControls,
    inbox: inboxControls,
    faults: faultControls,
    requests: requestControls,
  },
  seed: [apiKeysSection, redirectUrisSection, faultsSection],
} satisfies Room;

/** The controls of the emulator as a whole. */
export interface WorldControls
  extends Methods<typeof apiKeyControls>,
    Methods<typeof worldControls>,
    Methods<typeof failureControls>,
    Methods<typeof rateLimitControls> {
  /** The clock, which drives expiry, retries and timestamps. */
  readonly clock: EmulatorClock;
  /** Emails and text messages. They are never really sent. */
  readonly inbox: Inbox;
  /** Deliberate faults in responses, events and webhooks. */
  readonly faults: FaultControls;
  /** The newest requests to the service, with their responses and events. */
  readonly requests: Requests;
}
