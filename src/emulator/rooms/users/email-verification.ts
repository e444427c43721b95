import { emailKeyOf } from '../../store/email-key.js';
import { badRequest, unprocessableField } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import {
  emailChanges,
  emailVerifications,
  issueCode,
  type OneTimeCodeRecord,
  useCode,
  withoutCode,
} from './one-time-codes.js';
import { confirmEmail, refuseTakenNewEmail, type UserRecord, users } from './records.js';

/** Mail a verification code to a user and emit the event. @throws {EmulatorRefusal} 404; 400 if the address is already verified. */
export function sendVerification(memory: Memory, userId: string): UserRecord {
  const user = memory.of(users).get(userId);
  if (user.emailVerified) throw badRequest('email_already_verified', "This user's email address is already verified");
  issueVerification(memory, userId);
  return user;
}

/**
 * Mail a verification code to a user and emit the event, even if the address is already verified. Earlier codes stop working.
 *
 * @throws {EmulatorRefusal} 404.
 */
export function issueVerification(memory: Memory, userId: string): OneTimeCodeRecord {
  const user = memory.of(users).get(userId);
  const record = issueCode(memory, emailVerifications, userId, user.email);
  memory.mail({
    kind: 'email_verification',
    to: user.email,
    subject: 'Verify your email address',
    text: `Your verification code is ${record.code}. It works for ten minutes.`,
    code: record.code,
  });
  memory.emit('email_verification.created', withoutCode(record));
  return record;
}

/** Verify a user's address with the code from the mail. @throws {EmulatorRefusal} 404; 400 for a wrong or expired code. */
export function verifyEmail(memory: Memory, userId: string, code: string): UserRecord {
  const { email } = memory.of(users).get(userId);
  useCode(memory, emailVerifications, userId, code);
  return confirmEmail(memory, userId, email);
}

/**
 * Send a code to the user's new address.
 *
 * @throws {EmulatorRefusal} 404; 422 if it is the user's current address, 409 if another user has it.
 */
export function sendEmailChange(memory: Memory, userId: string, newEmail: string): OneTimeCodeRecord {
  const user = memory.of(users).get(userId);
  if (user.emailKey === emailKeyOf(newEmail))
    throw unprocessableField('new_email', 'email_unchanged', "is already this user's email address");
  refuseTakenNewEmail(memory, newEmail);
  const record = issueCode(memory, emailChanges, userId, newEmail);
  memory.mail({
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
 * @throws {EmulatorRefusal} 404; 400 for a wrong or expired code, 409 if another user has taken the address since.
 */
export function confirmEmailChange(memory: Memory, userId: string, code: string): UserRecord {
  memory.of(users).get(userId);
  const { email } = useCode(memory, emailChanges, userId, code);
  refuseTakenNewEmail(memory, email);
  return confirmEmail(memory, userId, email);
}
