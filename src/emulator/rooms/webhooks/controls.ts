import { ref } from '../../../service/describe/define.js';
import { data, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import { type Delivery, deliveries, delivery } from './deliveries.js';

export const deliveryControls = {
  /** List what became of every event at every webhook endpoint, oldest first. `emulator.deliveries` is the same. */
  listDeliveries: lookup(
    data('/_emulator/deliveries', { returns: ref<Delivery>(delivery) }),
    ({ world }) => world.of(deliveries).log,
  ),
  /**
   * Wait until no webhook is under way. Those to be tried again later are not waited for: move the clock.
   *
   * @example
   * await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
   * await emulator.waitForDeliveries();
   * emulator.deliveries.at(-1)?.state; // delivered
   */
  waitForDeliveries: control(post('/_emulator/deliveries/wait_for', {}), ({ world }) =>
    world.of(deliveries).waitForDeliveries(),
  ),
  /**
   * Deliver an event once more, whatever came of it before. Resolves when the receiver has answered.
   *
   * @throws {Refusal} `entity_not_found` for an unknown delivery or endpoint, `endpoint_disabled`.
   */
  redeliver: control(
    post('/_emulator/deliveries/:id/redeliver', { returns: ref<Delivery>(delivery) }),
    ({ world }, id) => world.of(deliveries).redeliver(id),
  ),
};

/** What an administrator does about deliveries, and what a test waits for. */
export interface DeliveryControls extends Methods<typeof deliveryControls> {}
