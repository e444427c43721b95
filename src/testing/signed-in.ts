import type { UnattendedSession, UnattendedSignIn } from '../emulator/index.js';
import {
  type CookieOptions,
  cookiesOf,
  createSessions,
  type SessionsOptions,
  type SetCookie,
} from '../session/index.js';

/** Options for sealing sessions. Use the values that the application under test passes to `createSessions`. */
export interface SealingOptions {
  /** The `cookiePassword` option of the application's `createSessions`. Default: `SALLYPORT_COOKIE_PASSWORD` of the world's `env`. */
  readonly cookiePassword?: SessionsOptions['cookiePassword'];
  /** The `cookie` option of the application's `createSessions`. */
  readonly cookie?: CookieOptions | undefined;
  /** The `dialect` option of the application's `createSessions`. */
  readonly dialect?: SessionsOptions['dialect'];
}

/** Options for signing a user in without a browser, and for sealing the session. */
export interface SignInAsOptions extends UnattendedSignIn, SealingOptions {}

/** A `storageState` for Playwright. */
export interface StorageState {
  readonly cookies: StoredCookie[];
  readonly origins: never[];
}

/** A cookie for Playwright's `storageState` or `context.addCookies`. */
export interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
}

/** A user who has signed in without a browser: the tokens, and the session as cookies and headers. */
export interface SignedIn extends UnattendedSession {
  /** The session cookie that the application would set. A large session is split into several cookies. */
  readonly cookies: readonly SetCookie[];
  /** The `Cookie` header for requests to the application. */
  readonly headers: { readonly cookie: string };
  /** The `Authorization` header for applications that accept access tokens. */
  readonly bearer: { readonly authorization: string };
  /** Create a `storageState` for Playwright that is signed in to the application at this URL. */
  storageState(applicationUrl: string | URL): StorageState;
}

/** Options and credentials for sealing a session. */
interface Sealing extends SealingOptions, Required<Pick<SessionsOptions, 'apiKey' | 'clientId' | 'baseUrl'>> {
  readonly redirectUri: string;
}

/** Seal the session of a signed-in user with `createSessions`. */
export async function signedIn(
  session: UnattendedSession,
  { cookiePassword, cookie, dialect, ...credentials }: Sealing,
): Promise<SignedIn> {
  const sessions = createSessions({ ...credentials, cookiePassword, cookie, dialect });
  const headers = new Headers();
  for (const line of await sessions.create(session)) headers.append('set-cookie', line);
  // Skip the lines that delete unused chunks and other names of the cookie.
  const cookies = cookiesOf(headers).filter(({ value }) => value !== '');
  return {
    ...session,
    cookies,
    headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
    bearer: { authorization: `Bearer ${session.accessToken}` },
    storageState: (applicationUrl) => ({
      cookies: cookies.map((one) => storedCookie(one, new URL(applicationUrl).hostname)),
      origins: [],
    }),
  };
}

const sameSites = { lax: 'Lax', strict: 'Strict', none: 'None' } as const;

function storedCookie({ name, value, attributes }: SetCookie, host: string): StoredCookie {
  const { path, domain, maxAge, sameSite = 'lax', secure, httpOnly } = attributes;
  return {
    name,
    value,
    // In a `storageState`, a leading dot includes subdomains.
    domain: domain === undefined ? host : `.${domain.replace(/^\./, '')}`,
    path,
    // Browsers use real time, not the world's clock. A cookie that ends with the browser has -1.
    expires: maxAge === undefined ? -1 : Math.floor(Date.now() / 1_000) + maxAge,
    httpOnly,
    secure,
    sameSite: sameSites[sameSite],
  };
}
