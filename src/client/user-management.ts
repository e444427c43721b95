import type { Password } from '../crypto/seal.js';
import { checkArgumentNames, type OptionNames } from '../errors/known-options.js';
import { orEmpty } from '../transport/namespace.js';
import { CookieSession } from './cookie-session.js';
import type { SealedSessionOptions } from './opened-session.js';
import { Sessions } from './sessions.js';

/** Options of `sealData`. */
export interface SealOptions {
  /** Password that seals the data, at least 32 characters. */
  readonly password: Password;
  /** Lifetime of the seal in seconds; default: unlimited. */
  readonly ttl?: number | undefined;
}

/** Options of `unsealData`. */
export interface UnsealOptions {
  /** Password that sealed the data, or a list that contains it. */
  readonly password: Password;
}

// Loaded on demand: few programs seal data.
const seals = () => import('./seals.js');

const sessionOptionNames: OptionNames<SealedSessionOptions> = {
  sessionData: 1,
  cookiePassword: 1,
  keys: 1,
  issuer: 1,
  audience: 1,
  clockToleranceMs: 1,
  maxTokenLifetimeMs: 1,
  now: 1,
};

/** Users, memberships, invitations, sign-in and sessions. */
export class UserManagement extends Sessions {
  /**
   * Load the session of a cookie, to authenticate the user, refresh the session or sign out. This neither opens the
   * cookie nor sends a request. In middleware, use `createSessions` from `sallyport/session`, which does all of this
   * and sets the cookies.
   *
   * @example
   * const session = sallyport.userManagement.loadSealedSession({ sessionData, cookiePassword });
   * const result = await session.authenticate();
   * if (result.authenticated) console.log(result.user.email);
   * else if (result.reason === 'expired') await session.refresh();
   */
  loadSealedSession(options: SealedSessionOptions): CookieSession {
    const { config, fetch } = this.transport;
    checkArgumentNames('loadSealedSession', options, sessionOptionNames);
    return new CookieSession(
      {
        clientId: config.clientId ?? '',
        baseUrl: config.baseUrl,
        dialect: config.dialect,
        jwksUrl: this.getJwksUrl(),
        fetch,
        refresh: (payload, options) => this.authenticateWithRefreshToken(payload, options),
        logoutUrl: (request) => this.getLogoutUrl(request),
      },
      orEmpty(options),
    );
  }

  /**
   * Seal data into text that cannot be read or changed without the password, in the Iron format that other packages for
   * the service use for sessions. The text needs no encoding in a cookie.
   *
   * @throws {ConfigurationError} The password is missing or shorter than 32 characters.
   * @throws {InvalidArgumentError} The data cannot be serialized as JSON.
   */
  async sealData(data: unknown, options: SealOptions): Promise<string> {
    checkArgumentNames('sealData', options, { password: 1, ttl: 1 });
    const { sealData } = await seals();
    const { password, ttl } = orEmpty(options);
    return sealData(data, password, ttl);
  }

  /**
   * Open a seal. Returns undefined if the seal was changed, was made with another password, or has expired.
   *
   * @throws {ConfigurationError} The password is missing or shorter than 32 characters.
   */
  async unsealData(sealed: string, options: UnsealOptions): Promise<unknown> {
    checkArgumentNames('unsealData', options, { password: 1 });
    const { openSeal } = await seals();
    return openSeal(sealed, orEmpty(options).password);
  }
}
