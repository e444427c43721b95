import {
  array,
  constant,
  essential,
  type Fields,
  maybe,
  nullable,
  opaqueAs,
  open,
  part,
  ref,
  secret,
  string,
} from './describe/define.js';
import { type AuthenticationChallenge, authenticationChallenge } from './mfa.js';
import { type User, user } from './users.js';

// Answers of `POST /user_management/authenticate` that are the next step of a sign-in.

export const organizationChoice = part({
  /** The organization's id. */
  id: string,
  /** Its name, for showing. */
  name: string,
});
/** An organization the user may pick. */
export interface OrganizationChoice extends Fields<typeof organizationChoice> {}

export const factorChoice = part({
  /** The factor's id, for a challenge. */
  id: string,
  /** How the user proves possession. */
  type: open<'totp' | 'sms'>(),
});
/** A factor the user may answer with. */
export interface FactorChoice extends Fields<typeof factorChoice> {}

export const organizationSelectionRequired = part({
  code: constant('organization_selection_required'),
  /** What happened, in words. */
  message: maybe(string),
  /** For `authenticateWithOrganizationSelection`. */
  pendingAuthenticationToken: secret(string),
  /** What there is to choose from. */
  organizations: essential(array(ref<OrganizationChoice>(organizationChoice))),
  /** Who signs in. */
  user: maybe(ref<User>(user)),
});
/** The user belongs to several organizations and has to choose one. */
export interface OrganizationSelectionRequired extends Fields<typeof organizationSelectionRequired> {}

export const ssoRequired = part({
  error: constant('sso_required'),
  /** What happened, in words. */
  errorDescription: maybe(string),
  /** The address that was given. */
  email: maybe(string),
  /** Connections the user may sign in by. */
  connectionIds: essential(array(string)),
  /** For `authenticateWithCode` after the sign-in by SSO; null when none is to be passed. */
  pendingAuthenticationToken: nullable(secret(string)),
});
/** The organization lets its users sign in by SSO only. */
export interface SsoRequired extends Fields<typeof ssoRequired> {}

export const organizationAuthenticationMethodsRequired = part({
  error: constant('organization_authentication_methods_required'),
  /** What happened, in words. */
  errorDescription: maybe(string),
  /** The address that was given. */
  email: maybe(string),
  /** Connections the user may sign in by. */
  ssoConnectionIds: essential(array(string)),
  /** Which methods are allowed, by the service's names: `magic_auth`, `password`, `google_oauth`. */
  authMethods: essential(opaqueAs<Record<string, boolean>>()),
});
/** The organization does not allow the method that was used. */
export interface OrganizationAuthenticationMethodsRequired
  extends Fields<typeof organizationAuthenticationMethodsRequired> {}

export const emailVerificationRequired = part({
  code: constant('email_verification_required'),
  /** What happened, in words. */
  message: maybe(string),
  /** For `authenticateWithEmailVerification`. */
  pendingAuthenticationToken: secret(string),
  /** Address that the code was sent to. */
  email: maybe(string),
  /** Id of the verification. */
  emailVerificationId: maybe(string),
});
/** The address is not verified yet: a code was sent to it. */
export interface EmailVerificationRequired extends Fields<typeof emailVerificationRequired> {}

export const mfaChallenge = part({
  code: constant('mfa_challenge'),
  /** What happened, in words. */
  message: maybe(string),
  /** For `authenticateWithTotp`. */
  pendingAuthenticationToken: secret(string),
  /** Factors to make a challenge for. */
  authenticationFactors: maybe(array(ref<FactorChoice>(factorChoice))),
  /** A challenge that is made already, from services that do. */
  authenticationChallenge: maybe(ref<AuthenticationChallenge>(authenticationChallenge)),
  /** Who signs in. */
  user: maybe(ref<User>(user)),
});
/** A second factor is asked for. */
export interface MfaChallenge extends Fields<typeof mfaChallenge> {}

export const mfaEnrollment = part({
  code: constant('mfa_enrollment'),
  /** What happened, in words. */
  message: maybe(string),
  /** Continues the sign-in once a factor is enrolled. */
  pendingAuthenticationToken: secret(string),
  /** Who signs in. */
  user: maybe(ref<User>(user)),
});
/** The user has to enroll a second factor first. */
export interface MfaEnrollment extends Fields<typeof mfaEnrollment> {}

/**
 * The answers that are the next step of a sign-in, by the `code` or `error` that names them: the body that comes with each,
 * and for its message what happened and what to do next.
 */
export const flowErrors = {
  organization_selection_required: {
    details: organizationSelectionRequired,
    what: 'the user has to choose an organization',
    next: 'Show organizations, then call authenticateWithOrganizationSelection',
  },
  sso_required: {
    details: ssoRequired,
    what: 'the user has to sign in by SSO',
    next: 'Redirect to getAuthorizationUrl({ connectionId }) with one of connectionIds',
  },
  organization_authentication_methods_required: {
    details: organizationAuthenticationMethodsRequired,
    what: 'the organization does not allow this way to sign in',
    next: 'Offer the methods that are true in authMethods, or SSO with one of ssoConnectionIds',
  },
  email_verification_required: {
    details: emailVerificationRequired,
    what: 'the user has to verify the address',
    next: 'Ask for the code that was emailed, then call authenticateWithEmailVerification',
  },
  mfa_challenge: {
    details: mfaChallenge,
    what: 'the user has to prove a second factor',
    next: 'Call mfa.challengeFactor for one of authenticationFactors, ask for the code, then call authenticateWithTotp',
  },
  mfa_enrollment: {
    details: mfaEnrollment,
    what: 'the user has to enroll a second factor',
    next: 'Call enrollAuthFactor for the user, ask for the code, then call authenticateWithTotp',
  },
} as const;
/** The code of an answer that is the next step of a sign-in. */
export type FlowErrorCode = keyof typeof flowErrors;
