import type { LogoutRequest } from '../service/addresses.js';
import type { AuthenticateWithRefreshToken, AuthenticationResponse } from '../service/authentication.js';
import type { Call } from '../transport/call.js';
import type { RequestOptions } from '../transport/options.js';

/** What a session asks of the client that loaded it. */
export interface SessionService {
  readonly clientId: string;
  readonly baseUrl: string;
  /** Address of the keys that sign access tokens. */
  readonly jwksUrl: string;
  /** Fetches the keys; undefined for the global `fetch`. */
  readonly fetch: typeof fetch | undefined;
  readonly refresh: (payload: AuthenticateWithRefreshToken, options: RequestOptions) => Call<AuthenticationResponse>;
  readonly logoutUrl: (request: LogoutRequest) => string;
}
