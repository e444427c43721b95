import { macOf } from '#crypto/mac';
import type { MaybePromise } from '../../crypto/maybe-promise.js';

/**
 * Derive the idempotency key of a refresh. Replicas with the same cookie and password derive the same key, so that parallel
 * refreshes, and retries after a lost response, get the same new tokens. A stolen refresh token is not enough to derive it.
 *
 * @param secret The cookie password that opened the seal. It is the same in all replicas, even during a password rotation.
 * @param organization Empty to stay in the current organization, `*` to switch to another one. It is not the id of the other
 * organization, because a refresh after the switch must derive the same key without knowing the id.
 * @param accessToken The access token sealed with the refresh token. Without it, a service that does not rotate refresh tokens
 * would get the same key forever and repeat its first response. Omit it for a key that only identifies the refresh token.
 */
export const refreshKey = (
  secret: string,
  refreshToken: string,
  organization: '' | '*',
  accessToken = '',
): MaybePromise<string> =>
  macOf(secret, JSON.stringify(['sallyport refresh', refreshToken, organization, accessToken]));

/** Derive the idempotency key for a code, so that reloading the page does not spend the code twice. */
export const codeKey = (secret: string, code: string, codeVerifier: string): MaybePromise<string> =>
  macOf(secret, JSON.stringify(['sallyport code', code, codeVerifier]));
