import type { Actor } from '../../world/actor.js';
import type { Memory } from '../../world/memory.js';
import { nameOf, userByEmail, users } from './records.js';

/** Find the user that an event is about. If users act for themselves, this user is also the actor. */
export function recognizeUser(memory: Memory, event: string, data: object): Partial<Actor> | undefined {
  const { id, userId, email, impersonator } = data as Readonly<Record<string, unknown>>;
  // Only members of staff can impersonate users, so the dashboard is the source.
  if (impersonator) return { source: 'dashboard', name: (impersonator as { readonly email: string }).email };
  const user =
    memory.of(users).find(String(event.startsWith('user.') ? id : userId)) ??
    (typeof email === 'string' ? userByEmail(memory, email) : undefined);
  return user && { id: user.id, name: nameOf(user) };
}
