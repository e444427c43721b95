import type { Room } from '../../http/router.js';
import { deliveryControls } from './controls.js';
import { webhookRoutes } from './routes.js';
import { webhookEndpointsSection } from './seed.js';

/** Webhook endpoints and deliveries. */
export const webhooksRoom = {
  ...webhookRoutes,
  controls: deliveryControls,
  seed: [webhookEndpointsSection],
} satisfies Room;
