import { checkArgumentNames } from '../errors/known-options.js';
import type {
  AuthenticatedSession,
  RefreshedSession,
  SealedSessionOptions,
  SessionLogoutOptions,
  SessionRefreshOptions,
  SessionService,
  UnauthenticatedSession,
  UnrefreshedSession,
} from './opened-session.js';

/** Load the code that opens and checks sessions on first use: it is large, and most programs read no cookies. */
const load = () => import('./opened-session.js');

/**
 * A session from a cookie, created by `userManagement.loadSealedSession`. After a refresh it uses the new cookie.
 * Printing it reveals neither the cookie nor the password.
 */
export class CookieSession {
  readonly #service: SessionService;
  #options: SealedSessionOptions;

  constructor(service: SessionService, options: SealedSessionOptions) {
    this.#service = service;
    this.#options = options;
  }

  /**
   * Return the signed-in user, or the reason why there is none. Sends no request, except to fetch the service's keys. If the
   * reason is `expired`, call `refresh()`.
   *
   * @throws {ConfigurationError} The cookie password is missing or shorter than 32 characters.
   */
  async authenticate(): Promise<AuthenticatedSession | UnauthenticatedSession> {
    const { authenticate } = await load();
    return authenticate(this.#service, this.#options);
  }

  /**
   * Refresh the session: get new tokens and a new cookie value. Concurrent refreshes of a session, in this process or
   * in others, use the refresh token only once. If a failure is `retryable`, keep the cookie: the session may still be
   * valid.
   *
   * @throws {ConfigurationError} A cookie password is missing or shorter than 32 characters.
   * @throws {BadRequestError} The service rejects this application: the API key or the client id is wrong.
   */
  async refresh(options: SessionRefreshOptions = {}): Promise<RefreshedSession | UnrefreshedSession> {
    checkArgumentNames('refresh', options, { cookiePassword: 1, organizationId: 1 });
    const { refreshSession } = await load();
    const result = await refreshSession(this.#service, this.#options, options);
    if (result.authenticated)
      this.#options = {
        ...this.#options,
        sessionData: result.sealedSession,
        ...(options.cookiePassword && { cookiePassword: options.cookiePassword }),
      };
    return result;
  }

  /**
   * Build the URL that ends the session, to redirect the user's browser to. It also works with an expired session. This
   * sends no request.
   *
   * @throws {ConfigurationError} The cookie password is missing or shorter than 32 characters.
   * @throws {InvalidArgumentError} The cookie does not contain a session.
   */
  async getLogoutUrl({ returnTo }: SessionLogoutOptions = {}): Promise<string> {
    const { sessionIdOf } = await load();
    const sessionId = await sessionIdOf(this.#service, this.#options);
    return this.#service.logoutUrl({ sessionId, ...(returnTo !== undefined && { returnTo }) });
  }
}
