import { pathToFileURL } from 'node:url';
import {
  type AnySallyportError,
  ApiError,
  ConfigurationError,
  type ConnectionError,
  InvalidArgumentError,
  isSallyportError,
  NotFoundError,
  type RateLimitError,
  SallyportError,
  ServerError,
  type SignInStepError,
  type TimeoutError,
  type UnprocessableError,
  type WebhookVerificationError,
} from 'sallyport';
import type { BrowserError } from 'sallyport/browser';
import type { EmulatorError } from 'sallyport/emulator';
import type { MirrorError } from 'sallyport/mirror';
import type { StreamError } from 'sallyport/streams';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { clientOf, failureOf, serve } from '../servers/server.js';
import { bundled } from './process.js';

/** A text for each error, chosen by its code alone. */
function advice(error: AnySallyportError): string {
  switch (error.code) {
    case 'not_found':
      expectTypeOf(error).toEqualTypeOf<NotFoundError>();
      return `nothing there, ${error.requestId}`;
    case 'unprocessable':
      expectTypeOf(error).toEqualTypeOf<UnprocessableError>();
      return error.errors.map(({ field }) => field).join();
    case 'rate_limited':
      expectTypeOf(error).toEqualTypeOf<RateLimitError>();
      return `wait ${error.retryAfterMs}`;
    case 'sso_required':
      expectTypeOf(error).toEqualTypeOf<SignInStepError<'sso_required'>>();
      return error.step.connectionIds.join();
    case 'mfa_challenge':
      expectTypeOf(error).toEqualTypeOf<SignInStepError<'mfa_challenge'>>();
      return error.pendingAuthenticationToken;
    case 'sign_in_step_required':
      expectTypeOf(error).toEqualTypeOf<SignInStepError<'sign_in_step_required'>>();
      expectTypeOf(error.step.type).toEqualTypeOf<'other'>();
      return error.pendingAuthenticationToken;
    case 'organization_selection_required':
    case 'organization_authentication_methods_required':
    case 'email_verification_required':
    case 'mfa_enrollment':
      return 'go on';
    case 'signed_out':
    case 'retry_later':
    case 'refused':
    case 'storage_blocked':
    case 'insecure_context':
    case 'not_a_browser':
      expectTypeOf(error).toEqualTypeOf<BrowserError>();
      return error.reason;
    case 'poison_event':
    case 'checkpoint_conflict':
    case 'checkpoint_expired':
    case 'checkpoint_malformed':
    case 'checkpoint_lost':
    case 'stream_in_use':
    case 'not_settled':
      expectTypeOf(error).toEqualTypeOf<StreamError>();
      return error.letter?.event.id ?? '';
    case 'mirror_stale':
    case 'mirror_timeout':
    case 'mirror_in_use':
    case 'write_failed':
      expectTypeOf(error).toEqualTypeOf<MirrorError>();
      return error.message;
    case 'port_in_use':
    case 'cannot_listen':
    case 'already_listening':
    case 'closed':
    case 'state_in_use':
    case 'state_not_written':
    case 'unreachable':
    case 'unsupported_environment':
      expectTypeOf(error).toEqualTypeOf<EmulatorError>();
      return error.message;
    case 'session_too_large':
    case 'no_session':
    case 'temporarily_unavailable':
    case 'no_provider':
    case 'no_browser_client':
    case 'no_access_token_route':
    case 'unexpected_requests':
    case 'no_form':
    case 'too_many_redirects':
    case 'unknown_field':
    case 'site_unreachable':
      return error.message;
    case 'bad_request':
    case 'unauthorized':
    case 'forbidden':
    case 'conflict':
    case 'server_error':
    case 'request_failed':
    case 'unexpected_response':
      expectTypeOf(error).toMatchTypeOf<ApiError>();
      return error.route;
    case 'connection_failed':
      expectTypeOf(error).toEqualTypeOf<ConnectionError>();
      return error.route;
    case 'timeout':
      expectTypeOf(error).toEqualTypeOf<TimeoutError>();
      return error.limit;
    case 'repeated_cursor':
      return error.cursor ?? '';
    case 'webhook_verification_failed':
      expectTypeOf(error).toEqualTypeOf<WebhookVerificationError>();
      return error.reason;
    case 'invalid_argument':
      expectTypeOf(error).toEqualTypeOf<InvalidArgumentError>();
      return error.argument;
    case 'missing_api_key':
    case 'malformed_api_key':
    case 'api_key_in_browser':
    case 'missing_client_id':
    case 'missing_base_url':
    case 'missing_cookie_password':
    case 'invalid_base_url':
    case 'insecure_base_url':
    case 'unknown_dialect':
    case 'invalid_option':
    case 'invalid_seed':
    case 'invalid_state':
      expectTypeOf(error).toEqualTypeOf<ConfigurationError>();
      return error.message;
    default:
      // No code is left, so the union is complete.
      expectTypeOf(error).toBeNever();
      return error;
  }
}

