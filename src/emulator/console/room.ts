import type { ControlSet } from '../server/control.js';
import { errorPage } from '../server/error-page.js';
import { type PageExchange, type PageRoute, type Room, Router, together } from '../server/router.js';
import { Actions } from './actions.js';
import { auditLogPage } from './audit-logs.js';
import { directoryPages } from './directories.js';
import { eventPages } from './events.js';
import { faultPage } from './faults.js';
import { fgaPage } from './fga.js';
import { inboxPage } from './inbox.js';
import { liveStream } from './live.js';
import { organizationPages } from './organizations.js';
import { overviewPage } from './overview.js';
import { replay } from './replay.js';
import { requestPages } from './requests.js';
import { openAs } from './user-sessions.js';
import { userPages } from './users.js';
import { webhookPage } from './webhooks.js';

/** Pages about the emulator itself: what there is in it, what was asked of it, and the controls, where one looks for them. */
export function consoleRoomOf(controls: ControlSet): Room {
  const actions = new Actions(controls);
  const parts = together(
    actions,
    overviewPage(actions),
    requestPages(actions),
    replay,
    eventPages(actions),
    webhookPage(actions),
    inboxPage,
    userPages(actions),
    openAs,
    organizationPages(actions),
    directoryPages(actions),
    fgaPage,
    auditLogPage,
    faultPage(actions),
    liveStream,
  );
  return {
    ...parts,
    routes(router) {
      const pages = new Router();
      parts.routes(pages);
      for (const { method, path, handler, isStream } of pages.pages)
        if (isStream) router.stream(path, inWorldThatIsNamed(handler));
        else router.page(method, path, inWorldThatIsNamed(handler));
    },
  };
}

/** Answers for the world of the client id in the address and for no other: somebody may have a page open of one that is forgotten. */
const inWorldThatIsNamed =
  (handler: PageRoute['handler']): PageRoute['handler'] =>
  (exchange: PageExchange) => {
    const clientId = exchange.query.get('client_id');
    if (!clientId || clientId === exchange.world.settings.clientId) return handler(exchange);
    return errorPage(
      404,
      'Nothing here',
      'The emulator has no world with the client id in this address, or no longer. A world is forgotten on demand, and when nobody has used it for long enough.',
    );
  };
