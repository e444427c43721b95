export { ConfigurationError, InvalidArgumentError, SallyportError } from '../errors/sallyport-error.js';
export type { GrantErrorCode, RefreshEnd } from '../oauth/outcome.js';
export type { AuthorizationUrlErrorCode } from '../service/addresses.js';
export type { FlowErrorCode } from '../service/flow-errors.js';
export { BrowserError, type BrowserErrorCode, type BrowserErrorReason } from './browser-error.js';
export { type BrowserClient, createBrowserClient } from './client.js';
export type { PagePart } from './environment.js';
export type { BrowserClientOptions, BrowserDialect, RefreshTokenStorage, SignInOptions } from './options.js';
export type {
  BrowserSignInResult,
  BrowserSwitchResult,
  Failure,
  FailureReason,
  NoSessionReason,
  RestoreResult,
  RetryLater,
  RetryLaterReason,
  SignedOut,
} from './results.js';
export { createServerSession, type ServerSession, type ServerSessionOptions } from './server-session.js';
export type { BrowserSession } from './session.js';
export type { PageSession, SessionData, SessionState } from './session-state.js';
