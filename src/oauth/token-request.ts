import type { AuthenticateWithCode, AuthenticateWithRefreshToken } from '../service/authentication.js';
import { wireName } from './reader.js';

/** A field that may also be given as undefined. */
type Given<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** What tokens are asked for: a code, or a refresh token. */
export type Grant =
  | ({ readonly grantType: 'authorization_code' } & Given<Pick<AuthenticateWithCode, 'code' | 'codeVerifier'>> &
      Partial<Given<Pick<AuthenticateWithCode, 'pendingAuthenticationToken'>>>)
  | ({ readonly grantType: 'refresh_token' } & Given<
      Pick<AuthenticateWithRefreshToken, 'refreshToken' | 'organizationId'>
    >);

/** Who asks, and where. */
export interface TokenClient {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** A public client has none. */
  readonly apiKey?: string | undefined;
}

/** A request for tokens, as `fetch` takes it. */
export interface TokenRequest {
  readonly url: string;
  readonly init: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/**
 * The request for tokens. It is letter by letter the same for everyone who asks for the same, so that an idempotency key
 * meets the same request.
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
