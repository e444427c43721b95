import type { UnattendedSession, UnattendedSignIn } from '../emulator/index.js';
import {
  type CookieOptions,
  cookiesOf,
  createSessions,
  type SessionsOptions,
  type SetCookie,
} from '../session/index.js';

/** How the application under test seals its sessions: as it is in its `createSessions`. */
export interface SealingOptions {
  /** The `password` of the application's `createSessions`; `SALLYPORT_COOKIE_PASSWORD` of the world's `env` when not given. */
  readonly cookiePassword?: SessionsOptions['password'];
  /** The `cookie` of the application's `createSessions`. */
  readonly cookie?: CookieOptions | undefined;
  /** The `dialect` of the application's `createSessions`. */
  readonly dialect?: SessionsOptions['dialect'];
}

/** How a user signs in without a browser, and how the application seals the session. */
export interface SignInAsOptions extends UnattendedSignIn, SealingOptions {}

/** What Playwright takes for `storageState`. */
export interface StorageState {
  readonly cookies: StoredCookie[];
  readonly origins: never[];
}

/** A cookie as Playwright takes it, also for `context.addCookies`. */
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

/** A user who has signed in without a browser: the tokens, and the session as applications and browsers take it. */
export interface SignedIn extends UnattendedSession {
  /** The session's cookie as the application would have set it; several where one cannot hold it. */
  readonly cookies: readonly SetCookie[];
  /** A header for requests to the application with the session in its cookie. */
  readonly headers: { readonly cookie: string };
  /** A header for requests to an application that takes access tokens. */
  readonly bearer: { readonly authorization: string };
  /** What a browser holds that has signed in to the application at this address; for Playwright. */
  storageState(applicationUrl: string | URL): StorageState;
}

/** What the session of a user is sealed with. */
interface Sealing extends SealingOptions, Required<Pick<SessionsOptions, 'apiKey' | 'clientId' | 'baseUrl'>> {
  readonly redirectUri: string;
}

/** Seal the session of a user who has signed in, with the code of `createSessions`. */
export async function signedIn(
  session: UnattendedSession,
  { cookiePassword, cookie, dialect, ...credentials }: Sealing,
): Promise<SignedIn> {
  const sessions = createSessions({ ...credentials, password: cookiePassword, cookie, dialect });
  const headers = new Headers();
  for (const line of await sessions.create(session)) headers.append('set-cookie', line);
  // What clears other spellings of the cookie is for browsers that have them.
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
  const { path, domain, maxAge = 0, sameSite = 'lax', secure, httpOnly } = attributes;
  return {
    name,
    value,
    // A dot has a browser send the cookie to the hosts below, too.
    domain: domain === undefined ? host : `.${domain.replace(/^\./, '')}`,
    path,
    // Browsers go by the real time.
    expires: Math.floor(Date.now() / 1_000) + maxAge,
    httpOnly,
    secure,
    sameSite: sameSites[sameSite],
  };
}
