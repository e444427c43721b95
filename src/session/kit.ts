import { seal } from '../crypto/seal.js';
import { setCookies, writeCookies } from './cookies.js';
import { type SessionOpener, sessionOpener } from './reader.js';
import { type ReaderSettings, readerSettings } from './reader-options.js';
import type { RefreshKit } from './refresh.js';
import type { SealedSession } from './sealed-session.js';
import { authenticator } from './service.js';
import { type SessionsOptions, type SessionsSettings, sessionsSettings } from './sessions-options.js';
import { privateOnly } from './shared-caches.js';

/** What the functions of `Sessions` share: the checked options, and what is made of them. */
export interface SessionKit extends ReaderSettings, SessionsSettings, RefreshKit {
  readonly opener: SessionOpener;
}

/** Checks the options of `createSessions`. @throws {ConfigurationError} */
export function sessionKit(options: SessionsOptions): SessionKit {
  const reading = readerSettings(options);
  const further = sessionsSettings(options, reading.baseUrl);
  const settings = { ...reading, ...further, cookieName: further.cookie.name };
  const { baseUrl, clientId, ring } = settings;
  const opener = sessionOpener(settings);
  const scope = `${baseUrl} ${clientId}`;
  const fetcher = () => options.fetch ?? globalThis.fetch;
  const service = { ...settings, fetcher, scope };
  return { ...service, opener, check: opener.check, entries: ring.all(), authenticate: authenticator(service) };
}

/**
 * The `Set-Cookie` values of a session.
 *
 * @param previous The request's `Cookie` header, undefined when it is not known.
 * @throws {SallyportError} `session_too_large`, naming the heaviest fields.
 */
export async function sessionCookies(
  { ring, cookie }: Pick<SessionKit, 'ring' | 'cookie'>,
  sealed: SealedSession,
  previous: string | null | undefined,
): Promise<string[]> {
  const text = await seal(sealed, ring);
  const lines = writeCookies(text, previous, cookie);
  if (!lines) throw (await import('./size.js')).tooLarge(sealed, text.length);
  return lines;
}

/**
 * `Set-Cookie` values as headers; none when there are none. A shared cache that kept an answer with them would sign strangers
 * in as each other. `Vary: Cookie` would not help: some caches do not look at it, and an answer that sets no cookie is no
 * matter of ours.
 */
export function cookieHeaders(lines: readonly string[]): Headers {
  const headers = new Headers(lines.length > 0 ? { 'cache-control': privateOnly } : {});
  setCookies(headers, lines);
  return headers;
}
