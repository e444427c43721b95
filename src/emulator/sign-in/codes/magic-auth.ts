import { ref } from '../../../service/describe/define.js';
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
import { collection, type Memory } from '../../world/memory.js';
import { invitationBy } from '../proof/invited.js';

/** Sign-in codes. A new user is created only when the code is used. Until then, `userId` is the id that the user will get. */
export const magicAuths: Codes = collection({
  object: 'magic auth',
  prefix: 'magic_auth',
  belongsTo: { userId: 'user' },
  index: ['emailKey'],
  record: ref(oneTimeCodeRecord),
});

/**
 * Create a sign-in code and emit the event. Earlier codes stop working.
 *
 * @param invitationToken Token of the invitation that the sign-in accepts.
 * @throws {EmulatorRefusal} 400 `sign_up_not_allowed`, `invalid_invitation_token`.
 */
export function createMagicAuth(memory: Memory, address: string, invitationToken?: string): OneTimeCodeRecord {
  requireSignUpAllowed(memory, address);
  if (invitationToken !== undefined) invitationBy(memory, invitationToken);
  const user = userByEmail(memory, address);
  // Use the stored spelling: an address that compares as equal may be another mailbox (U+212A becomes k in lower case).
  const email = user?.email ?? address;
  const earlier = memory.of(magicAuths).where('emailKey', emailKeyOf(email)).values();
  for (const { id } of earlier) memory.delete(magicAuths, id);
  const userId = user?.id ?? earlier[0]?.userId ?? memory.ids('user');
  const record = issueCode(memory, magicAuths, userId, email, invitationToken);
  memory.emit('magic_auth.created', withoutCode(record));
  return record;
}

/** Create a sign-in code, mail it and emit the event. Earlier codes stop working. @throws {EmulatorRefusal} 400 `sign_up_not_allowed`. */
export function sendMagicAuth(memory: Memory, email: string): OneTimeCodeRecord {
  const record = createMagicAuth(memory, email);
  memory.mail({
    kind: 'magic_auth',
    to: record.email,
    subject: 'Your sign-in code',
    text: `Your sign-in code is ${record.code}. It works for ten minutes.`,
    code: record.code,
  });
  return record;
}

/** Find the working code of an address. */
export const magicAuthOf = (memory: Memory, email: string): OneTimeCodeRecord | undefined =>
  memory.of(magicAuths).where('emailKey', emailKeyOf(email)).first;

/** Use up the code sent to an address. @throws {EmulatorRefusal} 400, see `useCode`. */
export const useMagicAuth = (memory: Memory, email: string, code: string): OneTimeCodeRecord =>
  useCode(memory, magicAuths, magicAuthOf(memory, email)?.userId ?? '', code);

/**
 * Find or create the user of an address that has just been proven, and mark the address as verified.
 *
 * @param id Id for a new user, unless it is already taken.
 * @throws {EmulatorRefusal} 400 `sign_up_not_allowed`.
 */
export function userOfProvenEmail(memory: Memory, email: string, id: string): UserRecord {
  const user = userByEmail(memory, email);
  if (user) return ensureVerified(memory, user);
  requireSignUpAllowed(memory, email);
  return createUserAtOnce(memory, { email, emailVerified: true, ...(memory.of(users).find(id) ? {} : { id }) });
}

/** Refuse an address without a user if sign-up is disabled and the address is not invited. @throws {EmulatorRefusal} 400. */
function requireSignUpAllowed(memory: Memory, email: string): void {
  if (userByEmail(memory, email) || canSignUp(memory, email)) return;
  throw badRequest('sign_up_not_allowed', 'No user has this email address, and sign-up is by invitation only');
}
