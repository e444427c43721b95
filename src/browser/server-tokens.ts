import { oneAtATime } from '../async/one-at-a-time.js';
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

/** The token of one session, and the requests for it that are under way. */
interface Holder {
  token?: HeldToken;
  readonly renew: Readonly<Record<'current' | 'new', () => Promise<HeldToken>>>;
}

/** Keeps the access token of a session that the server of this page holds. */
export class ServerTokens {
  readonly #route: string;
  #holder = this.#newHolder();
  /** Called when the server says that no user is signed in. */
  onSignedOut = (): void => {};

  constructor(route: string) {
    this.#route = route;
  }

  /** Forget the token, because the session may be another one. Requests that are under way no longer count. */
  forget(): void {
    this.#holder = this.#newHolder();
  }

  /** Implement `ServerSession.getAccessToken`. @throws {BrowserError} */
  readonly getAccessToken = async (options: { readonly forceRefresh?: boolean | undefined } = {}): Promise<string> => {
    const holder = this.#holder;
    if (options.forceRefresh) return (await holder.renew.new()).accessToken;
    const { token } = holder;
    if (token && Date.now() < token.renewAt) return token.accessToken;
    try {
      return (await holder.renew.current()).accessToken;
    } catch (error) {
      // The early renewal failed, but the token has not expired.
      if (token && Date.now() < token.expiresAt && isError(error, 'retry_later')) return token.accessToken;
      throw error;
    }
  };

  #newHolder(): Holder {
    const holder: Holder = {
      renew: {
        current: oneAtATime(() => this.#request(holder, 'current')),
        new: oneAtATime(() => this.#request(holder, 'new')),
      },
    };
    return holder;
  }

  async #request(holder: Holder, kind: 'current' | 'new'): Promise<HeldToken> {
    const headers = { accept: 'application/json', [accessTokenHeader]: kind };
    const response = await fetch(this.#route, { method: 'POST', headers, cache: 'no-store' }).catch(
      (cause: unknown) => {
        throw this.#retryLater('network_error', 'The network is down', undefined, cause);
      },
    );
    const { accessToken, expiresAtMs, error } = Object(parsedJson(await response.text().catch(() => '')));
    if (!response.ok || !isText(accessToken) || typeof expiresAtMs !== 'number') {
      if (response.status === 401 && holder === this.#holder) {
        this.forget();
        this.onSignedOut();
      }
      throw this.#refusal(response, textIn(error) ?? 'forbidden');
    }
    // The clock of this device may be wrong by hours, so compare with the clock of the server.
    const remainingMs = expiresAtMs - (Date.parse(response.headers.get('date') ?? '') || Date.now());
    const expiresAt = Date.now() + remainingMs;
    const token = { accessToken, expiresAt, renewAt: expiresAt - Math.min(marginMs, remainingMs / 4) };
    // A newer one may have arrived before this one.
    if (!holder.token || holder.token.expiresAt <= expiresAt) holder.token = token;
    return token;
  }

  #refusal({ status, headers }: Response, reason: string): BrowserError {
    if (status === 401)
      return new BrowserError('signed_out', {
        what: 'No user is signed in',
        next: 'Redirect the user to the sign-in route of your server',
        reason: 'no_session',
      });
    if (status === 403)
      return new BrowserError('refused', {
        what: `${this.#route} refused to return the access token`,
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
