import { type TokenRefusal, type VerifiedToken, verifyAccessToken } from '../../crypto/access-token.js';
import type { KeysUnavailable } from '../../crypto/key-set.js';
import { andThen, type MaybePromise } from '../../crypto/maybe-promise.js';
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
  const verifier = forService(options, () => tokenVerifier(tokenSettings(options)).verifier);
  return {
    verifyAccessToken: (token) => verifier().verifyAccessToken(token),
    isRecent: (session, maxAgeMs) => verifier().isRecent(session, maxAgeMs),
  };
}

/** The claims of a valid or expired token, or the result for any other token. */
export type TokenContent =
  | Exclude<VerifiedToken, { readonly ok: false; readonly reason: TokenRefusal } | KeysUnavailable>
  | ReturnType<typeof signedOut<Exclude<TokenSignedOutReason, 'no_token' | 'expired' | RevocationReason>>>
  | KeysUnavailableResult;

/** Create a verifier from checked options: `verifier` for users, `verified` for the tokens in cookies. */
export function tokenVerifier(settings: TokenSettings) {
  const { keys, clockToleranceMs, now, revocations, report } = settings;
  const cache = settings.cache?.<TokenResult>(settings);

  const verified = (token: string): MaybePromise<TokenContent> =>
    andThen(verifyAccessToken(token, keys, settings), (result) => {
      if (result.ok || result.reason === 'expired') return result;
      const { reason } = result;
      if (reason !== 'keys_unavailable')
        return signedOut(reason === 'malformed' || reason === 'forged' ? 'invalid_token' : reason);
      const { retryAfterMs, cause } = result;
      return { status: 'retry_later', session: null, reason, retryAfterMs, cause };
    });

  const bearer = async (text: string | null | undefined): Promise<TokenResult> => {
    if (!text) return signedOut('no_token');
    const remembered = cache?.find(text, now());
    if (remembered) return remembered;
    const { generation } = keys;
    const token = await verified(text);
    const isMissing = 'status' in token && token.status === 'retry_later';
    // The result names every other reason.
    report(isMissing ? token : {});
    if ('status' in token) return token;
    const session = tokenSession(token.claims);
    const revoked = revocations.find(session);
    if (revoked || !token.ok) return signedOut(revoked?.reason ?? 'expired');
    const result = { status: 'active', session } as const;
    cache?.keep(text, result, generation, now(), session.expiresAtMs + clockToleranceMs);
    return result;
  };

  const verifier: TokenVerifier = {
    verifyAccessToken: bearer,
    isRecent({ authenticatedAtMs }, maxAgeMs) {
      if (authenticatedAtMs === null) return false;
      const ageMs = now() - authenticatedAtMs;
      // Refuse a time in the future, like a token issued in the future.
      // The text of a number would be joined with the tolerance.
      return ageMs >= -clockToleranceMs && ageMs <= Number(maxAgeMs) + clockToleranceMs;
    },
  };
  return { verified, verifier };
}
