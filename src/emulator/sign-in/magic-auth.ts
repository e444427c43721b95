import { mayBecomeUser } from '../rooms/invitations/records.js';
import {
  type Codes,
  issueCode,
  type OneTimeCodeRecord,
  oneTimeCodeRecord,
  useCode,
  withoutCode,
} from '../rooms/users/one-time-codes.js';
import { createUserAtOnce, ensureVerified, type UserRecord, userByEmail, users } from '../rooms/users/records.js';
import { emailKeyOf } from '../world/email-key.js';
import { badRequest } from '../world/refusal.js';
import { collection, type World } from '../world/world.js';

/**
 * Codes to sign in with. Whoever signs in for the first time becomes a user then and not before: until then the code
 * names the id that the user will have.
 */
export const magicAuths: Codes = collection({
  object: 'magic auth',
  prefix: 'magic_auth',
  index: ['userId', 'emailKey'],
  record: oneTimeCodeRecord,
});

/** Make a code to sign in with, and emit the event; an earlier one stops working. @throws {Refusal} 400 `sign_up_not_allowed`. */
export function createMagicAuth(world: World, address: string): OneTimeCodeRecord {
  refuseStranger(world, address);
  const user = userByEmail(world, address);
  // To the user's own spelling: another may compare as equal and be somebody else's mailbox (U+212A is a small k too).
  const email = user?.email ?? address;
  const earlier = world.of(magicAuths).where('emailKey', emailKeyOf(email)).values();
  for (const { id } of earlier) world.of(magicAuths).delete(id);
  const userId = user?.id ?? earlier[0]?.userId ?? world.ids('user');
  const record = issueCode(world, magicAuths, userId, email);
  world.emit('magic_auth.created', withoutCode(record));
  return record;
}

/** Mail a code to sign in with, and emit the event; an earlier one stops working. @throws {Refusal} 400 `sign_up_not_allowed`. */
export function sendMagicAuth(world: World, email: string): OneTimeCodeRecord {
  const record = createMagicAuth(world, email);
  world.mail({
    kind: 'magic_auth',
    to: record.email,
    subject: 'Your sign-in code',
    text: `Your sign-in code is ${record.code}. It works for ten minutes.`,
    code: record.code,
  });
  return record;
}

/** Use up the code that was sent to an address. @throws {Refusal} 400 as `useCode`. */
export function useMagicAuth(world: World, email: string, code: string): OneTimeCodeRecord {
  const record = world.of(magicAuths).where('emailKey', emailKeyOf(email)).first;
  return useCode(world, magicAuths, record?.userId ?? '', code);
}

/**
 * The user behind an address whose mail somebody has just read: a new one, or a known one whose address is verified now.
 *
 * @param id The id that a new user gets, as long as nobody has it.
 * @throws {Refusal} 400 `sign_up_not_allowed`.
 */
export function userWhoReads(world: World, email: string, id: string): UserRecord {
  const user = userByEmail(world, email);
  if (user) return ensureVerified(world, user);
  refuseStranger(world, email);
  return createUserAtOnce(world, { email, emailVerified: true, ...(world.of(users).find(id) ? {} : { id }) });
}

/** Refuse to make a user of somebody, where people cannot sign up and this one is not invited. @throws {Refusal} 400. */
export function refuseStranger(world: World, email: string): void {
  if (userByEmail(world, email) || mayBecomeUser(world, email)) return;
  throw badRequest('sign_up_not_allowed', 'Nobody has this email address, and people cannot sign up by themselves');
}
