import { discard, readJson } from '../http/body.js';
import { isRecord, textIn } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import { Late, pause, within } from '../http/time-limit.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { authenticatedOf } from './authenticated.js';

/** A definite no to what was asked: asking again the same way would change nothing. */
export interface GrantRefusal {
  readonly status: number;
  /** The service's word for it, `invalid_grant` or `sso_required` say. */
  readonly code: string;
  /** In the service's words; for logs rather than for users. */
  readonly message: string | null;
  /** The body as it came; a sign-in finds in it what the next step needs. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Why it is not known what the service would say. */
export type TransientReason =
  /** The connection failed, perhaps after the service had done what was asked. */
  | 'network_error'
  | 'timeout'
  /** Status 429. */
  | 'rate_limited'
  /** Status 408, 425 or 5xx. */
  | 'service_unavailable'
  /** An answer that cannot be the service's, such as the page of a proxy. */
  | 'unexpected_answer'
  /** The service does not accept client id, API key or address: a fault of the configuration and not of the session. */
  | 'service_refused'
  /** The store of refreshes failed, or somebody holds its lock for too long. */
  | 'store_unavailable';

/** What asking for tokens comes to. */
export type GrantOutcome =
  | { readonly kind: 'tokens'; readonly tokens: AuthenticationResponse }
  | { readonly kind: 'rejected'; readonly error: GrantRefusal }
  | Transient<TransientReason>;

/** Not known yet. */
export interface Transient<Reason> {
  readonly kind: 'transient';
  readonly reason: Reason;
  /** Holds no token and no key. */
  readonly cause: unknown;
  /** As the service asks; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;
}

/** Says that something is not known yet, and why. */
export const transient = <Reason>(reason: Reason, cause: unknown, retryAfterMs?: number): Transient<Reason> => ({
  kind: 'transient',
  reason,
  cause,
  retryAfterMs,
});

/** What the service answers to somebody whom it does not know; says no more of the answer than its code. */
export const refused = (status: number, code: string | null = null): Transient<'service_refused'> =>
  transient(
    'service_refused',
    new Error(
      `The service refused a request for tokens with status ${status}${code && /^\w{1,80}$/.test(code) ? `, ${code}` : ''}; check clientId, apiKey and baseUrl of createSessions`,
    ),
  );

/** What is sent with a grant beside the client's credentials, by its wire names. */
export type GrantFields = Readonly<Record<string, string | undefined>> & { readonly grant_type: string };

/** How long a grant may take. */
export interface GrantLimits {
  /** Milliseconds for one attempt, its body included. */
  readonly timeoutMs: number;
  /** Milliseconds for all attempts and the waits between them. */
  readonly deadlineMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
}

/** What asking for tokens needs. */
export interface ServiceConfig {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly apiKey: string | undefined;
  /** The function that fetches. */
  readonly fetcher: () => typeof fetch;
  readonly limits: GrantLimits;
}

/** Sends a grant; the idempotency key makes that safe to repeat. Never rejects. */
export type Authenticate = (fields: GrantFields, idempotencyKey: string) => Promise<GrantOutcome>;

/** Largest answer that is read, in bytes. */
const longest = 1024 * 1024;
/** The longest wait between attempts: somebody waits for a page. */
const longestWaitMs = 1_000;
/** Wait before the second retry, growing with each; the first comes at once, for most often a kept connection had gone stale. */
const backoffMs = 200;

/**
 * The one request that sessions make of the service: tokens for a refresh token or a code.
 *
 * Specification: Endpoints > Authorization URL and sign-in flows; Authentication, 5.
 */
export function authenticator({ baseUrl, clientId, apiKey, fetcher, limits }: ServiceConfig): Authenticate {
  return async (fields, idempotencyKey) => {
    const { timeoutMs, deadlineMs, maxRetries } = limits;
    const request = {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      // Letter by letter the same from every replica, so that the idempotency key meets the same request.
      body: JSON.stringify({ client_id: clientId, client_secret: apiKey, ...fields }),
      // Followed, a redirect would carry the tokens to wherever it points.
      redirect: 'manual',
    } as const;
    const attempt = async (signal: AbortSignal): Promise<GrantOutcome> =>
      outcomeOf(await fetcher()(`${baseUrl}/user_management/authenticate`, { ...request, signal }));
    const end = Date.now() + deadlineMs;
    for (let retries = 0; ; retries++) {
      const left = Math.max(1, Math.min(timeoutMs, end - Date.now()));
      const outcome = await within(left, attempt).catch(failed);
      if (outcome.kind !== 'transient' || outcome.reason === 'service_refused' || retries >= maxRetries) return outcome;
      const waitMs = outcome.retryAfterMs ?? retries * backoffMs;
      if (waitMs > longestWaitMs || Date.now() + waitMs >= end) return outcome;
      if (waitMs > 0) await pause(waitMs);
    }
  };
}

const failed = (cause: unknown): GrantOutcome => transient(cause instanceof Late ? 'timeout' : 'network_error', cause);

async function outcomeOf(response: Response): Promise<GrantOutcome> {
  const { status } = response;
  const later = (reason: TransientReason, what = `status ${status}`): GrantOutcome =>
    transient(
      reason,
      new Error(`The service answered a request for tokens with ${what}`),
      retryAfterMs(response.headers, Date.now()),
    );
  if ([408, 425, 429].includes(status) || status >= 500) {
    discard(response);
    return later(status === 429 ? 'rate_limited' : 'service_unavailable');
  }
  const body = await readJson(response, longest);
  if (response.ok) {
    const tokens = authenticatedOf(body);
    return tokens ? { kind: 'tokens', tokens } : later('unexpected_answer', 'something that holds no tokens');
  }
  // A redirect, or a refusal by somebody in between.
  if (!isRecord(body)) return status < 400 ? refused(status) : later('unexpected_answer');
  const code = textIn(body.code) ?? textIn(body.error);
  // Who asks is at fault and not what is asked: no session may end for a key that was mistyped.
  if (!code || /client/.test(code) || (status === 401 && code !== 'invalid_grant')) return refused(status, code);
  const message = textIn(body.message) ?? textIn(body.error_description);
  return { kind: 'rejected', error: { status, code, message, body } };
}
