export type { AccessTokenClaims } from '../crypto/access-token.js';
export type { JwkSet } from '../crypto/key-set.js';
export type { Password, PasswordEntry } from '../crypto/seal.js';
export { ConfigurationError, InvalidArgumentError, SallyportError } from '../errors/sallyport-error.js';
export type { Fetch, FetchInit, FetchResponse } from '../http/fetch.js';
export type { AccessRequirement } from '../oauth/access.js';
export type { GrantErrorCode, RefreshEnd } from '../oauth/outcome.js';
export type { SignInStep } from '../oauth/step.js';
export { returnPath } from '../redirect-uris/return-path.js';
export type { AuthorizationUrlErrorCode } from '../service/addresses.js';
export type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
export type { FactorChoice, FlowErrorCode, OrganizationChoice } from '../service/flow-errors.js';
export type { User } from '../service/users.js';
export type { CookieOptions } from './cookie/cookies.js';
export { cookiesOf, type SetCookie } from './cookie/set-cookie.js';
export type { SessionRefusalRecord } from './guard/decide.js';
export type {
  ProtectOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './guard/policy.js';
export { fillRoute, requireSession, type WithSessionOptions, withSession } from './guard/with-session.js';
export type { AccessTokenResult } from './handle/access-token.js';
export type { RefreshedEvent, SessionHooks, SignedInEvent, SignedInTarget, SignedOutEvent } from './handle/hooks.js';
export type { RefreshOptions, SessionsOptions } from './handle/sessions-options.js';
export type { SessionProblem, SessionProblemCode } from './read/problem-texts.js';
export {
  createSessionReader,
  type ReadResult,
  type SessionReader,
  type SignedOutReason,
} from './read/reader.js';
export type { DialectNames, ReaderOptions, TokenOptions } from './read/reader-options.js';
export type { RevocationReason, Revocations, RevokedResult, SessionChange } from './read/revocations.js';
export type { CurrentSession, TokenSession } from './read/session.js';
export type { LimitReason, SessionLimits, SessionLimitsOptions } from './read/session-limits.js';
export {
  createTokenVerifier,
  type TokenResult,
  type TokenSignedOutReason,
  type TokenVerifier,
} from './read/token-verifier.js';
export { type SessionCache, type SessionCacheOptions, sessionCache } from './read/verified-cache.js';
export type { RefreshStore } from './refresh/refresh-store.js';
export type {
  ActiveResult,
  HandleResult,
  RetryLaterResult,
  RetryReason,
  SessionEnd,
  SessionRefreshRecord,
  SessionResultRecord,
  SignedOutResult,
  TransientReason,
  WithSession,
} from './refresh/results.js';
export type { HeadersLike, RequestLike, RoutedRequest } from './request/request.js';
export { createSessions } from './sessions.js';
export type { SignInProblem } from './sign-in/error-page.js';
export type {
  FinishSignInResult,
  SessionCallbackRecord,
  SignInErrorCode,
  SignInFailure,
  SignInFailureReason,
} from './sign-in/finish-sign-in.js';
export type { CrossOriginOptions } from './sign-in/request-origin.js';
export {
  type AccessTokenResponse,
  type CrossOriginResult,
  type RespondOptions,
  type RouteResult,
  respond,
  type SessionResponse,
} from './sign-in/respond.js';
export type { AccessTokenRoute, SessionRoutes } from './sign-in/session-routes.js';
export type { StartSignInOptions, StartSignInResult } from './sign-in/sign-in.js';
export type { SignOutOptions, SignOutResult } from './sign-in/sign-out.js';
export type { SwitchOrganizationResult } from './sign-in/switch-organization.js';
export type { Sessions } from './types.js';
