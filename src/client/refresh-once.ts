import { isErrorOfSallyport } from '../errors/index.js';
import { isRefreshEnd } from '../oauth/flow-errors.js';
import type { GrantRefusal } from '../oauth/token-answer.js';
import type { Grant } from '../oauth/token-request.js';
import type { SealedSession } from '../session/cookie/sealed-session.js';
import type { CookieContent } from '../session/read/reader.js';
import type { CurrentSession } from '../session/read/session.js';
import { type RefreshContext, refresh } from '../session/refresh/refresh.js';
import type { RetryReason } from '../session/refresh/results.js';
import { type Authenticate, type GrantOutcome, type TransientReason, transient } from '../session/refresh/service.js';
import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from '../transport/answer/errors.js';
import type { UnrefreshedSession } from './session-results.js';
import type { SessionService } from './session-service.js';

/** How long late requests with the old cookie get the result of the refresh. */
const graceMs = 30_000;
/** How long to wait for another caller's refresh: the default limits of a client call. */
const limits = { timeoutMs: 30_000, deadlineMs: 60_000, maxRetries: 2 };

/** Client errors by grant refusal. Callers that wait for the same refresh share a refusal. */
const clientErrors = new WeakMap<GrantRefusal, Error>();

/** Get new tokens for a session. Concurrent callers share one request to the service. */
export async function refreshOnce(
  service: SessionService,
  context: Pick<RefreshContext, 'check' | 'entries' | 'now'>,
  from: CookieContent,
  organizationId: string | undefined,
): Promise<{ readonly sealed: SealedSession; readonly session: CurrentSession } | UnrefreshedSession> {
  const outcome = await refresh(
    {
      ...context,
      authenticate: clientAuthenticate(service),
      scope: `${service.baseUrl} ${service.clientId}`,
      fetcher: () => service.fetch ?? globalThis.fetch,
      graceMs,
      limits,
      store: undefined,
    },
    from,
    organizationId,
  );
  switch (outcome.kind) {
    case 'renewed':
      return outcome;
    case 'ended':
      return failedRefresh(outcome.reason, false, clientErrors.get(outcome.error));
    case 'transient':
      // A wrong key or base URL is a configuration error, so throw instead of returning a result for the user.
      if (outcome.reason === 'service_refused') throw outcome.cause;
      return failedRefresh(failureReasons[outcome.reason] ?? 'server_error', true, outcome.cause);
  }
}

const failureReasons: { readonly [Reason in RetryReason]?: UnrefreshedSession['reason'] } = {
  rate_limited: 'rate_limit_exceeded',
  timeout: 'timeout',
  network_error: 'network_error',
  keys_unavailable: 'keys_unavailable',
};

const failedRefresh = (
  reason: UnrefreshedSession['reason'],
  retryable: boolean,
  error: unknown,
): UnrefreshedSession => ({
  authenticated: false,
  session: null,
  reason,
  retryable,
  ...(error instanceof Error && { error }),
});

/** Send the grant with the client's retries, hooks and headers. */
const clientAuthenticate =
  ({ refresh }: SessionService): Authenticate =>
  async (grant, idempotencyKey) => {
    // This function only ever gets refresh grants.
    const { refreshToken = '', organizationId } = grant as Extract<Grant, { readonly grantType: 'refresh_token' }>;
    try {
      const payload = { refreshToken, ...(organizationId !== undefined && { organizationId }) };
      return { kind: 'tokens', tokens: await refresh(payload, { idempotencyKey }) };
    } catch (error) {
      return rejectionOf(error) ?? transientOf(error);
    }
  };

function rejectionOf(error: unknown): GrantOutcome | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { serviceCode: code = '' } = error;
  if (!isRefreshEnd(code)) return undefined;
  const refusal: GrantRefusal = {
    status: error.status,
    code,
    message: error.message,
    // A response with a code is an object.
    body: error.body as GrantRefusal['body'],
  };
  clientErrors.set(refusal, error);
  return { kind: 'rejected', error: refusal };
}

function transientOf(cause: unknown): GrantOutcome {
  // Other errors come from the caller's hooks or `fetch`.
  if (!isErrorOfSallyport(cause)) throw cause;
  const retryAfterMs = cause instanceof RateLimitError || cause instanceof ServerError ? cause.retryAfterMs : undefined;
  return transient(reasonOf(cause), cause, retryAfterMs);
}

function reasonOf(error: Error): TransientReason {
  if (error instanceof ConnectionError) return 'network_error';
  if (error instanceof TimeoutError) return 'timeout';
  if (error instanceof RateLimitError) return 'rate_limited';
  if (error instanceof ServerError) return 'service_unavailable';
  if (error instanceof UnexpectedResponseError) return 'unexpected_answer';
  return error instanceof ApiError && [408, 425].includes(error.status) ? 'service_unavailable' : 'service_refused';
}
