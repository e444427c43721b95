import { emailKeyOf } from '../../store/email-key.js';
import { badRequest, unprocessableField } from '../../store/refusal.js';
import type { World } from '../../world/world.js';
import {
  emailChanges,
  emailVerifications,
  issueCode,
  type OneTimeCodeRecord,
  useCode,
  withoutCode,
} from './one-time-codes.js';
import { confirmEmail, refuseTakenNewEmail, type UserRecord, users } from './records.js';

/** Mail a verification code to a user and emit the event. @throws {Refusal} 404; 400 if the address is already verified. */
export function sendVerification(world: World, userId: string): UserRecord {
  const user = world.of(users).get(userId);
  if (user.emailVerified) throw badRequest('email_already_verified', "This user's email address is already verified");
  issueVerification(world, userId);
  return user;
}

/**
 * Mail a verification code to a user and emit the event, even if the address is already verified. Earlier codes stop working.
 *
 * @throws {Refusal} 404.
 */
export function issueVerification(world: World, userId: string): OneTimeCodeRecord {
  const user = world.of(users).get(userId);
  const record = issueCode(world, emailVerifications, userId, user.email);
  world.mail({
    kind: 'email_verification',
    to: user.email,
    subject: 'Verify your email address',
    text: `Your verification code is ${record.code}. It works for ten minutes.`,
    code: record.code,
  });
  world.emit('email_verification.created', withoutCode(record));
  return record;
}

/** Verify a user's address with the code from the mail. @throws {Refusal} 404; 400 for a wrong or expired code. */
export function verifyEmail(world: World, userId: string, code: string): UserRecord {
  const { email } = world.of(users).get(userId);
  useCode(world, emailVerifications, userId, code);
  return confirmEmail(world, userId, email);
}

/**
 * Send a code to the user's new address.
 *
 * @throws {Refusal} 404; 422 if it is the user's current address, 409 if another user has it.
 */
export function sendEmailChange(world: World, userId: string, newEmail: string): OneTimeCodeRecord {
  const user = world.of(users).get(userId);
  if (user.emailKey === emailKeyOf(newEmail))
    throw unprocessableField('new_email', 'email_unchanged', "is already this user's email address");
  refuseTakenNewEmail(world, newEmail);
  const record = issueCode(world, emailChanges, userId, newEmail);
  world.mail({
    kind: 'email_change',
    to: newEmail,
    subject: 'Confirm your new email address',
    text: `Your confirmation code is ${record.code}. It works for ten minutes.`,
    code: record.code,
  });
  return record;
}

/**
 * Change a user's address with the code that was sent to the new one.
 *
 * @throws {Refusal} 404; 400 for a wrong or expired code, 409 if another user has taken the address since.
 */
export function confirmEmailChange(world: World, userId: string, code: string): UserRecord {
  world.of(users).get(userId);
  const { email } = useCode(world, emailChanges, userId, code);
  refuseTakenNewEmail(world, email);
  return confirmEmail(world, userId, email);
}
