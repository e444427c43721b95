import { valueAs } from '../../../service/describe/define.js';
import { table, type World } from '../../world/world.js';
import { type UserRecord, users } from './records.js';

/** Ids of the seeded users, in the order of the seed. */
const seededIds = table<true>('seeded user', valueAs());

/** Mark a user as seeded. */
export function noteSeeded(world: World, user: UserRecord): UserRecord {
  world.of(seededIds).set(user.id, true);
  return user;
}

/** List the seeded users that still exist, in the order of the seed. */
export const seededUsers = (world: World): readonly UserRecord[] =>
  world
    .of(seededIds)
    .keys()
    .flatMap((id) => world.of(users).find(id) ?? []);
