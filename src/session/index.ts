export type { AccessTokenClaims } from '../crypto/access-token.js';
export type { JwkSet } from '../crypto/key-set.js';
export type { Password, PasswordEntry } from '../crypto/passwords.js';
export { ConfigurationError, InvalidArgumentError, SallyportError } from '../errors/sallyport-error.js';
export type { AccessRequirement } from '../oauth/access.js';
export type { GrantErrorCode, RefreshEnd } from '../oauth/flow-errors.js';
export type { SignInStep } from '../oauth/sign-in-step.js';
export { returnPath } from '../redirect-uris/return-path.js';
export type { AuthorizationUrlErrorCode } from '../service/addresses.js';
export type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
export type { FactorChoice, FlowErrorCode, OrganizationChoice } from '../service/flow-errors.js';
export type { User } from '../service/users.js';
export type { CookieOptions } from './cookies.js';
export type { SignInProblem } from './error-page.js';
export type { FinishSignInResult, SignInErrorCode, SignInFailure, SignInFailureReason } from './finish-sign-in.js';
export type { RequireRecentOptions, RequireSessionOptions, SessionChoice, SessionHandler } from './guard-options.js';
export type { SessionProblem, SessionProblemCode } from './problem-texts.js';
export type { PassageOptions } from './protect.js';
export {
  createSessionReader,
  type ReadResult,
  type SessionReader,
  type SignedOutReason,
} from './reader.js';
export type { DialectNames, ReaderOptions, TokenOptions } from './reader-options.js';
export type { RefreshStore } from './refresh-store.js';
export type { HeadersLike, RequestLike } from './request.js';
export { requireRecent, requireSession } from './require-session.js';
export { type RespondOptions, respond, type SignInResult } from './respond.js';
export type {
  ActiveResult,
  HandleResult,
  RetryLaterResult,
  RetryReason,
  SessionEnd,
  SignedOutResult,
  WithSession,
} from './results.js';
export type { RevocationReason, Revocations, RevokedResult } from './revocations.js';
export type { SessionRoutes } from './routes.js';
export type { TransientReason } from './service.js';
export type { CurrentSession, TokenSession } from './session.js';
export { createSessions, type Sessions } from './sessions.js';
export type { RefreshOptions, SessionsOptions } from './sessions-options.js';
export { cookiesOf, type SetCookie } from './set-cookie.js';
export type { StartSignInOptions, StartSignInResult } from './sign-in.js';
export type { SignOutOptions, SignOutResult } from './sign-out.js';
export type { SwitchOrganizationResult } from './switch-organization.js';
export {
  createTokenVerifier,
  type TokenResult,
  type TokenSignedOutReason,
  type TokenVerifier,
} from './token-verifier.js';
export { type SessionCache, type SessionCacheOptions, sessionCache } from './verified-cache.js';
export { type WithSessionOptions, withSession } from './with-session.js';
