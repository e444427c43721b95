import { integer, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { Collection } from '../../world/collection.js';
import { emailKeyOf } from '../../world/email-key.js';
import { dropSpent } from '../../world/expired.js';
import { badRequest } from '../../world/refusal.js';
import { collection, type Slot, type World } from '../../world/world.js';

/** A code that was sent to an address, so that whoever reads its mail can prove it. */
export interface OneTimeCodeRecord {
  readonly id: string;
  readonly userId: string;
  /** Where the code was sent. */
  readonly email: string;
  /** The same as it is compared. */
  readonly emailKey: string;
  /** Six digits. */
  readonly code: string;
  /** Wrong codes that were tried so far. */
  readonly attempts: number;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Codes sent for one purpose; a user has at most one of them at a time. */
export type Codes = Slot<Collection<OneTimeCodeRecord>>;

/** What a code is, for every purpose. */
export const oneTimeCodeRecord = ref<OneTimeCodeRecord>(
  part({
    id: string,
    userId: string,
    email: string,
    emailKey: string,
    code: string,
    attempts: integer,
    expiresAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

/** Codes that verify the address a user has. */
export const emailVerifications: Codes = collection({
  object: 'email verification',
  prefix: 'email_verification',
  index: ['userId'],
  record: oneTimeCodeRecord,
});

/** Codes that verify the address a user changes to. */
export const emailChanges: Codes = collection({
  object: 'email change',
  prefix: 'email_change',
  index: ['userId'],
  record: oneTimeCodeRecord,
});

const lifetimeMs = 10 * 60_000;
/** Wrong codes after which the right one does not work any more either. */
export const mostAttempts = 5;

/** Six digits. */
export const newCode = (world: World): string => world.ids.digits(6);
/** When a code made now stops working. */
export const codeExpiry = (world: World): string => world.fromNow(lifetimeMs);

/** Make a code for a user; earlier ones stop working. */
export function issueCode(world: World, codes: Codes, userId: string, email: string): OneTimeCodeRecord {
  const all = world.of(codes);
  all.deleteWhere('userId', userId);
  dropSpent(all, ({ expiresAt }) => world.isPast(expiresAt));
  const { now } = world;
  return all.insert({
    userId,
    email,
    emailKey: emailKeyOf(email),
    code: newCode(world),
    attempts: 0,
    expiresAt: codeExpiry(world),
    createdAt: now,
    updatedAt: now,
  });
}

/** The record without the code itself: what others may read. */
export function withoutCode({ code: _, attempts: __, ...rest }: OneTimeCodeRecord) {
  return rest;
}

/**
 * Use up the code a user was sent.
 *
 * @returns What it was sent for.
 * @throws {Refusal} 400 `invalid_one_time_code`, `one_time_code_expired`, or `one_time_code_too_many_attempts`.
 */
export function useCode(world: World, codes: Codes, userId: string, code: string): OneTimeCodeRecord {
  const record = world.of(codes).where('userId', userId).first;
  if (!record) throw wrongCode();
  if (record.attempts >= mostAttempts) throw tooManyAttempts();
  if (world.isPast(record.expiresAt))
    throw badRequest('one_time_code_expired', 'This code has expired; codes work for ten minutes. Send a new one');
  if (record.code !== code.trim()) {
    world.of(codes).update(record.id, { attempts: record.attempts + 1, updatedAt: world.now });
    throw wrongCode();
  }
  world.of(codes).delete(record.id);
  return record;
}

/** 400: not the code. */
export const wrongCode = () =>
  badRequest('invalid_one_time_code', 'This is not the code that was sent. Codes work once');

/** 400: no more guessing. */
export const tooManyAttempts = () =>
  badRequest(
    'one_time_code_too_many_attempts',
    `This code stopped working after ${mostAttempts} wrong attempts. Send a new one`,
  );
