import type { TokenRefusal } from '../crypto/access-token.js';
import type { PasswordEntry } from '../crypto/passwords.js';
import { allThere, type Soon, whenThere } from '../crypto/soon.js';
import { type CookieValue, readCookies } from './cookies.js';
import { checkReaderOptions, type ReaderOptions, type ReaderSettings, readerSettings } from './reader-options.js';
import type { RevocationReason } from './revocations.js';
import { type CookieRefusal, type SealedSession, type UnsealedSession, unsealSession } from './sealed-session.js';
import { type CurrentSession, sessionOf } from './session.js';
import { signedOut } from './signed-out.js';
import { type KeysUnavailableResult, type TokenContent, type TokenVerifier, tokenVerifier } from './token-verifier.js';

/** Why there is no session. */
export type SignedOutReason =
  | CookieRefusal
  /** The seal is right, but its content is not an access token of the service. */
  | 'invalid_token'
  /** The access token is about another user than the one sealed beside it. */
  | 'wrong_user'
  | RevocationReason
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
  | KeysUnavailableResult;

/** Reads session cookies, and access tokens without a cookie. */
export interface SessionReader extends TokenVerifier {
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
  checkReaderOptions('createSessionReader', options);
  return sessionOpener(readerSettings(options)).reader;
}

/** What a cookie comes to. */
export interface Opened {
  readonly result: ReadResult;
  /** What is in it, for who may refresh it. Absent when nothing was opened, or the result was remembered. */
  readonly content?: CookieContent;
  /** Names of the cookies that it was read from. */
  readonly names: readonly string[];
}

/** What was in a session's cookie. */
export interface CookieContent {
  readonly sealed: SealedSession;
  /** The password that opened it. */
  readonly entry: PasswordEntry;
}

/** Opens session cookies: the reader's inner side, not for users of the package. */
export interface SessionOpener {
  readonly reader: SessionReader;
  /** Opens and checks whatever has the cookie's name in a `Cookie` header, `no_cookie` if nothing has; the best comes first. */
  open(cookieHeader: string | null | undefined): Soon<readonly [Opened, ...Opened[]]>;
  /** Checks what was, or is going to be, sealed. */
  check(sealed: SealedSession, outdatedPassword?: boolean): Soon<ReadResult>;
  /** Drops what is remembered of the cookie in a `Cookie` header. */
  forget(cookieHeader: string | null | undefined): void;
}

/** What is best comes first: of sessions the one that ends last, which is the newest, and then what is not known. */
const rank = ({ result }: Opened): number => result.session?.expiresAt ?? Number(result.status === 'retry_later');

/** Opens cookies by checked options. */
export function sessionOpener(settings: ReaderSettings): SessionOpener {
  const { ring, keys, cookieName, clockToleranceSec, now, revocations } = settings;
  const cache = settings.cache?.<ReadResult>(settings);
  const { verified, verifier } = tokenVerifier(settings);

  const check = (sealed: SealedSession, outdatedPassword = false): Soon<ReadResult> =>
    whenThere<TokenContent, ReadResult>(verified(sealed.accessToken), (token) => {
      if ('status' in token) return token;
      // Two sessions mixed up by whoever sealed them would show one user's data to another.
      if (token.claims.sub !== sealed.user.id) return signedOut('wrong_user');
      const session = sessionOf(sealed, token.claims);
      return token.ok ? { status: 'active', session, outdatedPassword } : { status: 'expired', session };
    });

  const openOne = ({ text, names }: CookieValue): Soon<Opened> => {
    const remembered = cache?.find(text, now());
    if (remembered) return { result: remembered, names };
    const { generation } = keys;
    return whenThere<UnsealedSession, Opened>(unsealSession(text, ring, now()), (content) => {
      if (!content.ok) return { result: signedOut(content.reason), names };
      const { sealed, outdated, expiresAt = Infinity } = content;
      return whenThere<ReadResult, Opened>(check(sealed, outdated), (checked) => {
        const result: ReadResult = revocations?.find(checked.session) ?? checked;
        if (result.status === 'active' && !outdated)
          cache?.keep(
            text,
            result,
            generation,
            now(),
            Math.min(result.session.expiresAt + clockToleranceSec * 1000, expiresAt),
          );
        return { result, content, names };
      });
    });
  };

  const open: SessionOpener['open'] = (cookieHeader) => {
    const cookies = readCookies(cookieHeader, cookieName);
    return whenThere(allThere((cookies.length ? cookies : [{ text: '', names: [] }]).map(openOne)), (opened) => {
      // As many as there were, one at least.
      const all = [...opened].sort((a, b) => rank(b) - rank(a)) as [Opened, ...Opened[]];
      settings.report(all[0].result);
      return all;
    });
  };

  return {
    reader: { ...verifier, read: async (cookieHeader) => (await open(cookieHeader))[0].result },
    check,
    open,
    forget(cookieHeader) {
      if (cache) for (const { text } of readCookies(cookieHeader, cookieName)) cache.forget(text);
    },
  };
}
