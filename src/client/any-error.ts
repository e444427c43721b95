import type { BrowserError } from '../errors/browser-error.js';
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

/** Every error this package throws; `switch (error.code)` narrows to the class. */
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
  /** Of `sallyport/session`, and of the adapters over it. */
  | SallyportError<'session_too_large' | 'no_session'>;

/**
 * Whether a value is an error of this package, whichever entry or copy of it made the error.
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
