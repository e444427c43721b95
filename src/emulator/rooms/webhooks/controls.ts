import { ref } from '../../../service/describe/define.js';
import { data, post } from '../../../service/describe/operation.js';
import { control, lookup } from '../../http/control.js';
import { type Delivery, deliveries, delivery } from './deliveries.js';

/** Controls for deliveries to webhook endpoints. */
export const deliveryControls = {
  /** List the deliveries of events to webhook endpoints, oldest first. Same as `emulator.deliveries`. */
  listDeliveries: lookup(
    data('/_emulator/deliveries', { returns: ref<Delivery>(delivery) }),
    ({ memory }) => memory.of(deliveries).log,
  ),
  /**
   * Wait until no delivery is in progress. This does not wait for retries. To run them, advance the clock.
   *
   * @example
   * await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
   * await emulator.waitForDeliveries();
   * emulator.deliveries.at(-1)?.state; // delivered
   */
  waitForDeliveries: control(post('/_emulator/deliveries/wait_for', {}), ({ memory }) =>
    memory.of(deliveries).waitForDeliveries(),
  ),
  /**
   * Deliver an event again, even if it has been delivered. Resolves when the receiver has responded.
   *
   * @throws {EmulatorRefusal} `entity_not_found` for an unknown delivery or endpoint, `endpoint_disabled`.
   */
  redeliver: control(
    post('/_emulator/deliveries/:id/redeliver', { returns: ref<Delivery>(delivery) }),
    ({ memory }, id) => memory.of(deliveries).redeliver(id),
  ),
};
