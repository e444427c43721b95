import { type TokenRefusal, verifyAccessToken } from '../crypto/access-token.js';
import type { PasswordEntry } from '../crypto/passwords.js';
import { type SealRefusal, unseal } from '../crypto/seal.js';
import { readCookie } from './cookies.js';
import { type ReaderOptions, type ReaderSettings, readerSettings } from './reader-options.js';
import { type SealedSession, sealedSessionOf } from './sealed-session.js';
import { type Session, sessionOf } from './session.js';

/** Why there is no session. */
export type SignedOutReason =
  /** The request has no such cookie. */
  | 'no_cookie'
  /** The seal expired, which only seals with a time limit do. */
  | 'seal_expired'
  /** Rightly sealed, but what is in it is no access token of the service. */
  | 'invalid_token'
  /** The access token is about another user than the one sealed beside it. */
  | 'wrong_user'
  | Exclude<SealRefusal, 'expired'>
  | Exclude<TokenRefusal, 'malformed' | 'forged'>;

/** What reading a cookie gives; says what to do with it. */
export type ReadResult =
  | {
      /** Somebody is signed in. */
      readonly status: 'active';
      readonly session: Session;
      /** Whether a password other than the first opened the cookie: time to seal anew. */
      readonly outdatedPassword: boolean;
    }
  | {
      /** Somebody was signed in until a moment ago, and is again after a refresh. */
      readonly status: 'expired';
      readonly session: Session;
    }
  | {
      /** Nobody is signed in. */
      readonly status: 'signed_out';
      readonly reason: SignedOutReason;
    }
  | {
      /** Not known: the service's keys could not be fetched. Keep the cookie and answer with status 503. */
      readonly status: 'retry_later';
      readonly reason: 'keys_unavailable';
    };

/** Reads session cookies. */
export interface SessionReader {
  /**
   * Who is signed in, by the `Cookie` header of a request. Nothing is fetched while the service's keys are at hand, and no
   * header makes it throw.
   */
  read(cookieHeader: string | null | undefined): Promise<ReadResult>;
}

/**
 * Reads and checks session cookies, and nothing else: for middleware that neither refreshes nor signs in.
 *
 * @throws {ConfigurationError} An option is missing or wrong; a password is shorter than 32 characters, say.
 * @example
 * const reader = createSessionReader({ password, clientId, baseUrl });
 * const result = await reader.read(request.headers.get('cookie'));
 * if (result.status === 'active') console.log(result.session.user.email);
 */
export function createSessionReader(options: ReaderOptions): SessionReader {
  const opener = sessionOpener(readerSettings(options));
  return { read: async (cookieHeader) => (await opener.open(cookieHeader)).result };
}

/** What a cookie comes to. */
export interface Opened {
  readonly result: ReadResult;
  /** The tokens in it, for who may refresh them. Absent when nothing was opened, or the result was remembered. */
  readonly sealed?: SealedSession | undefined;
  /** The password that opened it; there whenever the tokens are. */
  readonly entry?: PasswordEntry | undefined;
}

/** Opens session cookies: the reader's inner side, not for users of the package. */
export interface SessionOpener {
  /** Opens and checks the cookie in a `Cookie` header. */
  open(cookieHeader: string | null | undefined): Promise<Opened>;
  /** Checks what was, or is going to be, sealed. */
  check(sealed: SealedSession, outdatedPassword?: boolean): Promise<ReadResult>;
  /** Drops what is remembered of the cookie in a `Cookie` header. */
  forget(cookieHeader: string | null | undefined): void;
}

const signedOut = (reason: SignedOutReason): ReadResult => ({ status: 'signed_out', reason });

/** Opens cookies by checked options. */
export function sessionOpener(settings: ReaderSettings): SessionOpener {
  const { ring, keys, cookieName, clockToleranceSec, now } = settings;
  const cache = settings.cache?.<ReadResult>(() => keys.generation);

  const check = async (sealed: SealedSession, outdatedPassword = false): Promise<ReadResult> => {
    const verified = await verifyAccessToken(sealed.accessToken, keys, { ...settings, now: now() });
    if (!verified.ok && verified.reason === 'keys_unavailable')
      return { status: 'retry_later', reason: verified.reason };
    if (!verified.ok && verified.reason !== 'expired')
      return signedOut(
        verified.reason === 'malformed' || verified.reason === 'forged' ? 'invalid_token' : verified.reason,
      );
    // Two sessions mixed up by whoever sealed them would show one user's data to another.
    if (verified.claims.sub !== sealed.user.id) return signedOut('wrong_user');
    const session = sessionOf(sealed, verified.claims);
    return verified.ok ? { status: 'active', session, outdatedPassword } : { status: 'expired', session };
  };

  return {
    check,
    async open(cookieHeader) {
      const text = readCookie(cookieHeader, cookieName);
      if (text === undefined) return { result: signedOut('no_cookie') };
      const remembered = cache?.find(text, now());
      if (remembered) return { result: remembered };
      const { generation } = keys;
      const opened = await unseal(text, ring, { now: now() });
      if (!opened.ok) return { result: signedOut(opened.reason === 'expired' ? 'seal_expired' : opened.reason) };
      const sealed = sealedSessionOf(opened.value);
      if (!sealed) return { result: signedOut('malformed') };
      const result = await check(sealed, opened.outdated);
      if (cache && result.status === 'active' && !opened.outdated && generation === keys.generation)
        cache.keep(
          text,
          result,
          now(),
          Math.min(result.session.expiresAt + clockToleranceSec * 1000, opened.expiresAt ?? Infinity),
        );
      return { result, sealed, entry: opened.entry };
    },
    forget(cookieHeader) {
      cache?.forget(readCookie(cookieHeader, cookieName) ?? '');
    },
  };
}
