import type { Room } from '../../http/router.js';
import { type EventControls, eventControls } from './controls.js';
import { eventRoutes } from './routes.js';
import { endEventWaits } from './wait-for.js';

/** Events. */
export const eventsRoom = {
  ...eventRoutes,
  controls: { events: eventControls },
  start(memory) {
    memory.onClose(() => endEventWaits(memory));
  },
} satisfies Room;

/** The controls of events. */
export interface EventRoomControls {
  /** Wait for events. */
  readonly events: EventControls;
}
