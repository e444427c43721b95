import type { Room } from '../../http/router.js';
import { type EventControls, eventControls } from './controls.js';
import { eventRoutes } from './routes.js';

/** Events. */
export const eventsRoom = {
  ...eventRoutes,
  controls: { events: eventControls },
} satisfies Room;

/** The controls of events. */
export interface EventRoomControls {
  /** Wait for events. */
  readonly events: EventControls;
}