describe('an error from the package', () => {
  test('has a code that narrows its type to one class', async () => {
    const server = await serve({ status: 404, body: {} });
    const error = await failureOf(clientOf(server).organizations.getOrganization('org_01'));

    if (!isSallyportError(error)) throw error;
    expectTypeOf(error).toEqualTypeOf<AnySallyportError>();
    expect(advice(error)).toBe('nothing there, req_42');
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'x'],
    ['a number', 7],
    ['a built-in Error', new Error('x')],
    ['an object with a code', { code: 'not_found' }],
    ['an AbortError', new DOMException('x', 'AbortError')],
  ])('is distinguished from %s by isSallyportError()', (_kind, value) => {
    expect(isSallyportError(value)).toBe(false);
    expect((value as object) instanceof SallyportError).toBe(false);
  });

  test('is an instance of its class, but not of a sibling class', () => {
    const error = new InvalidArgumentError({ what: 'x', argument: 'y' });

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toBeInstanceOf(SallyportError);
    expect(error).not.toBeInstanceOf(ConfigurationError);
    expect(error).not.toBeInstanceOf(ApiError);
  });

  test('can be an instance of a subclass that a user defines', () => {
    class OwnError extends InvalidArgumentError {}
    const own = new OwnError({ what: 'x', argument: 'y' });

    expect(own).toBeInstanceOf(OwnError);
    expect(own).toBeInstanceOf(InvalidArgumentError);
    expect(new InvalidArgumentError({ what: 'x', argument: 'y' })).not.toBeInstanceOf(OwnError);
    expect(isSallyportError(own)).toBe(true);
  });
});

describe('a second copy of the package', () => {
  test('creates errors that the first copy recognizes, and recognizes errors of the first copy', async () => {
    const file = await bundled("export * from 'sallyport';");
    const other: typeof import('sallyport') = await import(/* @vite-ignore */ pathToFileURL(file).href);
    const server = await serve({ status: 404, body: {} });
    const sallyport = new other.Sallyport({ apiKey: 'sk_1', baseUrl: server.url });

    const theirs = await failureOf(sallyport.organizations.getOrganization('org_01'));
    const ours = await failureOf(clientOf(server).organizations.getOrganization('org_01'));

    expect(other.NotFoundError).not.toBe(NotFoundError);
    for (const [error, copy] of [
      [theirs, { NotFoundError, ServerError, ApiError, SallyportError, isSallyportError }],
      [ours, other],
    ] as const) {
      expect(error).toBeInstanceOf(copy.NotFoundError);
      expect(error).toBeInstanceOf(copy.ApiError);
      expect(error).toBeInstanceOf(copy.SallyportError);
      expect(error).not.toBeInstanceOf(copy.ServerError);
      expect(copy.isSallyportError(error)).toBe(true);
    }
  });
});
