import type { World } from '../../world/world.js';
import { type Delivery, deliveries } from './deliveries.js';

/** What an administrator does about deliveries, and what a test waits for. */
export interface DeliveryControls {
  /**
   * Wait until no webhook is under way. Those to be tried again later are not waited for: move the clock.
   *
   * @example
   * await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
   * await emulator.settled();
   * emulator.deliveries.at(-1)?.state; // delivered
   */
  settled(): Promise<void>;
  /**
   * Deliver an event once more, whatever came of it before. Resolves when the receiver has answered.
   *
   * @throws {Refusal} `entity_not_found` for an unknown delivery or endpoint, `endpoint_disabled`.
   */
  redeliver(id: string): Promise<Delivery>;
}

/** The delivery controls of whatever world there is when they are used. */
export const deliveryControls = (world: () => World): DeliveryControls => ({
  settled: async () => world().of(deliveries).settled(),
  redeliver: async (id) => world().of(deliveries).redeliver(id),
});
