import { isErrorOfSallyport } from '../errors/index.js';
import { isRefreshEnd } from '../oauth/flow-errors.js';
import type { GrantRefusal } from '../oauth/token-answer.js';
import type { Grant } from '../oauth/token-request.js';
import type { CookieContent } from '../session/reader.js';
import { type RefreshContext, refresh } from '../session/refresh.js';
import type { RetryReason } from '../session/results.js';
import type { SealedSession } from '../session/sealed-session.js';
import { type Authenticate, type GrantOutcome, type TransientReason, transient } from '../session/service.js';
import type { CurrentSession } from '../session/session.js';
import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from '../transport/errors.js';
import type { UnrefreshedSession } from './session-results.js';
import type { SessionService } from './session-service.js';

/** Milliseconds for which the outcome of a refresh is handed to requests that come late with the old cookie. */
const graceMs = 30_000;
/** How long somebody else's refresh is waited for: as long as a call of the client takes at most, unless told otherwise. */
const limits = { timeoutMs: 30_000, deadlineMs: 60_000, maxRetries: 2 };

/** The client's own error for a refusal, which may be shared by several who wait. */
const errors = new WeakMap<GrantRefusal, Error>();

/** New tokens for a session: one request to the service, whoever else asks for them at the same time. */
export async function refreshOnce(
  service: SessionService,
  kit: Pick<RefreshContext, 'check' | 'entries' | 'now'>,
  from: CookieContent,
  organizationId: string | undefined,
): Promise<{ readonly sealed: SealedSession; readonly session: CurrentSession } | UnrefreshedSession> {
  const outcome = await refresh(
    {
      ...kit,
      authenticate: byClient(service),
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
      return failed(outcome.reason, false, errors.get(outcome.error));
    case 'transient':
      // A wrong key or address is for the programmer to mend: the user can do nothing about it.
      if (outcome.reason === 'service_refused') throw outcome.cause;
      return failed(inOtherWords[outcome.reason] ?? 'server_error', true, outcome.cause);
  }
}

const inOtherWords: { readonly [Reason in RetryReason]?: UnrefreshedSession['reason'] } = {
  rate_limited: 'rate_limit_exceeded',
  timeout: 'timeout',
  network_error: 'network_error',
  keys_unavailable: 'keys_unavailable',
};

const failed = (reason: UnrefreshedSession['reason'], retryable: boolean, error: unknown): UnrefreshedSession => ({
  authenticated: false,
  session: null,
  reason,
  retryable,
  ...(error instanceof Error && { error }),
});

/** Asks by the client: with its retries, hooks and headers. */
const byClient =
  ({ refresh }: SessionService): Authenticate =>
  async (grant, idempotencyKey) => {
    // Sessions in cookies are refreshed here and nothing else.
    const { refreshToken = '', organizationId } = grant as Extract<Grant, { readonly grantType: 'refresh_token' }>;
    try {
      const payload = { refreshToken, ...(organizationId !== undefined && { organizationId }) };
      return { kind: 'tokens', tokens: await refresh(payload, { idempotencyKey }) };
    } catch (error) {
      return refusalOf(error) ?? laterOf(error);
    }
  };

function refusalOf(error: unknown): GrantOutcome | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { serviceCode: code = '' } = error;
  if (!isRefreshEnd(code)) return undefined;
  const refusal: GrantRefusal = {
    status: error.status,
    code,
    message: error.message,
    // An answer that has a code is an object.
    body: error.body as GrantRefusal['body'],
  };
  errors.set(refusal, error);
  return { kind: 'rejected', error: refusal };
}

function laterOf(cause: unknown): GrantOutcome {
  // Any other error is the caller's own: it comes from a hook, or from their fetch.
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
