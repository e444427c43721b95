import { inboxPage } from '../hosted/inbox-page.js';
import type { Room } from '../router.js';

/** The pages of signing in that people see, and the inbox. */
export const hostedRoom: Room = {
  routes(router) {
    inboxPage(router);
  },
};
