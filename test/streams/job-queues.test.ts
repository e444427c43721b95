import { expect, test } from 'vitest';
import { uuidOf } from '../../src/streams/job-queues.js';

test.each([
  ['event_01HXYZ', '1e6775c2-fef3-5975-91be-886da903548e'],
  ['event_é', '731bbe98-aad2-557f-ad73-4e9314759185'],
])('makes the UUID of %j that the uuid5 of Python makes', async (id, uuid) => {
  expect(await uuidOf(id)).toBe(uuid);
});
