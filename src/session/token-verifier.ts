import { type TokenRefusal, type VerifiedToken, verifyAccessToken } from '../crypto/access-token.js';
import type { KeysUnavailable } from '../crypto/key-set.js';
import { type Soon, whenThere } from '../crypto/soon.js';
import { checkReaderOptions, type TokenOptions, type TokenSettings, tokenSettings } from './reader-options.js';
import type { RevocationReason } from './revocations.js';
import { type TokenSession, tokenSession } from './session.js';
import { signedOut } from './signed-out.js';

/** Not known: the service's keys could not be fetched. Answer with status 503; a cookie stays. */
export interface KeysUnavailableResult {
  readonly status: 'retry_later';
  readonly session: null;
  readonly reason: 'keys_unavailable';
  /** Milliseconds after which another request is worth it. */
  readonly retryAfterMs: number;
  /** What went wrong, for your logs. */
  readonly cause: unknown;
}

/** What verifying an access token gives. */
export type TokenResult =
  | {
      /** The token is good: its user is signed in. */
      readonly status: 'active';
      readonly session: TokenSession;
    }
  | {
      /** The token signs nobody in. */
      readonly status: 'signed_out';
      readonly session: null;
      readonly reason: TokenSignedOutReason;
    }
  | KeysUnavailableResult;

/** Why an access token signs nobody in. */
export type TokenSignedOutReason =
  /** There is none. */
  | 'no_token'
  /** Whoever sends it has to get the next one. */
  | 'expired'
  /** It is not an access token of the service. */
  | 'invalid_token'
  | RevocationReason
  | Exclude<TokenRefusal, 'malformed' | 'forged'>;

/** Verifies access tokens without a cookie. */
export interface TokenVerifier {
  /**
   * Find out whose access token this is, for requests without a cookie: single-page and mobile applications send
   * `Authorization: Bearer …`. The checks are those of a token in a cookie, so tokens of machines, which have no session, are
   * refused. Any text is safe to pass.
   */
  verifyAccessToken(token: string | null | undefined): Promise<TokenResult>;
  /**
   * Whether the user proved who they are within the last `maxAgeSec` seconds. Ask before actions that must not happen in a
   * session that was left open. `false` if the service does not say when, or names a time in the future.
   */
  isRecent(session: Pick<TokenSession, 'authenticatedAt'>, maxAgeSec: number): boolean;
}

/**
 * Create a verifier of access tokens for an API without cookies, for mobile and single-page applications. It needs no password, and
 * `requireSession` takes it in place of sessions.
 *
 * @throws {ConfigurationError} An option is missing or wrong.
 * @example
 * const tokens = createTokenVerifier({ clientId, baseUrl });
 * export default { fetch: requireSession(tokens, {}, (request, { userId }) => Response.json({ userId })) };
 */
export function createTokenVerifier(options: TokenOptions = {}): TokenVerifier {
  checkReaderOptions('createTokenVerifier', options);
  return tokenVerifier(tokenSettings(options)).verifier;
}

/** What a token says, or what comes of one that says nothing. */
export type TokenContent =
  | Exclude<VerifiedToken, { readonly ok: false; readonly reason: TokenRefusal } | KeysUnavailable>
  | ReturnType<typeof signedOut<Exclude<TokenSignedOutReason, 'no_token' | 'expired' | RevocationReason>>>
  | KeysUnavailableResult;

/** Verifies access tokens by checked options: for users, and what a cookie holds. */
export function tokenVerifier(settings: TokenSettings) {
  const { keys, clockToleranceSec, now, revocations } = settings;
  const cache = settings.cache?.<TokenResult>(settings);

  /** What a token says, or what comes of one that says nothing. */
  const verified = (token: string): Soon<TokenContent> =>
    whenThere(verifyAccessToken(token, keys, settings), (result) => {
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
    if ('status' in token) return token;
    const session = tokenSession(token.claims);
    const revoked = revocations?.find(session);
    if (revoked || !token.ok) return signedOut(revoked?.reason ?? 'expired');
    const result = { status: 'active', session } as const;
    cache?.keep(text, result, generation, now(), session.expiresAt + clockToleranceSec * 1000);
    return result;
  };

  const verifier: TokenVerifier = {
    verifyAccessToken: bearer,
    isRecent({ authenticatedAt }, maxAgeSec) {
      if (authenticatedAt === null) return false;
      const ageSec = (now() - authenticatedAt) / 1000;
      // A time in the future proves nothing. It is refused like a token that was issued in the future.
      return ageSec >= -clockToleranceSec && ageSec <= maxAgeSec + clockToleranceSec;
    },
  };
  return { verified, verifier };
}
