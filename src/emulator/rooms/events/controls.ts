import { ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { event } from '../../../service/events.js';
import { control, type Methods } from '../../http/control.js';
import { type AwaitedEvent, type EventWait, eventWait, waitForEvent } from './wait-for.js';

/** Controls for events. */
export const eventControls = {
  /**
   * Wait for the next matching event, past or future.
   *
   * Each event is returned once, in order: a second call gets the second event. It does not matter whether the event or the call
   * happens first. Listing events does not affect this.
   *
   * @example
   * const { data } = await emulator.events.waitFor({ event: 'user.created', match: { email: 'ada@example.com' } });
   *
   * @throws {EmulatorRefusal} 404 `no_event` after the timeout, listing the events that did occur; 409 `closed` if the emulator is reset
   * or closed while waiting.
   */
  waitFor: control(
    post('/_emulator/events/wait_for', { body: ref<EventWait>(eventWait), returns: ref<AwaitedEvent>(event) }),
    ({ memory, signal }, wait: EventWait = {}) => waitForEvent(memory, wait, signal),
  ),
};

/** Controls for events. */
export interface EventControls extends Methods<typeof eventControls> {}
