import { oneAtATime } from '../async/one-at-a-time.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { isText, parsedJson, textIn } from '../http/json.js';
import { accessTokenHeader } from '../oauth/access-token-header.js';
import { BrowserError, isError } from './browser-error.js';
import { pauseMs } from './failure.js';

/** An access token in memory. Its times are by the clock of this device. */
interface HeldToken {
  readonly accessToken: string;
  readonly expiresAt: number;
  /** When to get a new one: slightly earlier, so that it does not expire on the way to a server. */
  readonly renewAt: number;
}

/** A token is renewed at most this long before it expires. */
const marginMs = 30_000;

/** Keeps the access token of a session that the server of this page holds. */
export class ServerTokens {
  readonly #route: string;
  readonly #requests = {
    current: oneAtATime(() => this.#request('current')),
    new: oneAtATime(() => this.#request('new')),
  };
  #held: HeldToken | undefined;
  /** Called when the server says that no user is signed in. */
  onSignedOut = (): void => {};

  constructor(route: string) {
    this.#route = route;
  }

  /** Forget the token, because the session may be another one. */
  forget(): void {
    this.#held = undefined;
  }

  /** Implement `ServerSession.getAccessToken`. @throws {BrowserError} */
  readonly getAccessToken = async (options: { readonly forceRefresh?: boolean | undefined } = {}): Promise<string> => {
    checkArgumentNames('getAccessToken', options, { forceRefresh: 1 });
    if (options.forceRefresh) return (await this.#requests.new()).accessToken;
    const held = this.#held;
    if (held && Date.now() < held.renewAt) return held.accessToken;
    try {
      return (await this.#requests.current()).accessToken;
    } catch (error) {
      // The early renewal failed, but the token has not expired.
      if (held && held === this.#held && Date.now() < held.expiresAt && isError(error, 'retry_later'))
        return held.accessToken;
      throw error;
    }
  };

  async #request(kind: 'current' | 'new'): Promise<HeldToken> {
    const before = this.#held;
    const headers = { accept: 'application/json', [accessTokenHeader]: kind };
    const response = await fetch(this.#route, { method: 'POST', headers, cache: 'no-store' }).catch(
      (cause: unknown) => {
        throw this.#retryLater('network_error', 'The network is down', undefined, cause);
      },
    );
    const content = Object(parsedJson(await response.text().catch(() => '')));
    const { accessToken, expiresAtMs, error } = content;
    if (!response.ok || !isText(accessToken) || typeof expiresAtMs !== 'number')
      throw this.#refusal(response, textIn(error) ?? 'forbidden');
    // The clock of this device may be wrong by hours, so compare with the clock of the server.
    const remainingMs = expiresAtMs - (Date.parse(response.headers.get('date') ?? '') || Date.now());
    const expiresAt = Date.now() + remainingMs;
    const held = { accessToken, expiresAt, renewAt: expiresAt - Math.min(marginMs, remainingMs / 4) };
    // In the meantime, the session may have changed.
    if (this.#held === before) this.#held = held;
    return held;
  }

  #refusal({ status, headers }: Response, reason: string): BrowserError {
    if (status === 401) {
      this.forget();
      this.onSignedOut();
      return new BrowserError('signed_out', {
        what: 'No user is signed in',
        next: 'Redirect the user to the sign-in route of your server',
        reason: 'no_session',
      });
    }
    if (status === 403)
      return new BrowserError('refused', {
        what: `${this.#route} does not give this page the access token`,
        why: reason,
        next:
          reason === 'impersonated'
            ? 'To allow impersonators, set impersonators in routes.accessToken of your server'
            : 'Check that the page and the route have the same origin',
        reason: reason === 'impersonated' ? reason : 'forbidden',
      });
    const seconds = Number(headers.get('retry-after'));
    return status === 503
      ? this.#retryLater('service_unavailable', reason, seconds * 1_000)
      : this.#retryLater('unexpected_answer', `It answered with status ${status} and without a token`);
  }

  #retryLater(
    reason: 'network_error' | 'service_unavailable' | 'unexpected_answer',
    why: string,
    retryAfterMs?: number,
    cause?: unknown,
  ): BrowserError {
    const explanation = {
      what: `The access token could not be requested from ${this.#route}`,
      why,
      next: 'Try again later; the session continues. If it never works, check routes.accessToken of your server',
      reason,
      retryAfterMs: retryAfterMs || pauseMs,
    };
    return new BrowserError('retry_later', explanation, { cause });
  }
}
