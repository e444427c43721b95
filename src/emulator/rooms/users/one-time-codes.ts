import { integer, optional, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { Collection } from '../../store/collection.js';
import { emailKeyOf } from '../../store/email-key.js';
import { badRequest } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type Memory, type Slot } from '../../world/memory.js';

export const oneTimeCodeRecord = part({
  id: string,
  userId: string,
  /** Address that the code was sent to. */
  email: string,
  /** The address, normalized for comparison. */
  emailKey: string,
  /** Six digits. */
  code: string,
  /** Number of wrong codes entered so far. */
  attempts: integer,
  /** Token of the invitation that a sign-in with the code accepts, if any. */
  invitationToken: optional(string),
  expiresAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A code sent by mail. A user who enters it has proven access to the address. */
export interface OneTimeCodeRecord extends Stored<typeof oneTimeCodeRecord> {}

/** Codes for one purpose. A user has at most one at a time. */
export type Codes = Slot<Collection<OneTimeCodeRecord>>;

/** Codes that verify a user's current address. */
export const emailVerifications: Codes = collection({
  object: 'email verification',
  prefix: 'email_verification',
  belongsTo: { userId: 'user' },
  record: ref(oneTimeCodeRecord),
});

/** Codes that confirm a user's new address. */
export const emailChanges: Codes = collection({
  object: 'email change',
  prefix: 'email_change',
  belongsTo: { userId: 'user' },
  record: ref(oneTimeCodeRecord),
});

const lifetimeMs = 10 * 60_000;
/** Number of wrong attempts after which a code stops working. */
export const maxAttempts = 5;

/** Generate a code of six digits. */
export const newCode = (memory: Memory): string => memory.ids.digits(6);
/** Get the expiry time of a code that is created now. */
export const codeExpiry = (memory: Memory): string => memory.fromNow(lifetimeMs);

/** Create a code for a user. Earlier codes stop working. */
export function issueCode(
  memory: Memory,
  codes: Codes,
  userId: string,
  email: string,
  invitationToken?: string,
): OneTimeCodeRecord {
  const all = memory.of(codes);
  memory.deleteWhere(codes, 'userId', userId);
  dropSpent(memory, codes, ({ expiresAt }) => memory.isPast(expiresAt));
  return all.insert({
    userId,
    email,
    emailKey: emailKeyOf(email),
    code: newCode(memory),
    attempts: 0,
    invitationToken,
    expiresAt: codeExpiry(memory),
  });
}

/** Return the record without the code, for use in events. */
export function withoutCode({ code: _, attempts: __, invitationToken: ___, ...rest }: OneTimeCodeRecord) {
  return rest;
}

/**
 * Check a code and use it up.
 *
 * @returns The record of the code.
 * @throws {EmulatorRefusal} 400 `invalid_one_time_code`, `one_time_code_expired`, `one_time_code_too_many_attempts`.
 */
export function useCode(memory: Memory, codes: Codes, userId: string, code: string): OneTimeCodeRecord {
  const record = memory.of(codes).where('userId', userId).first;
  if (!record) throw wrongCode();
  if (record.attempts >= maxAttempts) throw tooManyAttempts();
  if (memory.isPast(record.expiresAt))
    throw badRequest('one_time_code_expired', 'This code has expired; codes work for ten minutes. Send a new one');
  if (record.code !== code.trim()) {
    memory.of(codes).update(record.id, { attempts: record.attempts + 1 });
    throw wrongCode();
  }
  memory.delete(codes, record.id);
  return record;
}

/** Create the 400 error for a wrong code. */
export const wrongCode = () =>
  badRequest('invalid_one_time_code', 'The code is wrong, was used already, or was replaced by a newer one');

/** Create the 400 error after too many wrong codes. */
export const tooManyAttempts = () =>
  badRequest(
    'one_time_code_too_many_attempts',
    `This code stopped working after ${maxAttempts} wrong attempts. Send a new one`,
  );
