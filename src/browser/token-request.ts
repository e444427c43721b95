import { codeChallengeOf } from '../crypto/pkce.js';
import { quotable } from '../errors/redact.js';
import { isRecord, parsedJson } from '../http/json.js';
import { Late, within } from '../http/time-limit.js';
import type { Page } from './page.js';
import type { TokenBody } from './session.js';

/** The service cannot be asked just now. */
export interface Later {
  readonly kind: 'later';
  readonly reason: 'unreachable' | 'timeout' | 'rate_limited' | 'service_error' | 'unexpected_answer';
  readonly retryAfterMs: number;
  readonly cause?: unknown;
}

/** The service says no. */
export interface Refused {
  readonly kind: 'refused';
  /** The service's own name for it, `invalid_grant`. */
  readonly reason: string;
  /** The service's own words. */
  readonly description: string;
}

/** What became of asking for tokens. */
export type TokenOutcome = { readonly kind: 'tokens'; readonly body: TokenBody } | Refused | Later;

/** Where and as whom to ask. */
export interface TokenClient {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly idempotencyKeys: boolean;
}

/** How long one request may take, its body included. */
const timeoutMs = 10_000;
/** When to try again if the service does not say. */
const pauseMs = 1_000;
/** The longest the service may make us wait. */
const longestPauseMs = 60_000;

/**
 * Asks for tokens as a public client: by a code and its verifier, or by a refresh token, never with a key.
 *
 * @param secret What makes the request what it is. Whoever repeats it, after a lost answer or in another tab, sends the same
 * idempotency key and gets the same tokens, so that single-use tokens are used once.
 */
export async function requestTokens(
  page: Page,
  { baseUrl, clientId, idempotencyKeys }: TokenClient,
  grant: Readonly<Record<string, string | undefined>>,
  secret: string,
): Promise<TokenOutcome> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (idempotencyKeys) headers['idempotency-key'] = await codeChallengeOf(secret);
  try {
    return await within(timeoutMs, async (signal) => {
      const response = await page.fetch(`${baseUrl}/user_management/authenticate`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ client_id: clientId, ...grant }),
        // No cookie takes part: third-party cookies may be blocked.
        credentials: 'omit',
        redirect: 'error',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal,
      });
      return outcomeOf(response, await response.text(), [grant.refresh_token, grant.code, grant.code_verifier]);
    });
  } catch (cause) {
    return { kind: 'later', reason: cause instanceof Late ? 'timeout' : 'unreachable', retryAfterMs: pauseMs, cause };
  }
}

function outcomeOf(response: Response, text: string, secrets: readonly (string | undefined)[]): TokenOutcome {
  const { status, headers } = response;
  const said = Number(headers.get('retry-after')) * 1000;
  const retryAfterMs = Math.min(said > 0 ? said : pauseMs, longestPauseMs);
  if (status === 429) return { kind: 'later', reason: 'rate_limited', retryAfterMs };
  if (status >= 500) return { kind: 'later', reason: 'service_error', retryAfterMs };
  const json = parsedJson(text);
  const body = isRecord(json) ? json : undefined;
  if (response.ok && isTokenBody(body)) return { kind: 'tokens', body };
  const reason = body?.error ?? body?.code;
  // A success without tokens, or a refusal that is not the service's: a proxy or a captive portal has answered.
  if (response.ok || typeof reason !== 'string') return { kind: 'later', reason: 'unexpected_answer', retryAfterMs };
  // A service that repeats what it was sent must not bring a token into a message.
  const quoted = (words: unknown): string => quotable(`${words ?? ''}`, secrets.filter(Boolean) as string[]);
  return { kind: 'refused', reason: quoted(reason), description: quoted(body?.error_description ?? body?.message) };
}

const isTokenBody = (body: object | undefined): body is TokenBody => {
  const { access_token, refresh_token, user } = (body ?? {}) as Partial<TokenBody>;
  return (
    typeof access_token === 'string' && typeof refresh_token === 'string' && typeof user === 'object' && user !== null
  );
};
