import { macOf } from '#crypto/mac';
import type { Soon } from '../crypto/soon.js';

/**
 * The idempotency key of a refresh. Whoever has the same cookie and its password derives the same key, so that replicas
 * which refresh at the same time, and whoever repeats a request whose answer was lost, get the same new tokens. Who has
 * stolen a refresh token alone cannot derive it.
 *
 * @param secret The cookie password that opened the seal: the same one everywhere, also while passwords are exchanged.
 * @param organization Empty for a refresh in the present organization, `*` for a switch to another one. Not the other
 * one's id: a refresh that comes too late must be able to derive the key of the switch it lost to.
 * @param accessToken The one sealed beside the refresh token. A service that does not rotate refresh tokens would otherwise
 * be asked under the same key for ever, and repeat the first answer. Left out for what stands for the refresh token alone.
 */
export const refreshKey = (
  secret: string,
  refreshToken: string,
  organization: '' | '*',
  accessToken = '',
): Soon<string> => macOf(secret, JSON.stringify(['sallyport refresh', refreshToken, organization, accessToken]));

/** The idempotency key of redeeming a code, so that a page which is loaded twice does not spend the code twice. */
export const codeKey = (secret: string, code: string, codeVerifier: string): Soon<string> =>
  macOf(secret, JSON.stringify(['sallyport code', code, codeVerifier]));
