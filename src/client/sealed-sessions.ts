import type { Password } from '../crypto/passwords.js';
import { checkArgumentNames, type OptionNames } from '../errors/known-options.js';
import { orEmpty } from '../transport/namespace.js';
import { CookieSession } from './cookie-session.js';
import type { SealedSessionOptions } from './session-results.js';
import { Sessions } from './sessions.js';

/** What `sealData` takes besides the data. */
export interface SealOptions {
  /** Password to seal with, 32 characters or more. */
  readonly password: Password;
  /** Seconds after which the seal no longer opens; never, when left out. */
  readonly ttl?: number | undefined;
}

/** What `unsealData` takes besides the seal. */
export interface UnsealOptions {
  /** Password it was sealed with, or a list of which one will do. */
  readonly password: Password;
}

const sessionOptionNames: OptionNames<SealedSessionOptions> = {
  sessionData: 1,
  cookiePassword: 1,
  keys: 1,
  issuer: 1,
  audience: 1,
  clockToleranceSec: 1,
  maxTokenLifetimeSec: 1,
  now: 1,
};

/** The methods of `userManagement` for sessions in cookies, and all above. */
export abstract class SealedSessions extends Sessions {
  /**
   * Load the session that a cookie holds, to find out who is signed in, to refresh it and to sign out. This opens
   * nothing and sends nothing. In middleware use `createSessions` of `sallyport/session`, which does all of that and
   * sets the cookies too.
   *
   * @example
   * const session = sallyport.userManagement.loadSealedSession({ sessionData, cookiePassword });
   * const result = await session.authenticate();
   * if (result.authenticated) console.log(result.user.email);
   * else if (result.reason === 'expired') await session.refresh();
   */
  loadSealedSession(options: SealedSessionOptions): CookieSession {
    const { transport } = this;
    checkArgumentNames('loadSealedSession', options, sessionOptionNames);
    return new CookieSession(
      {
        clientId: transport.clientId ?? '',
        baseUrl: transport.baseUrl,
        jwksUrl: this.getJwksUrl(),
        fetch: transport.fetch,
        refresh: (payload, how) => this.authenticateWithRefreshToken(payload, how),
        logoutUrl: (request) => this.getLogoutUrl(request),
      },
      orEmpty(options),
    );
  }

  /**
   * Seal data into text that only a holder of the password can read or change, in the format that other packages for
   * the service use for sessions (Iron). The text is safe in a cookie as it is.
   *
   * @throws {ConfigurationError} The password is missing or shorter than 32 characters.
   * @throws {InvalidArgumentError} The data cannot be written as JSON.
   */
  async sealData(data: unknown, options: SealOptions): Promise<string> {
    const { sealerFor } = await import('./seals.js');
    checkArgumentNames('sealData', options, { password: 1, ttl: 1 });
    const { password, ttl } = orEmpty(options);
    return sealerFor(password)(data, ttl);
  }

  /**
   * Open a seal. The result is undefined if the seal was changed, made with another password, or has expired.
   *
   * @throws {ConfigurationError} The password is missing or shorter than 32 characters.
   */
  async unsealData(sealed: string, options: UnsealOptions): Promise<unknown> {
    checkArgumentNames('unsealData', options, { password: 1 });
    const { opened } = await import('./seals.js');
    return opened(sealed, orEmpty(options).password);
  }
}
