import type { Room } from '../../server/router.js';
import { type EventControls, eventControls } from './controls.js';
import { eventRoutes } from './routes.js';
import { endEventWaits } from './wait-for.js';

/** What has happened. */
export const eventsRoom = {
  ...eventRoutes,
  controls: { events: eventControls },
  start(world) {
    world.onClose(() => endEventWaits(world));
  },
} satisfies Room;

/** What happens in the service, for whoever waits for it. */
export interface EventRoomControls {
  /** What has happened, for whoever waits for it. */
  readonly events: EventControls;
}
