import type { BrowserError } from './browser/browser-error.js';
import type { EmulatorError } from './emulator/store/refusal.js';
import { type ConfigurationError, type InvalidArgumentError, SallyportError } from './errors/index.js';
import type { MirrorError } from './mirror/mirror-error.js';
import type { StreamError } from './streams/stream-error.js';
import type {
  ApiError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  FlowError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  RepeatedCursorError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
  UnprocessableError,
} from './transport/answer/errors.js';
import type { WebhookVerificationError } from './webhooks/verification-error.js';

/**
 * Every error that this package throws; `switch (error.code)` narrows to the class. `EmulatorRefusal` of `sallyport/emulator` is left
 * out, because its codes are the codes of the service and the service may add some.
 */
export type AnySallyportError =
  | ConfigurationError
  | InvalidArgumentError
  | BadRequestError
  | UnauthorizedError
  | ForbiddenError
  | NotFoundError
  | ConflictError
  | UnprocessableError
  | RateLimitError
  | ServerError
  | ApiError<'request_failed'>
  | UnexpectedResponseError
  | ConnectionError
  | TimeoutError
  | RepeatedCursorError
  | FlowError
  | WebhookVerificationError
  | BrowserError
  | StreamError
  | MirrorError
  | EmulatorError
  /** Thrown by `sallyport/session` and its adapters. */
  | SallyportError<'session_too_large' | 'no_session'>
  /** Thrown by `sallyport/next`. */
  | SallyportError<'temporarily_unavailable'>
  /** Thrown by `sallyport/react`. */
  | SallyportError<'no_provider' | 'no_browser_client' | 'no_access_token_route'>
  /** Thrown by `sallyport/testing`. */
  | SallyportError<'unexpected_requests' | 'no_form' | 'too_many_redirects' | 'unknown_field' | 'site_unreachable'>;

/**
 * Check whether a value is an error of this package, even if another copy of the package created it.
 *
 * @example
 * try {
 *   await sallyport.organizations.getOrganization(id);
 * } catch (error) {
 *   if (!isSallyportError(error)) throw error;
 *   if (error.code === 'not_found') console.log(error.requestId);
 * }
 */
export const isSallyportError = (value: unknown): value is AnySallyportError => value instanceof SallyportError;
