import { valueAs } from '../../../service/describe/define.js';
import { table, type World } from '../../world/world.js';
import { type UserRecord, users } from './records.js';

/** Ids of the users that a seed describes, in its order. */
const seededIds = table<true>('seeded user', valueAs());

/** Note that a user comes from the seed. */
export function noteSeeded(world: World, user: UserRecord): UserRecord {
  world.of(seededIds).set(user.id, true);
  return user;
}

/** The users of the seed that are there still, in its order. */
export const seededUsers = (world: World): readonly UserRecord[] =>
  world
    .of(seededIds)
    .keys()
    .flatMap((id) => world.of(users).find(id) ?? []);
