import type { ControlSet } from '../http/control.js';
import { errorPage } from '../http/error-page.js';
import { type PageExchange, type PageRoute, type Room, Router, together } from '../http/router.js';
import { Actions } from './actions.js';
import { fgaPage } from './fga.js';
import { inboxPage } from './inbox.js';
import { kindPages } from './kinds.js';
import { liveStream } from './live.js';
import { overviewPage } from './overview.js';
import { replay } from './requests/replay.js';
import { requestPages } from './requests/requests.js';
import { openAs } from './user-sessions.js';

/** Create the console room: pages for the data and requests of the emulator, with forms for its controls. */
export function consoleRoomOf(controls: ControlSet): Room {
  const actions = new Actions(controls);
  const parts = together(
    actions,
    overviewPage(actions),
    requestPages(actions),
    replay,
    inboxPage,
    openAs,
    fgaPage,
    ...kindPages(actions),
    liveStream,
  );
  return {
    ...parts,
    routes(router) {
      const pages = new Router();
      parts.routes(pages);
      for (const { method, path, handler, isStream } of pages.pages)
        if (isStream) router.stream(path, checkClientId(handler));
        else router.page(method, path, checkClientId(handler));
    },
  };
}

/** Answer 404 if the client id in the URL is unknown, because a page of a deleted world may still be open. */
const checkClientId =
  (handler: PageRoute['handler']): PageRoute['handler'] =>
  (exchange: PageExchange) => {
    const clientId = exchange.query.get('client_id');
    if (!clientId || clientId === exchange.memory.settings.clientId) return handler(exchange);
    return errorPage(
      404,
      'Not found',
      'No world has the client ID in this address. The world may have been deleted, or removed because it was idle.',
    );
  };
