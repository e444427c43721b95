import type { PasswordRing } from '../crypto/passwords.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import type { CookieSettings } from './cookies.js';
import type { ReadResult } from './reader.js';
import type { GrantOutcome } from './service.js';

/** What signing in and out needs: the checked options of `createSessions`, and what it does with tokens. */
export interface SignInKit {
  readonly clientId: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Where users come back to, unless `startSignIn` is told otherwise. */
  readonly redirectUri: string | undefined;
  /** `provider` that opens the hosted sign-in page. */
  readonly hostedProvider: string;
  /** Query parameter that selects an organization. */
  readonly organizationParam: string;
  readonly ring: PasswordRing;
  /** The session's cookie. */
  readonly cookie: CookieSettings;
  /** Milliseconds since 1970. */
  now(): number;
  /** Who is signed in by a `Cookie` header. */
  read(cookies: string | undefined): Promise<ReadResult>;
  /** The service's answer to a code; the same one however often a page is loaded. */
  redeem(code: string, codeVerifier: string, pendingAuthenticationToken: string | undefined): Promise<GrantOutcome>;
  /** Checks new tokens as if they had come with a request. */
  check(tokens: AuthenticationResponse): Promise<ReadResult>;
  /** The `Set-Cookie` values of a new session, where the browser has these cookies. */
  write(tokens: AuthenticationResponse, cookies: string): Promise<readonly string[]>;
}
