import type { FlowErrorCode } from '../service/flow-errors.js';

/** The answers that are the next step of a sign-in. One that the description has and this lacks does not compile. */
const flowErrors: Readonly<Record<FlowErrorCode, true>> = {
  organization_selection_required: true,
  sso_required: true,
  organization_authentication_methods_required: true,
  email_verification_required: true,
  mfa_challenge: true,
  mfa_enrollment: true,
};

/** Whether the service wants the user to take another step before the sign-in goes on. */
export const isFlowError = (code: string): code is FlowErrorCode => Object.hasOwn(flowErrors, code);

/** What the service may answer to a refresh that ends the session. */
export type RefreshEnd =
  /** The session was ended, or its refresh token has expired. */
  | 'invalid_grant'
  /** The user has left the organization of the session. */
  | 'user_not_organization_member'
  /** The user has to sign in again, for instance with a connection, a second factor or another method. */
  | FlowErrorCode;

/** The service's word for a refused request for tokens; it may have words that are not known here. */
export type GrantErrorCode = RefreshEnd | (string & {});

/** Whether an answer to a refresh ends the session; whatever else the service refuses may be gone tomorrow. */
export const isRefreshEnd = (code: string): code is RefreshEnd =>
  code === 'invalid_grant' || code === 'user_not_organization_member' || isFlowError(code);
