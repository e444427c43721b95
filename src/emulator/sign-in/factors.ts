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
  secret,
  string,
  timestamp,
} from '../../service/describe/define.js';
import type {
  AuthenticationChallenge,
  AuthenticationFactor,
  AuthenticationFactorWithSecrets,
} from '../../service/mfa.js';
import { userFactorEnroll } from '../../service/users.js';
import { codeExpiry, mostAttempts, newCode, tooManyAttempts } from '../rooms/users/one-time-codes.js';
import { users } from '../rooms/users/records.js';
import { dropSpent } from '../world/expired.js';
import { pinned } from '../world/pinned.js';
import { Refusal, type RequestProblem, unprocessable, unprocessableField } from '../world/refusal.js';
import type { View } from '../world/view.js';
import { collection, type World } from '../world/world.js';
import { enrollmentOf, fitsQrCode, newSecret, type TotpSeed, totpCheck } from './totp.js';

/** A second factor as the emulator stores it. */
export interface FactorRecord {
  readonly id: string;
  readonly type: 'totp' | 'sms';
  /** User who enrolled it; null when it was enrolled without a user. */
  readonly userId: string | null;
  /** What an authenticator app was given; null for a telephone. */
  readonly seed: TotpSeed | null;
  /** Step of time of the last code of an authenticator app that was right: it and earlier ones are used up. */
  readonly lastStep: number;
  /** Where text messages go; null for an authenticator app. */
  readonly phoneNumber: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A question to the holder of a factor as the emulator stores it. */
export interface ChallengeRecord {
  readonly id: string;
  readonly authenticationFactorId: string;
  /** The code in the text message; null for an authenticator app. */
  readonly code: string | null;
  readonly expiresAt: string | null;
  /** Wrong codes that were tried so far. */
  readonly attempts: number;
  readonly verified: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The second factors of all users. */
export const factors = collection<FactorRecord>({
  object: 'authentication factor',
  prefix: 'auth_factor',
  index: ['userId'],
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

/** The challenges that were made. */
export const challenges = collection<ChallengeRecord>({
  object: 'authentication challenge',
  prefix: 'auth_challenge',
  index: ['authenticationFactorId'],
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

/** A factor as every answer after the enrollment shows it, without its secret. */
export function factorView(world: World, factor: FactorRecord): View<AuthenticationFactor> {
  const { id, type, userId, seed, createdAt, updatedAt } = factor;
  // By the specification, only the factor of a user names its issuer and user.
  const hasNames = userId !== null || world.settings.dialect.extraResponseFields;
  return {
    id,
    type,
    ...(userId === null ? {} : { userId }),
    ...(seed === null || !hasNames ? {} : { totp: { issuer: seed.issuer, user: seed.user } }),
    createdAt,
    updatedAt,
  };
}

/** A factor as the answer to its enrollment shows it, with its secret. */
export async function enrollmentView(
  world: World,
  factor: FactorRecord,
): Promise<View<AuthenticationFactorWithSecrets>> {
  const { totp, ...view } = factorView(world, factor);
  const { seed } = factor;
  if (seed === null) return view;
  return { ...view, totp: { ...totp, secret: seed.secret, ...(await enrollmentOf(seed)) } };
}

/** A challenge as callers see it. */
export function challengeView({
  id,
  authenticationFactorId,
  expiresAt,
  createdAt,
  updatedAt,
}: ChallengeRecord): View<AuthenticationChallenge> {
  return { id, authenticationFactorId, ...(expiresAt === null ? {} : { expiresAt }), createdAt, updatedAt };
}

/** What an authenticator shows as the issuer when no name is given: that of the team. */
export const teamName = 'Sallyport emulator';

export const newFactor = body({
  ...pinned,
  /** User whose factor it is. */
  userId: string,
  /** An authenticator app, or a telephone that gets text messages. */
  type: oneOf('totp', 'sms'),
  /** Name of your application, as the authenticator shows it; default: the name of your team. */
  totpIssuer: userFactorEnroll.shape.totpIssuer,
  /** Name of the user, as the authenticator shows it; default: the user's email. */
  totpUser: userFactorEnroll.shape.totpUser,
  /** The authenticator's secret in base 32; a new one when not given. */
  totpSecret: optional(secret(string)),
  /** Where text messages go, for a factor of type `sms`. */
  phoneNumber: optional(string),
});
/** A second factor of a user to enroll. */
export interface NewFactor extends Fields<typeof newFactor> {}

/** Enroll a second factor for a user. @throws {Refusal} 404 for an unknown user, 422 for what is missing or no good. */
export async function enrollFactor(world: World, factor: NewFactor): Promise<FactorRecord> {
  const { id, userId, type, phoneNumber, totpIssuer = teamName, totpSecret } = factor;
  const { totpUser = world.of(users).get(userId).email } = factor;
  if (type === 'totp') return enrollTotp(world, { id, issuer: totpIssuer, user: totpUser, userId, secret: totpSecret });
  if (phoneNumber === undefined)
    throw unprocessableField('phone_number', 'required', 'is required for a factor of type sms');
  return enrollSms(world, { id, phoneNumber, userId });
}

/** An authenticator app to enroll. */
interface NewTotpFactor {
  readonly id?: string | undefined;
  readonly issuer: string;
  readonly user: string;
  readonly userId?: string | undefined;
  /** The secret in base 32; a new one when not given. */
  readonly secret?: string | undefined;
}

/** Enroll an authenticator app. @throws {Refusal} 404 for an unknown user, 422 for a name or secret that is no good. */
export async function enrollTotp(
  world: World,
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
  const seed = { secret: secret ?? (await newSecret(world)), issuer, user };
  // After the pause: the user may have gone meanwhile.
  if (userId !== undefined) world.of(users).get(userId);
  return addFactor(world, { type: 'totp', seed, phoneNumber: null, userId: userId ?? null }, id);
}

/** A telephone to enroll. */
interface NewSmsFactor {
  readonly id?: string | undefined;
  readonly phoneNumber: string;
  readonly userId?: string | undefined;
}

/** Enroll a telephone. @throws {Refusal} 404 for an unknown user, 422 for a number without its country code. */
export function enrollSms(world: World, { id, phoneNumber, userId }: NewSmsFactor): FactorRecord {
  const number = phoneNumber.replace(/[\s().-]/g, '');
  if (!/^\+[1-9]\d{6,14}$/.test(number))
    throw unprocessableField(
      'phone_number',
      'invalid_phone_number',
      'must be a telephone number with its country code, such as +15005550006',
    );
  if (userId !== undefined) world.of(users).get(userId);
  return addFactor(world, { type: 'sms', seed: null, phoneNumber: number, userId: userId ?? null }, id);
}

type Kept = Pick<FactorRecord, 'type' | 'userId' | 'seed' | 'phoneNumber'>;
const addFactor = (world: World, factor: Kept, id: string | undefined): FactorRecord =>
  world.of(factors).insert({ ...(id === undefined ? {} : { id }), ...factor, lastStep: -1, ...times(world) });

const times = ({ now }: World) => ({ createdAt: now, updatedAt: now });

const codeToken = '{{code}}';

/**
 * Ask the holder of a factor for a code; for a telephone one is sent.
 *
 * @throws {Refusal} 404; 422 for a template without a place for the code.
 */
export function challengeFactor(
  world: World,
  factorId: string,
  smsTemplate = `Your verification code is ${codeToken}`,
): ChallengeRecord {
  const { phoneNumber } = world.of(factors).get(factorId);
  dropSpent(world.of(challenges), (challenge) => isOver(world, challenge));
  const challenge = { authenticationFactorId: factorId, attempts: 0, verified: false, ...times(world) };
  if (phoneNumber === null) return world.of(challenges).insert({ ...challenge, code: null, expiresAt: null });
  if (!smsTemplate.includes(codeToken))
    throw unprocessableField('sms_template', 'invalid_format', `must hold ${codeToken}, which stands for the code`);
  const code = newCode(world);
  world.mail({
    kind: 'mfa_sms',
    to: phoneNumber,
    subject: '',
    text: smsTemplate.replaceAll(codeToken, code),
    code,
  });
  return world.of(challenges).insert({ ...challenge, code, expiresAt: codeExpiry(world) });
}

/**
 * Check the code given for a challenge, which can be answered rightly once.
 *
 * @throws {Refusal} 404; 422 for a challenge that has expired or was answered, 400 after five wrong codes.
 */
export async function verifyChallenge(
  world: World,
  id: string,
  code: string,
): Promise<{ readonly challenge: ChallengeRecord; readonly valid: boolean }> {
  world.of(challenges).get(id);
  if (!/^\d{6}$/.test(code)) throw unprocessableField('code', 'invalid_format', 'must be six digits');
  const stepOf = await totpCheck();

  // From here on without a pause: two requests at once must not both use up the same code.
  const challenge = world.of(challenges).get(id);
  refuseSpent(world, challenge);
  const factor = world.of(factors).get(challenge.authenticationFactorId);
  let valid = challenge.code === code;
  if (factor.seed !== null) {
    const step = stepOf(factor.seed.secret, code, world.clock.now());
    valid = step !== undefined && step > factor.lastStep;
    if (step !== undefined && valid) world.of(factors).update(factor.id, { lastStep: step });
  }
  const changes = valid ? { verified: true } : { attempts: challenge.attempts + 1 };
  return { challenge: world.of(challenges).update(id, { ...changes, updatedAt: world.now }), valid };
}

/** How long after it was made a challenge without a time of its own is taken for given up. */
const patienceMs = 86_400_000;

/** Whether a challenge has been answered, has expired, or will hardly be answered any more. */
const isOver = (world: World, { verified, expiresAt, createdAt }: ChallengeRecord): boolean =>
  verified || (expiresAt === null ? Date.parse(createdAt) + patienceMs <= world.clock.now() : world.isPast(expiresAt));

function refuseSpent(world: World, { id, attempts, verified, expiresAt }: ChallengeRecord): void {
  const name = JSON.stringify(id);
  if (verified)
    throw new Refusal(
      422,
      'authentication_challenge_previously_verified',
      `The authentication challenge ${name} has already been verified. Make a new one`,
    );
  if (expiresAt !== null && world.isPast(expiresAt))
    throw new Refusal(
      422,
      'authentication_challenge_expired',
      `The authentication challenge ${name} has expired. Make a new one`,
    );
  if (attempts >= mostAttempts) throw tooManyAttempts();
}
