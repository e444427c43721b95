import type { TokenRefusal } from '../../crypto/access-token.js';
import { allOf, andThen, type MaybePromise } from '../../crypto/maybe-promise.js';
import type { PasswordEntry } from '../../crypto/seal.js';
import { checkNames } from '../../errors/known-options.js';
import { checkObject, kindOf } from '../../errors/option-values.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { forService } from '../../http/environment.js';
import { type CookieValue, cookieOptionNames, readCookies } from '../cookie/cookies.js';
import {
  type CookieRefusal,
  type SealedSession,
  type UnsealedSession,
  unsealSession,
} from '../cookie/sealed-session.js';
import { type ReaderOptions, type ReaderSettings, readerOptionNames, readerSettings } from './reader-options.js';
import { hasEnded } from './recent-changes.js';
import type { RevocationReason } from './revocations.js';
import { type CurrentSession, sessionOf, signedOut } from './session.js';
import { type LimitReason, limitNames } from './session-limits.js';
import { type KeysUnavailableResult, type TokenContent, type TokenVerifier, tokenVerifier } from './token-verifier.js';

/** Why a cookie contains no valid session. */
export type SignedOutReason =
  | CookieRefusal
  /** The seal is valid, but it does not contain an access token of the service. */
  | 'invalid_token'
  /** The access token belongs to another user than the one sealed with it. */
  | 'wrong_user'
  | RevocationReason
  | LimitReason
  | Exclude<TokenRefusal, 'malformed' | 'forged'>;

/** Result of `read`. Check `status` first. */
export type ReadResult =
  | {
      /** The user is signed in. */
      readonly status: 'active';
      readonly session: CurrentSession;
      /** Whether an old password opened the cookie. If so, it should be resealed. */
      readonly outdatedPassword: boolean;
    }
  | {
      /** The access token has expired. Refresh the session to get a new one. */
      readonly status: 'expired';
      readonly session: CurrentSession;
    }
  | {
      /** The user is not signed in. */
      readonly status: 'signed_out';
      readonly session: null;
      readonly reason: SignedOutReason;
    }
  | KeysUnavailableResult;

/** Reads session cookies and access tokens. */
export interface SessionReader extends TokenVerifier {
  /**
   * Find out who is signed in from the `Cookie` header of a request. Sends no request while the keys of the service are cached.
   * Never throws for an invalid header.
   *
   * @throws {InvalidArgumentError} The argument is not text, such as a whole request.
   */
  read(cookieHeader: string | null | undefined): Promise<ReadResult>;
}

/**
 * Create a reader, which checks session cookies but never sets them. For middleware that leaves sign-in and refresh to another
 * part of the application.
 *
 * @throws {ConfigurationError} An option is missing or wrong, such as a password shorter than 32 characters.
 * @example
 * const reader = createSessionReader({ cookiePassword, clientId, baseUrl });
 * const result = await reader.read(request.headers.get('cookie'));
 * if (result.status === 'active') console.log(result.session.user.email);
 */
export function createSessionReader(options: ReaderOptions = {}): SessionReader {
  checkNames('createSessionReader', options, readerOptionNames);
  checkNames('createSessionReader', options.cookie, cookieOptionNames, 'cookie.');
  checkObject('createSessionReader', options.limits, limitNames, 'limits.');
  const reader = forService(options, () => sessionOpener(readerSettings(options)).reader);
  return {
    read: (cookieHeader) => reader().read(cookieHeader),
    verifyAccessToken: (token) => reader().verifyAccessToken(token),
    isRecent: (session, maxAgeMs) => reader().isRecent(session, maxAgeMs),
  };
}

/** An opened cookie. */
export interface Opened {
  readonly result: ReadResult;
  /** Its content, for a refresh. Absent if the cookie could not be opened, or the result was cached. */
  readonly content?: CookieContent;
  /** Names of the cookies it was read from. */
  readonly names: readonly string[];
  /** The session that a revocation or a limit has ended. */
  readonly ended?: CurrentSession | undefined;
}

/** Content of a session cookie. */
export interface CookieContent {
  readonly sealed: SealedSession;
  /** The password that opened it. */
  readonly entry: PasswordEntry;
}

