import { type TokenRefusal, type VerifiedToken, verifyAccessToken } from '../../crypto/access-token.js';
import { checkNames } from '../../errors/known-options.js';
import { forService } from '../../http/environment.js';
import { type TokenOptions, type TokenSettings, tokenOptionNames, tokenSettings } from './reader-options.js';
import type { RevocationReason } from './revocations.js';
import { signedOut, type TokenSession, tokenSession } from './session.js';

/** The keys of the service could not be fetched. Respond with status 503, and keep the cookie if there is one. */
export interface KeysUnavailableResult {
  readonly status: 'retry_later';
  readonly session: null;
  readonly reason: 'keys_unavailable';
  /** Milliseconds to wait before another request. */
  readonly retryAfterMs: number;
  /** The error, for your logs. */
  readonly cause: unknown;
}

/** Result of `verifyAccessToken`. */
export type TokenResult =
  | {
      /** The token is valid. */
      readonly status: 'active';
      readonly session: TokenSession;
    }
  | {
      /** The token is not valid. */
      readonly status: 'signed_out';
      readonly session: null;
      readonly reason: TokenSignedOutReason;
    }
  | KeysUnavailableResult;

/** Why an access token is not valid. */
export type TokenSignedOutReason =
  /** No token was passed. */
  | 'no_token'
  /** It has expired: the client must get a new one. */
  | 'expired'
  /** It is not an access token of the service. */
  | 'invalid_token'
  | RevocationReason
  | Exclude<TokenRefusal, 'malformed' | 'forged'>;

/** Verifies access tokens without a cookie. */
export interface TokenVerifier {
  /**
   * Verify an access token, for requests without a cookie: single-page and mobile applications send `Authorization: Bearer …`.
   * The checks are the same as for a token in a cookie. Machine tokens are refused, because they have no session. Never throws
   * because of the token. In a route, `requireSession` with `bearer` calls this for you.
   */
  verifyAccessToken(token: string | null | undefined): Promise<TokenResult>;
  /**
   * Check whether the user authenticated within the last `maxAgeMs` milliseconds. Call this before sensitive actions, in case the
   * user left the browser unattended. For a whole route, use `maxAgeMs` of `requireSession`. Returns `false` if the service does
   * not report the time, or reports one in the future.
   */
  isRecent(session: Pick<TokenSession, 'authenticatedAtMs'>, maxAgeMs: number): boolean;
}

/**
 * Create a verifier of access tokens for an API without cookies, as for mobile and single-page applications. It needs no password.
 * `requireSession` accepts it in place of sessions.
 *
 * @throws {ConfigurationError} An option is missing or wrong.
 * @example
 * const tokens = createTokenVerifier({ clientId, baseUrl });
 * export default { fetch: requireSession(tokens, (request, { userId }) => Response.json({ userId })) };
 */
export function createTokenVerifier(options: TokenOptions = {}): TokenVerifier {
  checkNames('createTokenVerifier', options, tokenOptionNames);
  const verifier = forService(options, () => tokenVerifier(tokenSettings(options)));
  return {
    verifyAccessToken: (token) => verifier().verifyAccessToken(token),
    isRecent: (session, maxAgeMs) => verifier().isRecent(session, maxAgeMs),
  };
}

/** Return the result for a token whose claims must not be used. */
export function refusedToken(token: Exclude<VerifiedToken, { readonly claims: unknown }>) {
  if (token.status === 'retry_later') return { ...token, session: null };
  return signedOut(token.reason === 'malformed' || token.reason === 'forged' ? 'invalid_token' : token.reason);
}

/** Create a verifier from checked options. */
export function tokenVerifier(settings: TokenSettings): TokenVerifier {
  const { keys, clockToleranceMs, now, revocations, report } = settings;
  const cache = settings.cache?.<TokenResult>(settings);

  const bearer = async (text: string | null | undefined): Promise<TokenResult> => {
    if (!text) return signedOut('no_token');
    const remembered = cache?.find(text, now());
    if (remembered) return remembered;
    const { generation } = keys;
    const token = await verifyAccessToken(text, keys, settings);
    // The result names every other reason.
    report(token.status === 'retry_later' ? token : {});
    if (!('claims' in token)) return refusedToken(token);
    const session = tokenSession(token.claims);
    const revoked = revocations.find(session);
    if (revoked || token.status === 'expired') return signedOut(revoked?.reason ?? 'expired');
    const result = { status: 'active', session } as const;
    cache?.keep(text, result, generation, now(), session.expiresAtMs + clockToleranceMs);
    return result;
  };

  return {
    verifyAccessToken: bearer,
    isRecent({ authenticatedAtMs }, maxAgeMs) {
      if (authenticatedAtMs === null) return false;
      const ageMs = now() - authenticatedAtMs;
      // Refuse a time in the future, like a token issued in the future.
      // The text of a number would be joined with the tolerance.
      return ageMs >= -clockToleranceMs && ageMs <= Number(maxAgeMs) + clockToleranceMs;
    },
  };
}
