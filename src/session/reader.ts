import { type TokenRefusal, verifyAccessToken } from '../crypto/access-token.js';
import type { PasswordEntry } from '../crypto/passwords.js';
import { readCookie } from './cookies.js';
import { type ReaderOptions, type ReaderSettings, readerSettings } from './reader-options.js';
import { type CookieRefusal, type SealedSession, unsealSession } from './sealed-session.js';
import { type CurrentSession, sessionOf } from './session.js';

/** Why there is no session. */
export type SignedOutReason =
  | CookieRefusal
  /** The seal is right, but its content is not an access token of the service. */
  | 'invalid_token'
  /** The access token is about another user than the one sealed beside it. */
  | 'wrong_user'
  | Exclude<TokenRefusal, 'malformed' | 'forged'>;

/** What reading a cookie gives; says what to do with it. */
export type ReadResult =
  | {
      /** Somebody is signed in. */
      readonly status: 'active';
      readonly session: CurrentSession;
      /** Whether a password other than the first opened the cookie: time to seal anew. */
      readonly outdatedPassword: boolean;
    }
  | {
      /** Somebody was signed in until a moment ago, and is again after a refresh. */
      readonly status: 'expired';
      readonly session: CurrentSession;
    }
  | {
      /** Nobody is signed in. */
      readonly status: 'signed_out';
      readonly session: null;
      readonly reason: SignedOutReason;
    }
  | {
      /** Not known: the service's keys could not be fetched. Keep the cookie and answer with status 503. */
      readonly status: 'retry_later';
      readonly session: null;
      readonly reason: 'keys_unavailable';
      /** Milliseconds after which another request is worth it. */
      readonly retryAfterMs: number;
      /** What went wrong, for your logs. */
      readonly cause: unknown;
    };

/** Reads session cookies. */
export interface SessionReader {
  /**
   * Find out who is signed in, by the `Cookie` header of a request. Nothing is fetched while the service's keys are at hand,
   * and any header is safe to pass.
   */
  read(cookieHeader: string | null | undefined): Promise<ReadResult>;
}

/**
 * Create a reader, which only reads and checks session cookies: for middleware that leaves refreshing and signing in to others.
 *
 * @throws {ConfigurationError} An option is missing or wrong, such as a password shorter than 32 characters.
 * @example
 * const reader = createSessionReader({ password, clientId, baseUrl });
 * const result = await reader.read(request.headers.get('cookie'));
 * if (result.status === 'active') console.log(result.session.user.email);
 */
export function createSessionReader(options: ReaderOptions = {}): SessionReader {
  const { read } = sessionOpener(readerSettings(options));
  return { read };
}

/** What a cookie comes to. */
export interface Opened {
  readonly result: ReadResult;
  /** What is in it, for who may refresh it. Absent when nothing was opened, or the result was remembered. */
  readonly content?: CookieContent;
}

/** What was in a session's cookie. */
export interface CookieContent {
  readonly sealed: SealedSession;
  /** The password that opened it. */
  readonly entry: PasswordEntry;
}

/** Opens session cookies: the reader's inner side, not for users of the package. */
export interface SessionOpener extends SessionReader {
  /** Opens and checks the cookie in a `Cookie` header. */
  open(cookieHeader: string | null | undefined): Promise<Opened>;
  /** Checks what was, or is going to be, sealed. */
  check(sealed: SealedSession, outdatedPassword?: boolean): Promise<ReadResult>;
  /** Drops what is remembered of the cookie in a `Cookie` header. */
  forget(cookieHeader: string | null | undefined): void;
}

const signedOut = (reason: SignedOutReason): ReadResult => ({ status: 'signed_out', session: null, reason });

/** Opens cookies by checked options. */
export function sessionOpener(settings: ReaderSettings): SessionOpener {
  const { ring, keys, cookieName, clockToleranceSec, now } = settings;
  const cache = settings.cache?.<ReadResult>(() => keys.generation);

  const check = async (sealed: SealedSession, outdatedPassword = false): Promise<ReadResult> => {
    const verified = await verifyAccessToken(sealed.accessToken, keys, { ...settings, now: now() });
    if (!verified.ok && verified.reason !== 'expired') {
      if (verified.reason === 'keys_unavailable') {
        const { reason, retryAfterMs, cause } = verified;
        return { status: 'retry_later', session: null, reason, retryAfterMs, cause };
      }
      const { reason } = verified;
      return signedOut(reason === 'malformed' || reason === 'forged' ? 'invalid_token' : reason);
    }
    // Two sessions mixed up by whoever sealed them would show one user's data to another.
    if (verified.claims.sub !== sealed.user.id) return signedOut('wrong_user');
    const session = sessionOf(sealed, verified.claims);
    return verified.ok ? { status: 'active', session, outdatedPassword } : { status: 'expired', session };
  };

  const open = async (cookieHeader: string | null | undefined): Promise<Opened> => {
    const text = readCookie(cookieHeader, cookieName) ?? '';
    const remembered = cache?.find(text, now());
    if (remembered) return { result: remembered };
    const { generation } = keys;
    const content = await unsealSession(text, ring, now());
    if (!content.ok) return { result: signedOut(content.reason) };
    const { sealed, outdated, expiresAt = Infinity } = content;
    const result = await check(sealed, outdated);
    if (result.status === 'active' && !outdated && generation === keys.generation)
      cache?.keep(text, result, now(), Math.min(result.session.expiresAt + clockToleranceSec * 1000, expiresAt));
    return { result, content };
  };

  return {
    check,
    open,
    read: async (cookieHeader) => (await open(cookieHeader)).result,
    forget: (cookieHeader) => cache?.forget(readCookie(cookieHeader, cookieName) ?? ''),
  };
}
