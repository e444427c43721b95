import { ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { event } from '../../../service/events.js';
import { control, type Methods } from '../../server/control.js';
import { type AwaitedEvent, type EventWait, eventWait, waitForEvent } from './wait-for.js';

/** What has happened, for whoever waits for it. */
export const eventControls = {
  /**
   * Wait for the next event that fits, there already or still to come.
   *
   * Each event is handed out once, in the order in which they happened: whether the event or the call comes first makes no difference,
   * and a second call gets the second event, never the first one again. Listing events hands nothing out.
   *
   * @example
   * const { data } = await emulator.events.waitFor({ event: 'user.created', match: { email: 'ada@example.com' } });
   *
   * @throws {Refusal} 404 `no_event` when none has come in time, naming those that have; 409 `closed` when the emulator is reset or
   * closed meanwhile.
   */
  waitFor: control(
    post('/_emulator/events/wait_for', { body: ref<EventWait>(eventWait), returns: ref<AwaitedEvent>(event) }),
    ({ world, signal }, wait: EventWait = {}) => waitForEvent(world, wait, signal),
  ),
};

/** What has happened, for whoever waits for it. */
export interface EventControls extends Methods<typeof eventControls> {}
