import { type TokenChecks, type TokenRefusal, verifyAccessToken } from '../../crypto/access-token.js';
import type { PasswordEntry } from '../../crypto/seal.js';
import { checkNames } from '../../errors/known-options.js';
import { checkObject, kindOf } from '../../errors/option-values.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { forService } from '../../http/environment.js';
import { type CookieValue, cookieOptionNames, readCookies } from '../cookie/cookies.js';
import { type CookieRefusal, type SealedSession, unsealSession } from '../cookie/sealed-session.js';
import { limitPolicy } from './limit-policy.js';
import { type ReaderOptions, type ReaderSettings, readerOptionNames, readerSettings } from './reader-options.js';
import { hasEnded } from './recent-changes.js';
import type { RevocationReason } from './revocations.js';
import { type CurrentSession, sessionOf, signedOut } from './session.js';
import { type LimitReason, limitNames } from './session-limits.js';
import { type KeysUnavailableResult, refusedToken, type TokenVerifier, tokenVerifier } from './token-verifier.js';

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

/** A session cookie and the result for it: of `read` or, after a refresh that was due, of `handle`. */
export interface OpenedCookie<Result = ReadResult> {
  readonly result: Result;
  /** Its content. Absent if the cookie could not be opened, or the result was cached. */
  readonly content?: CookieContent | undefined;
  /** Names of the cookies it was read from; none if it is new. */
  readonly names: readonly string[];
  /** The session that has ended, if it could be opened. */
  readonly ended?: CurrentSession | undefined;
}

/** Content of a session cookie. */
export interface CookieContent {
  readonly sealed: SealedSession;
  /** The password that sealed it. */
  readonly entry: PasswordEntry;
}

/** Opens session cookies. Internal part of the reader. */
export interface SessionOpener {
  readonly reader: SessionReader;
  /** Open and check all cookies of this name in a `Cookie` header, best first; `no_cookie` if there are none. */
  open(cookieHeader: string | null | undefined): Promise<readonly [OpenedCookie, ...OpenedCookie[]]>;
  /** Check a session that was sealed, or is about to be sealed. */
  check(sealed: SealedSession, outdatedPassword?: boolean): Promise<ReadResult>;
  /** Remove the cookies of a `Cookie` header from the cache. */
  forget(cookieHeader: string | null | undefined): void;
}

/** Rank opened cookies: sessions by expiry, the latest first, then results that are not known yet. */
const rank = ({ result }: OpenedCookie): number =>
  result.session?.expiresAtMs ?? Number(result.status === 'retry_later');

/** Create the check of a session that was sealed, or is about to be sealed. */
export const checkerOf =
  (settings: TokenChecks & Pick<ReaderSettings, 'keys'>): SessionOpener['check'] =>
  async (sealed, outdatedPassword = false) => {
    const token = await verifyAccessToken(sealed.accessToken, settings.keys, settings);
    if (!('claims' in token)) return refusedToken(token);
    // Mixed-up sessions would show one user's data to another.
    if (token.claims.sub !== sealed.user.id) return signedOut('wrong_user');
    const session = sessionOf(sealed, token.claims);
    return token.status === 'ok' ? { status: 'active', session, outdatedPassword } : { status: 'expired', session };
  };

/** End the opened sessions that are beyond their limits, and say when the others end. */
async function enforceLimits(
  settings: ReaderSettings,
  opened: readonly OpenedCookie[],
  cookieHeader: string | null | undefined,
): Promise<readonly OpenedCookie[]> {
  const { withinLimits } = await limitPolicy(settings);
  const enforced = async (one: OpenedCookie): Promise<OpenedCookie> => {
    const { result, names } = one;
    if (!result.session) return one;
    const session = await withinLimits(settings, result.session, cookieHeader);
    // A cached result stays the same object.
    if (session === result.session) return one;
    return typeof session === 'string'
      ? { result: signedOut(session), names, ended: result.session }
      : { ...one, result: { ...result, session } };
  };
  return Promise.all(opened.map(enforced));
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
  const verifier = tokenVerifier(settings);
  const check = checkerOf(settings);

  const openOne = async ({ text, names }: CookieValue): Promise<OpenedCookie> => {
    const remembered = cache?.find(text, now());
    if (remembered) return { result: remembered, names };
    const { generation } = keys;
    const opened = await unsealSession(text, ring, now());
    if (opened.status === 'invalid') return { result: signedOut(opened.reason), names };
    const { value: sealed, entry, outdated, expiresAt = Infinity } = opened;
    const checked = await check(sealed, outdated);
    const result: ReadResult = revocations.find(checked.session) ?? checked;
    if (result.status === 'active' && !outdated) {
      const until = Math.min(result.session.expiresAtMs + clockToleranceMs, expiresAt);
      cache?.keep(text, result, generation, now(), until);
    }
    return { result, content: { sealed, entry }, names, ended: endedSession(settings, result, checked) };
  };

  const open: SessionOpener['open'] = async (cookieHeader) => {
    const cookies = readCookies(checkedHeader(cookieHeader), cookieName);
    const results = await Promise.all((cookies.length ? cookies : [{ text: '', names: [] }]).map(openOne));
    const opened = await enforceLimits(settings, results, cookieHeader);
    // The list has at least one entry.
    const all = [...opened].sort((a, b) => rank(b) - rank(a)) as [OpenedCookie, ...OpenedCookie[]];
    settings.report(all[0].result);
    return all;
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
