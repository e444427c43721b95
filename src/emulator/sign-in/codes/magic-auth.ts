import { canSignUp } from '../../rooms/invitations/records.js';
import {
  type Codes,
  issueCode,
  type OneTimeCodeRecord,
  oneTimeCodeRecord,
  useCode,
  withoutCode,
} from '../../rooms/users/one-time-codes.js';
import { createUserAtOnce, ensureVerified, type UserRecord, userByEmail, users } from '../../rooms/users/records.js';
import { emailKeyOf } from '../../store/email-key.js';
import { badRequest } from '../../store/refusal.js';
import { collection, type World } from '../../world/world.js';

/** Sign-in codes. A new user is created only when the code is used. Until then, `userId` is the id that the user will get. */
export const magicAuths: Codes = collection({
  object: 'magic auth',
  prefix: 'magic_auth',
  index: ['userId', 'emailKey'],
  record: oneTimeCodeRecord,
});

/** Create a sign-in code and emit the event. Earlier codes stop working. @throws {Refusal} 400 `sign_up_not_allowed`. */
export function createMagicAuth(world: World, address: string): OneTimeCodeRecord {
  requireSignUpAllowed(world, address);
  const user = userByEmail(world, address);
  // Use the stored spelling: an address that compares as equal may be another mailbox (U+212A becomes k in lower case).
  const email = user?.email ?? address;
  const earlier = world.of(magicAuths).where('emailKey', emailKeyOf(email)).values();
  for (const { id } of earlier) world.of(magicAuths).delete(id);
  const userId = user?.id ?? earlier[0]?.userId ?? world.ids('user');
  const record = issueCode(world, magicAuths, userId, email);
  world.emit('magic_auth.created', withoutCode(record));
  return record;
}

/** Create a sign-in code, mail it and emit the event. Earlier codes stop working. @throws {Refusal} 400 `sign_up_not_allowed`. */
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

/** Use up the code sent to an address. @throws {Refusal} 400, see `useCode`. */
export function useMagicAuth(world: World, email: string, code: string): OneTimeCodeRecord {
  const record = world.of(magicAuths).where('emailKey', emailKeyOf(email)).first;
  return useCode(world, magicAuths, record?.userId ?? '', code);
}

/**
 * Find or create the user of an address that has just been proven, and mark the address as verified.
 *
 * @param id Id for a new user, unless it is already taken.
 * @throws {Refusal} 400 `sign_up_not_allowed`.
 */
export function userOfProvenEmail(world: World, email: string, id: string): UserRecord {
  const user = userByEmail(world, email);
  if (user) return ensureVerified(world, user);
  requireSignUpAllowed(world, email);
  return createUserAtOnce(world, { email, emailVerified: true, ...(world.of(users).find(id) ? {} : { id }) });
}

/** Refuse an address without a user if sign-up is disabled and the address is not invited. @throws {Refusal} 400. */
export function requireSignUpAllowed(world: World, email: string): void {
  if (userByEmail(world, email) || canSignUp(world, email)) return;
  throw badRequest('sign_up_not_allowed', 'No user has this email address, and sign-up is by invitation only');
}
