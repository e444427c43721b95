import type { BrowserError } from '../browser/browser-error.js';
import {
  type ConfigurationError,
  type InvalidArgumentError,
  isErrorOfSallyport,
  type SallyportError,
} from '../errors/index.js';
import type {
  ApiError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  RepeatedCursorError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
  UnprocessableError,
} from '../transport/errors.js';
import type { FlowError } from '../transport/flow-errors.js';
import type { WebhookVerificationError } from '../webhooks/verification-error.js';

/** Every error that this package throws; `switch (error.code)` narrows to the class. */
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
  /** Thrown by `sallyport/session` and its adapters. */
  | SallyportError<'session_too_large' | 'no_session'>;

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
export const isSallyportError = (value: unknown): value is AnySallyportError => isErrorOfSallyport(value);
