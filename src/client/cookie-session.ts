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
 * A session as its cookie holds it. Made by `userManagement.loadSealedSession`; after a refresh it goes on with the new
 * cookie. Printing it shows neither.
 */
export class CookieSession {
  readonly #service: SessionService;
  #options: SealedSessionOptions;

  constructor(service: SessionService, options: SealedSessionOptions) {
    this.#service = service;
    this.#options = options;
  }

  /**
   * Who is signed in, or why nobody is. Nothing is sent, except that the service's keys are fetched where they are not at
   * hand. An access token that has merely expired has the reason `expired`, not `invalid_jwt`: refresh then.
   *
   * @throws {ConfigurationError} The cookie password is missing or shorter than 32 characters.
   */
  async authenticate(): Promise<AuthenticatedSession | UnauthenticatedSession> {
    const { authenticate } = await load();
    return authenticate(this.#service, this.#options);
  }

  /**
   * The session with new tokens and the new value for its cookie. However many ask at the same time, in this process and in
   * others, the refresh token is used once. A failure with `retryable` says nothing about the session: keep the cookie.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {ConfigurationError} A cookie password is missing or shorter than 32 characters.
   * @throws {UnauthorizedError} The API key is wrong.
   */
  async refresh(options: SessionRefreshOptions = {}): Promise<RefreshedSession | UnrefreshedSession> {
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
   * Address to send the user's browser to for ending the session; works with an expired one too. Nothing is sent.
   *
   * Specification: Endpoints > Authorization URL and sign-in flows.
   *
   * @throws {ConfigurationError} The cookie password is missing or shorter than 32 characters.
   * @throws {InvalidArgumentError} The cookie holds no session.
   */
  async getLogoutUrl({ returnTo }: SessionLogoutOptions = {}): Promise<string> {
    const { sessionIdOf } = await load();
    const sessionId = await sessionIdOf(this.#options);
    return this.#service.logoutUrl({ sessionId, ...(returnTo !== undefined && { returnTo }) });
  }
}
