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

// Responses of `POST /user_management/authenticate` that require another sign-in step. The client takes only the types from here:
// `oauth/step.ts` reads the bodies, even if fields are missing.

export const organizationChoice = part({
  /** Id of the organization, prefix `org_`. */
  id: string,
  /** Name to display. */
  name: string,
});
/** An organization that the user can choose. */
export interface OrganizationChoice extends Fields<typeof organizationChoice> {}

export const factorChoice = part({
  /** Id of the factor, for `mfa.challengeFactor`. */
  id: string,
  /** Type of factor. */
  type: open<'totp' | 'sms'>(),
});
/** A factor that the user can verify. */
export interface FactorChoice extends Fields<typeof factorChoice> {}

export const organizationSelectionRequired = part({
  code: constant('organization_selection_required'),
  /** Error message. */
  message: maybe(string),
  /** Token for `authenticateWithOrganizationSelection`. */
  pendingAuthenticationToken: secret(string),
  /** Organizations to choose from. */
  organizations: essential(array(ref<OrganizationChoice>(organizationChoice))),
  /** User who is signing in. */
  user: maybe(ref<User>(user)),
});
/** The user belongs to several organizations and has to choose one. */
export interface OrganizationSelectionRequired extends Fields<typeof organizationSelectionRequired> {}

export const ssoRequired = part({
  error: constant('sso_required'),
  /** Error message. */
  errorDescription: maybe(string),
  /** Email address of the user. */
  email: maybe(string),
  /** Ids of the connections that the user can sign in with. */
  connectionIds: essential(array(string)),
  /** Token for `authenticateWithCode` after the SSO sign-in; null if none is needed. */
  pendingAuthenticationToken: nullable(secret(string)),
});
/** The organization requires its users to sign in with SSO. */
export interface SsoRequired extends Fields<typeof ssoRequired> {}

export const organizationAuthenticationMethodsRequired = part({
  error: constant('organization_authentication_methods_required'),
  /** Error message. */
  errorDescription: maybe(string),
  /** Email address of the user. */
  email: maybe(string),
  /** Ids of the connections that the user can sign in with. */
  ssoConnectionIds: essential(array(string)),
  /** Allowed methods by name, such as `magic_auth`, `password` or `google_oauth`. */
  authMethods: essential(opaqueAs<Record<string, boolean>>()),
  /** Token that continues the sign-in, if the service sends one. */
  pendingAuthenticationToken: maybe(secret(string)),
});
/** The organization does not allow the method that was used. */
export interface OrganizationAuthenticationMethodsRequired
  extends Fields<typeof organizationAuthenticationMethodsRequired> {}

export const emailVerificationRequired = part({
  code: constant('email_verification_required'),
  /** Error message. */
  message: maybe(string),
  /** Token for `authenticateWithEmailVerification`. */
  pendingAuthenticationToken: secret(string),
  /** Email address that the code was sent to. */
  email: maybe(string),
  /** Id of the email verification. */
  emailVerificationId: maybe(string),
});
/** The email address is not verified yet. A code was sent to it. */
export interface EmailVerificationRequired extends Fields<typeof emailVerificationRequired> {}

export const mfaChallenge = part({
  code: constant('mfa_challenge'),
  /** Error message. */
  message: maybe(string),
  /** Token for `authenticateWithTotp`. */
  pendingAuthenticationToken: secret(string),
  /** Factors to choose from for `mfa.challengeFactor`. */
  authenticationFactors: maybe(array(ref<FactorChoice>(factorChoice))),
  /** Challenge that the service has already created, if any. */
  authenticationChallenge: maybe(ref<AuthenticationChallenge>(authenticationChallenge)),
  /** User who is signing in. */
  user: maybe(ref<User>(user)),
});
/** The user has to verify a second factor. */
export interface MfaChallenge extends Fields<typeof mfaChallenge> {}

export const mfaEnrollment = part({
  code: constant('mfa_enrollment'),
  /** Error message. */
  message: maybe(string),
  /** Token that continues the sign-in after a factor is enrolled. */
  pendingAuthenticationToken: secret(string),
  /** User who is signing in. */
  user: maybe(ref<User>(user)),
});
/** The user has to enroll a second factor first. */
export interface MfaEnrollment extends Fields<typeof mfaEnrollment> {}

/** The code of a response that requires another sign-in step, in its `code` or `error`. */
export type FlowErrorCode =
  | OrganizationSelectionRequired['code']
  | SsoRequired['error']
  | OrganizationAuthenticationMethodsRequired['error']
  | EmailVerificationRequired['code']
  | MfaChallenge['code']
  | MfaEnrollment['code'];
/** The code of a step of a sign-in. `sign_in_step_required` stands for the codes of the service that are not listed. */
export type SignInStepCode = FlowErrorCode | 'sign_in_step_required';
