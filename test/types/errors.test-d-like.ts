/**
 * The types of `AnySallyportError`. Nothing here runs: `npm run typecheck` fails if a line no longer means
 * what it should. test/types/errors.test.ts checks that every error of the sources is named here.
 */

import type {
  AnySallyportError,
  ApiError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidArgumentError,
  NotFoundError,
  RateLimitError,
  RepeatedCursorError,
  SallyportError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
  UnexpectedResponseError,
  UnprocessableError,
  WebhookVerificationError,
} from 'sallyport';
import type { BrowserError } from 'sallyport/browser';
import type { EmulatorError, EmulatorRefusal } from 'sallyport/emulator';
import type { MirrorError } from 'sallyport/mirror';
import type { StreamError } from 'sallyport/streams';

declare function isNamed<Thrown extends AnySallyportError>(): Thrown;

isNamed<ConfigurationError>();
isNamed<InvalidArgumentError>();
isNamed<BadRequestError>();
isNamed<UnauthorizedError>();
isNamed<ForbiddenError>();
isNamed<NotFoundError>();
isNamed<ConflictError>();
isNamed<UnprocessableError>();
isNamed<RateLimitError>();
isNamed<ServerError>();
isNamed<UnexpectedResponseError>();
isNamed<ConnectionError>();
isNamed<TimeoutError>();
isNamed<RepeatedCursorError>();
isNamed<WebhookVerificationError>();
isNamed<BrowserError>();
isNamed<StreamError>();
isNamed<MirrorError>();
isNamed<EmulatorError>();

isNamed<ApiError<'request_failed'>>();
isNamed<SallyportError<'session_too_large'>>();
isNamed<SallyportError<'no_session'>>();
isNamed<SallyportError<'temporarily_unavailable'>>();
isNamed<SallyportError<'no_provider'>>();
isNamed<SallyportError<'no_browser_client'>>();
isNamed<SallyportError<'no_access_token_route'>>();
isNamed<SallyportError<'unexpected_requests'>>();
isNamed<SallyportError<'no_form'>>();
isNamed<SallyportError<'too_many_redirects'>>();
isNamed<SallyportError<'unknown_field'>>();
isNamed<SallyportError<'site_unreachable'>>();

// @ts-expect-error no entry throws an error with this code
isNamed<SallyportError<'no_such_code'>>();
// @ts-expect-error its codes are the codes of the service, which may add some
isNamed<EmulatorRefusal>();
