import { ConfigurationError } from '../../../errors/index.js';
import { body, type Fields, opaqueAs, optional, ref } from '../../../service/describe/define.js';
import { get, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import { faults } from '../../server/faults.js';
import type { Room } from '../../server/router.js';
import { type ApiKey, apiKey, refuseUselessDenial } from '../../world/api-keys.js';
import { type Dropped, dropped } from '../../world/dropped.js';
import { Refusal, unprocessableField } from '../../world/refusal.js';
import { maxSnapshotBytes, type Snapshot, snapshot } from '../../world/snapshot.js';
import type { World } from '../../world/world.js';
import { clockControls, type EmulatorClock } from './clock-controls.js';
import { type FaultControls, failureControls, faultControls } from './fault-controls.js';
import { type Inbox, inboxControls } from './inbox-controls.js';
import { rateLimitControls } from './rate-limit-controls.js';
import { type Requests, requestControls } from './request-controls.js';
import { apiKeysSection, faultsSection, redirectUrisSection } from './seed.js';

const resetOptions = body({
  /** The seed to start over with, now and at later resets. */
  seed: optional(opaqueAs<object>()),
});
/** How a world starts over. */
export interface Restart extends Readonly<Fields<typeof resetOptions>> {}

/** Start a world over, with another seed where one is given. @throws {Refusal} 422 `invalid_seed`. */
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
   * Accept an API key until the next reset, as if it was made in the dashboard.
   *
   * @throws {Refusal} 422 unless it starts with `sk_` and holds no blanks, or for an entry of `deny` that matches no request; 409
   * `api_key_taken` if another world has it.
   */
  addApiKey: control(post('/_emulator/api_keys', { body: ref<ApiKey>(apiKey) }), ({ world }, key) => {
    for (const [at, deny] of (key.deny ?? []).entries()) refuseUselessDenial(deny, `deny.${at}`);
    try {
      world.keys.add(key);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw unprocessableField('value', 'malformed_api_key', 'must start with sk_ and hold no blanks');
    }
  }),
  /**
   * Read how much has been forgotten because more came than is remembered: events, deliveries, mail, answers for idempotency keys. The
   * first time, the console says so too.
   */
  dropped: lookup(get('/_emulator/dropped', { returns: ref<Dropped>(dropped) }), ({ world }) => world.dropped.counts),
  /**
   * Take everything that the emulator remembers, staging and production, as a JSON value, to be restored later, here or in another
   * emulator. It has secrets in it: API keys, hashes of passwords, the keys that sign tokens.
   */
  snapshot: lookup(post('/_emulator/snapshot', { returns: ref<Snapshot>(snapshot) }), ({ world }) => world.snapshot()),
  /**
   * Have the emulator remember what is in a snapshot and nothing else: whoever is signed in there is signed in, the clock is set as it
   * was, deliveries and verifications go on. A snapshot may have 256 MiB.
   *
   * @throws {Refusal} 422 `invalid_snapshot` for what is no snapshot, or one of another version or of other environments; everything
   * stays as it is.
   */
  restore: control(
    post('/_emulator/restore', { body: ref<Snapshot>(snapshot) }),
    ({ world }, snapshot) => world.restore(snapshot),
    { maxBytes: maxSnapshotBytes },
  ),
  /**
   * Start over with the seed, and the clock at its start. Whoever listens and has credentials keeps them. With `seed`, start over with
   * that one, now and from then on: over HTTP an object, in process also the path or `file:` URL of a file. Where it is wrong,
   * everything stays as it is.
   *
   * @throws {Refusal} 422 `invalid_seed`.
   */
  reset: control(post('/_emulator/reset', { body: ref<Restart>(resetOptions) }), ({ world }, { seed }: Restart = {}) =>
    startOver(world, seed),
  ),
};

/** What there is before anybody has an organization: the clock, the inbox, API keys, and starting over. */
export const worldRoom = {
  routes() {},
  start(world) {
    // What is late begins with the first event.
    world.of(faults);
  },
  controls: {
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

/** What happens to the emulator as a whole. */
export interface WorldControls
  extends Methods<typeof worldControls>,
    Methods<typeof failureControls>,
    Methods<typeof rateLimitControls> {
  /** The time by which everything expires, retries and is dated. */
  readonly clock: EmulatorClock;
  /** Emails and text messages that would have been sent. */
  readonly inbox: Inbox;
  /** What goes wrong on purpose: with answers, events, webhooks. */
  readonly faults: FaultControls;
  /** The newest requests to the service, what they were answered, and what they caused. */
  readonly requests: Requests;
}
