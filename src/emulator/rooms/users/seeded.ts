import { valueAs } from '../../../service/describe/define.js';
import { type Memory, table } from '../../world/memory.js';
import { type UserRecord, users } from './records.js';

/** Ids of the seeded users, in the order of the seed. */
const seededIds = table<true>('seeded user', valueAs());

/** Mark a user as seeded. */
export function noteSeeded(memory: Memory, user: UserRecord): UserRecord {
  memory.of(seededIds).set(user.id, true);
  return user;
}

/** List the seeded users that still exist, in the order of the seed. */
export const seededUsers = (memory: Memory): readonly UserRecord[] =>
  memory
    .of(seededIds)
    .keys()
    .flatMap((id) => memory.of(users).find(id) ?? []);
