import { inboxPath } from '../hosted/inbox-address.js';
import type { ControlSet } from '../http/control.js';
import { type PageRoute, type Room, Router } from '../http/router.js';

/** Paths of the console. They are listed here, because the router needs them before the pages are loaded. */
const addresses = [
  ['GET', '/'],
  ['GET', inboxPath],
  ['POST', inboxPath],
  ['GET', '/_emulator/console/requests'],
  ['GET', '/_emulator/console/requests/:id'],
  ['POST', '/_emulator/console/requests/:id/again'],
  ['GET', '/_emulator/console/events'],
  ['GET', '/_emulator/console/events/:id'],
  ['GET', '/_emulator/console/webhooks'],
  ['GET', '/_emulator/console/users'],
  ['GET', '/_emulator/console/users/:id'],
  ['POST', '/_emulator/console/users/:id/open'],
  ['GET', '/_emulator/console/organizations'],
  ['GET', '/_emulator/console/organizations/:id'],
  ['GET', '/_emulator/console/directories'],
  ['GET', '/_emulator/console/directories/:id'],
  ['GET', '/_emulator/console/fga'],
  ['GET', '/_emulator/console/audit-logs'],
  ['GET', '/_emulator/console/faults'],
  ['POST', '/_emulator/console/controls/:name'],
] as const satisfies readonly (readonly [method: PageRoute['method'], path: string])[];

/** Path of the stream that keeps the pages up to date. */
const livePath = '/_emulator/live';

/** Create the console room. Its pages are loaded only when the first one is opened. */
export function consoleLater(controls: ControlSet): Room {
  let pages: Promise<readonly PageRoute[]> | undefined;
  const handlerOf =
    (method: string, path: string): PageRoute['handler'] =>
    async (exchange) => {
      pages ??= load(controls);
      const page = (await pages).find((one) => one.method === method && one.path === path);
      return page!.handler(exchange);
    };
  return {
    routes(router) {
      for (const [method, path] of addresses) router.page(method, path, handlerOf(method, path));
      router.stream(livePath, handlerOf('GET', livePath));
    },
  };
}

async function load(controls: ControlSet): Promise<readonly PageRoute[]> {
  const { consoleRoomOf } = await import('./room.js');
  const router = new Router();
  consoleRoomOf(controls).routes(router);
  return router.pages;
}
