import type { Fetch } from '../http/fetch.js';
import type { LogoutRequest } from '../service/addresses.js';
import type { AuthenticateWithRefreshToken, AuthenticationResponse } from '../service/authentication.js';
import type { Dialect } from '../service/describe/dialect.js';
import type { Call } from '../transport/answer/call.js';
import type { RequestOptions } from '../transport/request/options.js';

/** The parts of the client that a session uses. */
export interface SessionService {
  readonly clientId: string;
  readonly baseUrl: string;
  readonly dialect: Dialect;
  /** URL of the keys that verify access tokens. */
  readonly jwksUrl: string;
  /** Function that fetches the keys; undefined for the global `fetch`. */
  readonly fetch: Fetch | undefined;
  readonly refresh: (payload: AuthenticateWithRefreshToken, options: RequestOptions) => Call<AuthenticationResponse>;
  readonly logoutUrl: (request: LogoutRequest) => string;
}
