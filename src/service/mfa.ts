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
  /** QR code of `uri`, a base64 PNG as a data URI; only returned at enrollment. */
  qrCode: maybe(secret(string)),
  /** TOTP secret for manual entry; only returned at enrollment. */
  secret: maybe(secret(string)),
  /** `otpauth:` URI, which contains the secret; only returned at enrollment. */
  uri: maybe(secret(string)),
  /** Name of your application in the authenticator app. */
  issuer: maybe(string),
  /** Name of the user in the authenticator app. */
  user: maybe(string),
});
/** TOTP details of a factor. */
export interface Totp extends Fields<typeof totp> {}

export const totpWithSecrets = part({
  ...totp.shape,
  /** QR code of `uri`, a base64 PNG as a data URI. */
  qrCode: secret(string),
  /** TOTP secret for manual entry. */
  secret: secret(string),
  /** `otpauth:` URI, which contains the secret. */
  uri: secret(string),
});
/** TOTP details of a new factor, with its secrets. */
export interface TotpWithSecrets extends Fields<typeof totpWithSecrets> {}

export const authenticationFactor = model('authentication_factor', {
  /** Unique id, prefix `auth_factor_`. */
  id: string,
  /** Time of the enrollment; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
  /** Type of factor. */
  type: open<'totp' | 'sms'>(),
  /** TOTP details; only for a `totp` factor. */
  totp: maybe(ref<Totp>(totp)),
  /** Id of the user, prefix `user_`; absent if the factor was enrolled without a user. */
  userId: varies('factorUserField', maybe(string)),
});
/** A second authentication factor. */
export interface AuthenticationFactor extends Fields<typeof authenticationFactor> {}

export const authenticationFactorWithSecrets = model('authentication_factor', {
  ...authenticationFactor.shape,
  /** TOTP details with secrets; only for a `totp` factor and only in this response. */
  totp: maybe(ref<TotpWithSecrets>(totpWithSecrets)),
});
/** A new factor, as returned once at enrollment. */
export interface AuthenticationFactorWithSecrets extends Fields<typeof authenticationFactorWithSecrets> {}

export const authenticationChallenge = model('authentication_challenge', {
  /** Unique id, prefix `auth_challenge_`. */
  id: string,
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
  /** Expiration time, which does not apply to `totp` factors; ISO 8601 UTC with milliseconds. */
  expiresAt: maybe(timestamp),
  /** Id of the challenged factor, prefix `auth_factor_`. */
  authenticationFactorId: string,
});
/** A challenge to verify with a code from the factor. */
export interface AuthenticationChallenge extends Fields<typeof authenticationChallenge> {}

export const challengeVerification = part({
  /** Challenge that the code was for. */
  challenge: ref<AuthenticationChallenge>(authenticationChallenge),
  /** Whether the code was correct. */
  valid: essential(boolean),
});
/** The result of checking a code. */
export interface ChallengeVerification extends Fields<typeof challengeVerification> {}

export const factorEnroll = body({
  /** `totp` for an authenticator app, `sms` for text messages. */
  type: oneOf('totp', 'sms'),
  /** Name of your application in the authenticator app; required for `totp`. */
  issuer: wire('totp_issuer', optional(string)),
  /** Name of the user in the authenticator app; required for `totp`. */
  user: wire('totp_user', optional(string)),
  /** Phone number with country code, such as `+15005550006`; required for `sms`. */
  phoneNumber: optional(string),
});

/** Parameters to enroll an authenticator app. */
export interface TotpFactorEnroll {
  readonly type: 'totp';
  /** Name of your application in the authenticator app. */
  readonly issuer: string;
  /** Name of the user in the authenticator app. */
  readonly user: string;
}
/** Parameters to enroll a phone. */
export interface SmsFactorEnroll {
  readonly type: 'sms';
  /** Phone number with country code, such as `+15005550006`. */
  readonly phoneNumber: string;
}
/** Parameters of `enrollFactor`. */
export type FactorEnroll = TotpFactorEnroll | SmsFactorEnroll;

export const factorChallenge = body({
  /** Text of the message for an `sms` factor; `{{code}}` is replaced with the code. */
  smsTemplate: optional(string),
});
/** Parameters of `challengeFactor`, without the factor. */
export interface FactorChallenge extends Fields<typeof factorChallenge> {}

export const challengeVerify = body({
  /** Six-digit code from the user. */
  code: secret(string),
});
/** Parameters of `verifyChallenge`, without the challenge. */
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
