import type { FlowErrorCode } from '../service/flow-errors.js';

/** Errors that ask for another step of a sign-in. The compiler reports missing ones. */
const flowErrors: Readonly<Record<FlowErrorCode, true>> = {
  organization_selection_required: true,
  sso_required: true,
  organization_authentication_methods_required: true,
  email_verification_required: true,
  mfa_challenge: true,
  mfa_enrollment: true,
};

/** Whether a code asks for another step of a sign-in. */
export const isFlowError = (code: string): code is FlowErrorCode => Object.hasOwn(flowErrors, code);

/** Error codes of a refresh that end the session. */
export type RefreshEnd =
  /** The session was ended, or its refresh token has expired. */
  | 'invalid_grant'
  /** The user has left the organization of the session. */
  | 'user_not_organization_member'
  /** The user has to sign in again, for example with a connection, a second factor or another method. */
  | FlowErrorCode;

/** Error code of a rejected token request. The service may add codes. */
export type GrantErrorCode = RefreshEnd | (string & {});

/** Whether an error code of a refresh ends the session. Other errors may be temporary. */
export const isRefreshEnd = (code: string): code is RefreshEnd =>
  code === 'invalid_grant' || code === 'user_not_organization_member' || isFlowError(code);
