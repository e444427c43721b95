import { expect, test } from 'vitest';
import { consoleLater } from '../../../src/emulator/console/lazy-room.js';
import { consoleRoomOf } from '../../../src/emulator/console/room.js';
import { type RoomPart, Router } from '../../../src/emulator/http/router.js';
import { controls } from '../../../src/emulator/registry.js';

const addressesOf = (room: RoomPart): string[] => {
  const router = new Router();
  room.routes(router);
  return router.pages
    .map(({ method, path, isStream = false }) => `${method} ${path}${isStream ? ' (stream)' : ''}`)
    .sort();
};

test('the console has the same routes before and after the page code is loaded', () => {
  const later = addressesOf(consoleLater(controls));

  expect(later).toContain('GET /_emulator/console/users/:id');
  expect(later).toEqual(addressesOf(consoleRoomOf(controls)));
});
