import {
  body,
  boolean,
  type Fields,
  integer,
  nullable,
  number,
  oneOf,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import type {
  AuthenticationChallenge,
  AuthenticationFactor,
  AuthenticationFactorWithSecrets,
} from '../../../service/mfa.js';
import { userFactorEnroll } from '../../../service/users.js';
import { codeExpiry, maxAttempts, newCode, tooManyAttempts } from '../../rooms/users/one-time-codes.js';
import { users } from '../../rooms/users/records.js';
import { pinned } from '../../store/pinned.js';
import { Refusal, type RequestProblem, unprocessable, unprocessableField } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { enrollmentOf, fitsQrCode, newSecret, type TotpSeed, totpCheck } from './totp.js';

/** A second factor as the emulator stores it. */
export interface FactorRecord {
  readonly id: string;
  readonly type: 'totp' | 'sms';
  /** Owner; null if the factor was enrolled without a user. */
  readonly userId: string | null;
  /** Secret and names for the authenticator app; null for a phone. */
  readonly seed: TotpSeed | null;
  /** Time step of the last accepted code of an authenticator app. Codes up to this step no longer work. -1 if there is none. */
  readonly lastStep: number;
  /** Number that receives the text messages; null for an authenticator app. */
  readonly phoneNumber: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A challenge of a second factor as the emulator stores it. */
interface ChallengeRecord {
  readonly id: string;
  readonly authenticationFactorId: string;
  /** The code in the text message; null for an authenticator app. */
  readonly code: string | null;
  readonly expiresAt: string | null;
  /** Number of wrong codes so far. */
  readonly attempts: number;
  readonly verified: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The second factors of all users. */
export const factors = collection<FactorRecord>({
  object: 'authentication factor',
  prefix: 'auth_factor',
  belongsTo: { userId: 'user' },
  record: ref<FactorRecord>(
    part({
      id: string,
      type: oneOf('totp', 'sms'),
      userId: nullable(string),
      seed: nullable(ref<TotpSeed>(part({ secret: string, issuer: string, user: string }))),
      lastStep: number,
      phoneNumber: nullable(string),
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

/** The challenges of all factors. */
export const challenges = collection<ChallengeRecord>({
  object: 'authentication challenge',
  prefix: 'auth_challenge',
  belongsTo: { authenticationFactorId: 'authentication factor' },
  record: ref<ChallengeRecord>(
    part({
      id: string,
      authenticationFactorId: string,
      code: nullable(string),
      expiresAt: nullable(timestamp),
      attempts: integer,
      verified: boolean,
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

/** Convert a factor to the API format, without its secret. Only the response to the enrollment contains the secret. */
export function factorView(memory: Memory, factor: FactorRecord): View<AuthenticationFactor> {
  const { id, type, userId, seed, createdAt, updatedAt } = factor;
  // The specification has issuer and user only for a factor with an owner.
  const hasNames = userId !== null || memory.settings.dialect.extraResponseFields;
  return {
    id,
    type,
    ...(userId === null ? {} : { userId }),
    ...(seed === null || !hasNames ? {} : { totp: { issuer: seed.issuer, user: seed.user } }),
    createdAt,
    updatedAt,
  };
}

/** Convert a new factor to the API format, with its secret, for the response to its enrollment. */
export async function enrollmentView(
  memory: Memory,
  factor: FactorRecord,
): Promise<View<AuthenticationFactorWithSecrets>> {
  const { totp, ...view } = factorView(memory, factor);
  const { seed } = factor;
  if (seed === null) return view;
  return { ...view, totp: { ...totp, secret: seed.secret, ...(await enrollmentOf(seed)) } };
}

/** Convert a challenge to the API format, without its code. */
export function challengeView({
  id,
  authenticationFactorId,
  expiresAt,
  createdAt,
  updatedAt,
}: ChallengeRecord): View<AuthenticationChallenge> {
  return { id, authenticationFactorId, ...(expiresAt === null ? {} : { expiresAt }), createdAt, updatedAt };
}

/** Default issuer that the authenticator app shows: the team's name. */
export const teamName = 'Sallyport emulator';

export const newFactor = body({
  ...pinned,
  /** Owner of the factor. */
  userId: string,
  /** `totp` for an authenticator app, `sms` for text messages. */
  type: oneOf('totp', 'sms'),
  /** Application name that the authenticator app shows; default: the name of your team. */
  totpIssuer: userFactorEnroll.shape.totpIssuer,
  /** User name that the authenticator app shows; default: the user's email address. */
  totpUser: userFactorEnroll.shape.totpUser,
  /** Secret of the authenticator app in base 32; generated by default. */
  totpSecret: userFactorEnroll.shape.totpSecret,
  /** Phone number for a factor of type `sms`, with its country code. */
  phoneNumber: optional(string),
});
/** A second factor to enroll for a user. */
interface NewFactor extends Fields<typeof newFactor> {}

/** Enroll a second factor for a user. @throws {Refusal} 404 for an unknown user, 422 for missing or invalid fields. */
export async function enrollFactor(memory: Memory, factor: NewFactor): Promise<FactorRecord> {
  const { id, userId, type, phoneNumber, totpIssuer = teamName, totpSecret } = factor;
  const { totpUser = memory.of(users).get(userId).email } = factor;
  if (type === 'totp')
    return enrollTotp(memory, { id, issuer: totpIssuer, user: totpUser, userId, secret: totpSecret });
  if (phoneNumber === undefined)
    throw unprocessableField('phone_number', 'required', 'is required for a factor of type sms');
  return enrollSms(memory, { id, phoneNumber, userId });
}

/** An authenticator app to enroll. */
interface NewTotpFactor {
  readonly id?: string | undefined;
  readonly issuer: string;
  readonly user: string;
  readonly userId?: string | undefined;
  /** Secret in base 32; generated by default. */
  readonly secret?: string | undefined;
}

/** Enroll an authenticator app. @throws {Refusal} 404 for an unknown user, 422 for an invalid name or secret. */
export async function enrollTotp(
  memory: Memory,
  { id, issuer, user, userId, secret }: NewTotpFactor,
): Promise<FactorRecord> {
  const errors: RequestProblem[] = [];
  if (issuer.trim() === '') errors.push({ field: 'totp_issuer', code: 'required', message: 'must not be blank' });
  if (user.trim() === '') errors.push({ field: 'totp_user', code: 'required', message: 'must not be blank' });
  if (!fitsQrCode({ issuer, user }))
    errors.push({ field: 'totp_user', code: 'too_long', message: 'must fit into a QR code together with totp_issuer' });
  if (secret !== undefined && !/^[A-Z2-7]{16,128}$/.test(secret))
    errors.push({ field: 'totp_secret', code: 'invalid_format', message: 'must be 16 to 128 characters of base 32' });
  if (errors.length > 0) throw unprocessable(errors);
  const seed = { secret: secret ?? (await newSecret(memory)), issuer, user };
  // Checked after the await: the user may have been deleted meanwhile.
  if (userId !== undefined) memory.of(users).get(userId);
  return addFactor(memory, { type: 'totp', seed, phoneNumber: null, userId: userId ?? null }, id);
}

/** A phone to enroll. */
interface NewSmsFactor {
  readonly id?: string | undefined;
  readonly phoneNumber: string;
  readonly userId?: string | undefined;
}

/** Enroll a phone for text messages. @throws {Refusal} 404 for an unknown user, 422 for a number without its country code. */
export function enrollSms(memory: Memory, { id, phoneNumber, userId }: NewSmsFactor): FactorRecord {
  const number = phoneNumber.replace(/[\s().-]/g, '');
  if (!/^\+[1-9]\d{6,14}$/.test(number))
    throw unprocessableField(
      'phone_number',
      'invalid_phone_number',
      'must be a phone number with its country code, such as +15005550006',
    );
  if (userId !== undefined) memory.of(users).get(userId);
  return addFactor(memory, { type: 'sms', seed: null, phoneNumber: number, userId: userId ?? null }, id);
}

type FactorFields = Pick<FactorRecord, 'type' | 'userId' | 'seed' | 'phoneNumber'>;
const addFactor = (memory: Memory, factor: FactorFields, id: string | undefined): FactorRecord =>
  memory.of(factors).insert({ id, ...factor, lastStep: -1 });

const codeToken = '{{code}}';

/**
 * Challenge a factor. For a phone, this sends a text message with a code.
 *
 * @throws {Refusal} 404; 422 for a template without `{{code}}`.
 */
export function challengeFactor(
  memory: Memory,
  factorId: string,
  smsTemplate = `Your verification code is ${codeToken}`,
): ChallengeRecord {
  const { phoneNumber } = memory.of(factors).get(factorId);
  dropSpent(memory, challenges, (challenge) => isOver(memory, challenge));
  const challenge = { authenticationFactorId: factorId, attempts: 0, verified: false };
  if (phoneNumber === null) return memory.of(challenges).insert({ ...challenge, code: null, expiresAt: null });
  if (!smsTemplate.includes(codeToken))
    throw unprocessableField(
      'sms_template',
      'invalid_format',
      `must contain ${codeToken}, which is replaced by the code`,
    );
  const code = newCode(memory);
  memory.mail({
    kind: 'mfa_sms',
    to: phoneNumber,
    subject: '',
    text: smsTemplate.replaceAll(codeToken, code),
    code,
  });
  return memory.of(challenges).insert({ ...challenge, code, expiresAt: codeExpiry(memory) });
}

/**
 * Check a code for a challenge. A challenge can be verified once.
 *
 * @throws {Refusal} 404; 422 for a code that is not six digits, or a challenge that has expired or was verified; 400 after five
 * wrong codes.
 */
export async function verifyChallenge(
  memory: Memory,
  id: string,
  code: string,
): Promise<{ readonly challenge: ChallengeRecord; readonly valid: boolean }> {
  memory.of(challenges).get(id);
  if (!/^\d{6}$/.test(code)) throw unprocessableField('code', 'invalid_format', 'must be six digits');
  const stepOf = await totpCheck();

  // No await from here on: two concurrent requests must not both use the same code.
  const challenge = memory.of(challenges).get(id);
  refuseSpent(memory, challenge);
  const factor = memory.of(factors).get(challenge.authenticationFactorId);
  let valid = challenge.code === code;
  if (factor.seed !== null) {
    const step = stepOf(factor.seed.secret, code, memory.clock.now());
    valid = step !== undefined && step > factor.lastStep;
    if (step !== undefined && valid)
      memory.of(factors).update(factor.id, { lastStep: step, updatedAt: factor.updatedAt });
  }
  const changes = valid ? { verified: true } : { attempts: challenge.attempts + 1 };
  return { challenge: memory.of(challenges).update(id, changes), valid };
}

/** A challenge without an expiry time is considered abandoned after a day. */
const abandonedAfterMs = 86_400_000;

/** Check whether a challenge is verified, expired or abandoned. */
const isOver = (memory: Memory, { verified, expiresAt, createdAt }: ChallengeRecord): boolean =>
  verified ||
  (expiresAt === null ? Date.parse(createdAt) + abandonedAfterMs <= memory.clock.now() : memory.isPast(expiresAt));

function refuseSpent(memory: Memory, { id, attempts, verified, expiresAt }: ChallengeRecord): void {
  const name = JSON.stringify(id);
  if (verified)
    throw new Refusal(
      422,
      'authentication_challenge_previously_verified',
      `The authentication challenge ${name} has already been verified. Create a new one`,
    );
  if (expiresAt !== null && memory.isPast(expiresAt))
    throw new Refusal(
      422,
      'authentication_challenge_expired',
      `The authentication challenge ${name} has expired. Create a new one`,
    );
  if (attempts >= maxAttempts) throw tooManyAttempts();
}
