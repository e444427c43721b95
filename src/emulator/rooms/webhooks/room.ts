import type { Room } from '../../server/router.js';
import { deliveryControls } from './controls.js';
import { webhookRoutes } from './routes.js';
import { webhookEndpointsSection } from './seed.js';

/** Webhook endpoints and what is delivered to them. */
export const webhooksRoom = {
  ...webhookRoutes,
  controls: deliveryControls,
  seed: [webhookEndpointsSection],
} satisfies Room;
