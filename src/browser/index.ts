export { BrowserError, type BrowserErrorCode } from '../errors/browser-error.js';
export { ConfigurationError, InvalidArgumentError, SallyportError } from '../errors/sallyport-error.js';
export type { SignInOptions } from './authorization.js';
export { type BrowserClient, createBrowserClient } from './client.js';
export type { BrowserClientOptions, BrowserDialect, RefreshTokenStorage } from './options.js';
export type { BrowserEnvironment, Channel, Locks, TextStorage } from './page.js';
export type { Failure, FinishSignInResult, RestoreResult, RetryLater, SwitchOrganizationResult } from './results.js';
export type { BrowserSession } from './session.js';