/** Opens session cookies. Internal part of the reader. */
export interface SessionOpener {
  readonly reader: SessionReader;
  /** Open and check all cookies of this name in a `Cookie` header, best first; `no_cookie` if there are none. */
  open(cookieHeader: string | null | undefined): MaybePromise<readonly [Opened, ...Opened[]]>;
  /** Check a session that was sealed, or is about to be sealed. */
  check(sealed: SealedSession, outdatedPassword?: boolean): MaybePromise<ReadResult>;
  /** Remove the cookies of a `Cookie` header from the cache. */
  forget(cookieHeader: string | null | undefined): void;
}

/** Rank opened cookies: sessions by expiry, the latest first, then results that are not known yet. */
const rank = ({ result }: Opened): number => result.session?.expiresAtMs ?? Number(result.status === 'retry_later');

/** Create the check of a sealed session from the check of its access token. */
const checkerOf =
  (verified: (accessToken: string) => MaybePromise<TokenContent>): SessionOpener['check'] =>
  (sealed, outdatedPassword = false) =>
    andThen<TokenContent, ReadResult>(verified(sealed.accessToken), (token) => {
      if ('status' in token) return token;
      // Mixed-up sessions would show one user's data to another.
      if (token.claims.sub !== sealed.user.id) return signedOut('wrong_user');
      const session = sessionOf(sealed, token.claims);
      return token.ok ? { status: 'active', session, outdatedPassword } : { status: 'expired', session };
    });

/** End the opened sessions that are beyond their limits, and say when the others end. */
function enforceLimits(
  settings: ReaderSettings,
  opened: MaybePromise<readonly Opened[]>,
  cookieHeader: string | null | undefined,
): MaybePromise<readonly Opened[]> {
  if (!settings.sessionLimits) return opened;
  const enforced = async (one: Opened): Promise<Opened> => {
    const { result, names } = one;
    if (!result.session) return one;
    // Loaded on demand: most applications have no limits.
    const { withinLimits } = await import('./enforce-limits.js');
    const session = await withinLimits(settings, result.session, cookieHeader);
    return typeof session === 'string'
      ? { result: signedOut(session), names, ended: result.session }
      : { ...one, result: { ...result, session } };
  };
  return Promise.resolve(opened).then((all) => Promise.all(all.map(enforced)));
}

/** Return the session that has just ended. If a sign-out has ended it, the application knows. */
const endedSession = (
  { changes, now }: ReaderSettings,
  { session }: ReadResult,
  { session: before }: ReadResult,
): CurrentSession | undefined =>
  session || !before || hasEnded(changes(), before.sessionId, now()) ? undefined : before;

/** Check that a `Cookie` header is text. A whole request would count as one without a cookie. */
function checkedHeader(header: string | null | undefined): typeof header {
  if (typeof (header ?? '') === 'string') return header;
  throw new InvalidArgumentError({
    what: `read needs the Cookie header as text, not ${kindOf(header)}`,
    next: "Pass request.headers.get('cookie')",
    argument: 'cookieHeader',
  });
}

/** Create an opener from checked options. */
export function sessionOpener(settings: ReaderSettings): SessionOpener {
  const { ring, keys, cookieName, clockToleranceMs, now, revocations } = settings;
  const cache = settings.cache?.<ReadResult>(settings);
  const { verified, verifier } = tokenVerifier(settings);

  const check = checkerOf(verified);

  const openOne = ({ text, names }: CookieValue): MaybePromise<Opened> => {
    const remembered = cache?.find(text, now());
    if (remembered) return { result: remembered, names };
    const { generation } = keys;
    return andThen<UnsealedSession, Opened>(unsealSession(text, ring, now()), (content) => {
      if (!content.ok) return { result: signedOut(content.reason), names };
      const { sealed, outdated, expiresAt = Infinity } = content;
      return andThen<ReadResult, Opened>(check(sealed, outdated), (checked) => {
        const result: ReadResult = revocations.find(checked.session) ?? checked;
        if (result.status === 'active' && !outdated)
          cache?.keep(
            text,
            result,
            generation,
            now(),
            Math.min(result.session.expiresAtMs + clockToleranceMs, expiresAt),
          );
        return { result, content, names, ended: endedSession(settings, result, checked) };
      });
    });
  };

  const open: SessionOpener['open'] = (cookieHeader) => {
    const cookies = readCookies(checkedHeader(cookieHeader), cookieName);
    const results = (cookies.length ? cookies : [{ text: '', names: [] }]).map(openOne);
    return andThen(enforceLimits(settings, allOf(results), cookieHeader), (opened) => {
      // The list has at least one entry.
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
