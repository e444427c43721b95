import { collection, type World } from '../world.js';
import { emailKeyOf } from './email-key.js';
import { type Codes, issueCode, type OneTimeCodeRecord, withoutCode } from './one-time-codes.js';
import { userByEmail } from './users.js';

/**
 * Codes to sign in with. Whoever signs in for the first time becomes a user then and not before: until then the code
 * names the id that the user will have.
 */
export const magicAuths: Codes = collection({
  object: 'magic auth',
  prefix: 'magic_auth',
  index: ['userId', 'emailKey'],
});

/** Mails a code to sign in with, and tells it; an earlier one stops working. */
export function sendMagicAuth(world: World, email: string): OneTimeCodeRecord {
  const earlier = world.of(magicAuths).where('emailKey', emailKeyOf(email)).values();
  for (const { id } of earlier) world.of(magicAuths).delete(id);
  const userId = userByEmail(world, email)?.id ?? earlier[0]?.userId ?? world.ids('user');
  const sent = issueCode(world, magicAuths, userId, email);
  world.mail({
    kind: 'magic_auth',
    to: email,
    subject: 'Your sign-in code',
    text: `Your sign-in code is ${sent.code}. It works for ten minutes.`,
    code: sent.code,
  });
  world.emit('magic_auth.created', withoutCode(sent));
  return sent;
}
