export { BrowserError, type BrowserErrorCode } from '../errors/browser-error.js';
export { ConfigurationError, InvalidArgumentError, SallyportError } from '../errors/sallyport-error.js';
export type { GrantErrorCode, RefreshEnd } from '../oauth/flow-errors.js';
export type { AuthorizationUrlErrorCode } from '../service/authentication.js';
export type { FlowErrorCode } from '../service/flow-errors.js';
export { type BrowserClient, createBrowserClient } from './client.js';
export type { BrowserClientOptions, BrowserDialect, RefreshTokenStorage, SignInOptions } from './options.js';
export type { BrowserEnvironment, Channel, Locks, TextStorage } from './page.js';
export type {
  Failure,
  FailureReason,
  FinishSignInResult,
  NoSessionReason,
  RestoreResult,
  RetryLater,
  RetryLaterReason,
  SignedOut,
  SwitchOrganizationResult,
} from './results.js';
export type { BrowserSession } from './session.js';
