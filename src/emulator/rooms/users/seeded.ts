import { slot, type World } from '../../world/world.js';
import { type UserRecord, users } from './records.js';

/** Ids of the users that a seed describes, in its order. */
const seededIds = slot((): string[] => []);

/** Note that a user comes from the seed. */
export function noteSeeded(world: World, user: UserRecord): UserRecord {
  world.of(seededIds).push(user.id);
  return user;
}

/** The users of the seed that are there still, in its order. */
export const seededUsers = (world: World): readonly UserRecord[] =>
  world.of(seededIds).flatMap((id) => world.of(users).find(id) ?? []);
