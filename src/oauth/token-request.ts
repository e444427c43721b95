import type { AuthenticateWithCode, AuthenticateWithRefreshToken } from '../service/authentication.js';
import { wireName } from './reader.js';

/** A field that may also be given as undefined. */
type Given<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** The grant of a token request: a code or a refresh token. */
export type Grant =
  | ({ readonly grantType: 'authorization_code' } & Given<Pick<AuthenticateWithCode, 'code' | 'codeVerifier'>> &
      Partial<Given<Pick<AuthenticateWithCode, 'pendingAuthenticationToken'>>>)
  | ({ readonly grantType: 'refresh_token' } & Given<
      Pick<AuthenticateWithRefreshToken, 'refreshToken' | 'organizationId'>
    >);

/** The client that requests tokens, and the service. */
export interface TokenClient {
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly apiKey?: string | undefined;
}

/** Arguments of `fetch` for a token request. */
export interface TokenRequest {
  readonly url: string;
  readonly init: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/**
 * Build a token request. Equal arguments give identical bytes, as an idempotency key requires.
 */
export function tokenRequest(
  { baseUrl, clientId, apiKey }: TokenClient,
  grant: Grant,
  idempotencyKey: string | undefined,
): TokenRequest {
  const fields = Object.entries(grant).map(([name, value]) => [wireName(name), value]);
  return {
    url: `${baseUrl}/user_management/authenticate`,
    init: {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ client_id: clientId, client_secret: apiKey, ...Object.fromEntries(fields) }),
    },
  };
}
