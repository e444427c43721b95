import { checkArgumentNames } from '../errors/known-options.js';
import type {
  AuthenticatedSession,
  RefreshedSession,
  SealedSessionOptions,
  SessionLogoutOptions,
  SessionRefreshOptions,
  UnauthenticatedSession,
  UnrefreshedSession,
} from './session-results.js';
import type { SessionService } from './session-service.js';

/** What opens and checks sessions: loaded at first use, because most programs that import the client have no cookie. */
const load = () => import('./opened-session.js');

/**
 * A session as its cookie holds it, from `userManagement.loadSealedSession`. After a refresh it continues with the
 * new cookie. Printing it shows neither.
 */
export class CookieSession {
  readonly #service: SessionService;
  #options: SealedSessionOptions;

  constructor(service: SessionService, options: SealedSessionOptions) {
    this.#service = service;
    this.#options = options;
  }

  /**
   * Find out who is signed in, or why nobody is. The only request this may send fetches the service's keys. If the
   * access token has expired, the reason is `expired`: call `refresh()`.
   *
   * @throws {ConfigurationError} The cookie password is missing or shorter than 32 characters.
   */
  async authenticate(): Promise<AuthenticatedSession | UnauthenticatedSession> {
    const { authenticate } = await load();
    return authenticate(this.#service, this.#options);
  }

  /**
   * Refresh the session: get new tokens and the new value for its cookie. However many callers refresh at the same
   * time, in this process and in others, the refresh token is used once. After a failure with `retryable`, keep the
   * cookie: the session may still be good.
   *
   * @throws {ConfigurationError} A cookie password is missing or shorter than 32 characters.
   * @throws {BadRequestError} The service refuses this application: the API key or the client id is wrong.
   */
  async refresh(options: SessionRefreshOptions = {}): Promise<RefreshedSession | UnrefreshedSession> {
    checkArgumentNames('refresh', options, { cookiePassword: 1, organizationId: 1 });
    const { refresh } = await load();
    const result = await refresh(this.#service, this.#options, options);
    if (result.authenticated)
      this.#options = {
        ...this.#options,
        sessionData: result.sealedSession,
        ...(options.cookiePassword && { cookiePassword: options.cookiePassword }),
      };
    return result;
  }

  /**
   * Build the address that ends the session; send the user's browser there. It works with an expired session too.
   * This sends no request.
   *
   * @throws {ConfigurationError} The cookie password is missing or shorter than 32 characters.
   * @throws {InvalidArgumentError} The cookie holds no session.
   */
  async getLogoutUrl(options: SessionLogoutOptions = {}): Promise<string> {
    checkArgumentNames('getLogoutUrl', options, { returnTo: 1 });
    const { returnTo } = options;
    const { sessionIdOf } = await load();
    const sessionId = await sessionIdOf(this.#options);
    return this.#service.logoutUrl({ sessionId, ...(returnTo !== undefined && { returnTo }) });
  }
}
