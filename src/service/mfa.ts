import {
  body,
  boolean,
  essential,
  type Fields,
  maybe,
  model,
  oneOf,
  open,
  optional,
  part,
  ref,
  secret,
  string,
  timestamp,
  varies,
  wire,
} from './describe/define.js';
import { del, get, post, room } from './describe/operation.js';

export const totp = part({
  /** QR code of `uri`, a base64 PNG as a data URI; given once, at enrollment. */
  qrCode: maybe(secret(string)),
  /** The seed, for typing in by hand; given once, at enrollment. */
  secret: maybe(secret(string)),
  /** The otpauth URI, which holds the seed; given once, at enrollment. */
  uri: maybe(secret(string)),
  /** Name of your application, as the authenticator shows it. */
  issuer: maybe(string),
  /** Name of the user, as the authenticator shows it. */
  user: maybe(string),
});
/** What an authenticator app knows of a factor. */
export interface Totp extends Fields<typeof totp> {}

export const totpWithSecrets = part({
  ...totp.shape,
  /** QR code of `uri`, a base64 PNG as a data URI. */
  qrCode: secret(string),
  /** The seed, for typing in by hand. */
  secret: secret(string),
  /** The otpauth URI, which holds the seed. */
  uri: secret(string),
});
/** What an authenticator app needs to take up a new factor. */
export interface TotpWithSecrets extends Fields<typeof totpWithSecrets> {}

export const authenticationFactor = model('authentication_factor', {
  /** Unique id, prefix `auth_factor_`. */
  id: string,
  /** When the factor was enrolled; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
  /** How the user proves possession. */
  type: open<'totp' | 'sms'>(),
  /** Details of a `totp` factor. */
  totp: maybe(ref<Totp>(totp)),
  /** User who enrolled it; absent when it was enrolled without a user. */
  userId: varies('factorUserField', maybe(string)),
});
/** A second factor of authentication. */
export interface AuthenticationFactor extends Fields<typeof authenticationFactor> {}

export const authenticationFactorWithSecrets = model('authentication_factor', {
  ...authenticationFactor.shape,
  /** What an authenticator app needs; only for a `totp` factor, and only in this answer. */
  totp: maybe(ref<TotpWithSecrets>(totpWithSecrets)),
});
/** A factor as it is answered once, at enrollment. */
export interface AuthenticationFactorWithSecrets extends Fields<typeof authenticationFactorWithSecrets> {}

export const authenticationChallenge = model('authentication_challenge', {
  /** Unique id, prefix `auth_challenge_`. */
  id: string,
  /** When the challenge was made; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
  /** When it stops working; does not apply to `totp` factors; ISO 8601 UTC with milliseconds. */
  expiresAt: maybe(timestamp),
  /** Factor that is challenged. */
  authenticationFactorId: string,
});
/** A question to the holder of a factor, whose answer is a code. */
export interface AuthenticationChallenge extends Fields<typeof authenticationChallenge> {}

export const challengeVerification = part({
  /** The challenge that was answered. */
  challenge: ref<AuthenticationChallenge>(authenticationChallenge),
  /** Whether the code was right. */
  valid: essential(boolean),
});
/** Whether the code given for a challenge was right. */
export interface ChallengeVerification extends Fields<typeof challengeVerification> {}

export const factorEnroll = body({
  /** `totp` for an authenticator app, `sms` for a text message. */
  type: oneOf('totp', 'sms'),
  /** Name of your application, as the authenticator shows it; needed for `totp`. */
  issuer: wire('totp_issuer', optional(string)),
  /** Name of the user, as the authenticator shows it; needed for `totp`. */
  user: wire('totp_user', optional(string)),
  /** Where codes are sent, with its country code; needed for `sms`. */
  phoneNumber: optional(string),
});

/** Enrolls an authenticator app. */
export interface TotpFactorEnroll {
  readonly type: 'totp';
  /** Name of your application, as the authenticator shows it. */
  readonly issuer: string;
  /** Name of the user, as the authenticator shows it. */
  readonly user: string;
}
/** Enrolls a telephone. */
export interface SmsFactorEnroll {
  readonly type: 'sms';
  /** Where codes are sent, with its country code: `+15005550006`. */
  readonly phoneNumber: string;
}
/** What `enrollFactor` takes. */
export type FactorEnroll = TotpFactorEnroll | SmsFactorEnroll;

export const factorChallenge = body({
  /** Text of the message for an `sms` factor; the token `{{code}}` stands for the code. */
  smsTemplate: optional(string),
});
/** How a factor is challenged. */
export interface FactorChallenge extends Fields<typeof factorChallenge> {}

export const challengeVerify = body({
  /** The six digits that the user read. */
  code: secret(string),
});
/** The answer to a challenge. */
export interface ChallengeVerify extends Fields<typeof challengeVerify> {}

export const mfa = room('mfa', 'mfa', {
  enrollFactor: post('/auth/factors/enroll', {
    body: factorEnroll,
    returns: authenticationFactorWithSecrets,
  }),
  challengeFactor: post('/auth/factors/:id/challenge', {
    argument: 'authenticationFactorId',
    body: factorChallenge,
    returns: authenticationChallenge,
  }),
  verifyChallenge: post('/auth/challenges/:id/verify', {
    argument: 'authenticationChallengeId',
    body: challengeVerify,
    returns: challengeVerification,
  }),
  getFactor: get('/auth/factors/:id', {
    returns: authenticationFactor,
  }),
  deleteFactor: del('/auth/factors/:id', {}),
});
