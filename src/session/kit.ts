import { seal } from '../crypto/seal.js';
import { writeCookies } from './cookies.js';
import { type SessionOpener, sessionOpener } from './reader.js';
import { type ReaderSettings, readerSettings } from './reader-options.js';
import type { RefreshKit } from './refresh.js';
import type { SealedSession } from './sealed-session.js';
import { authenticator } from './service.js';
import { type SessionsOptions, type SessionsSettings, sessionsSettings } from './sessions-options.js';

/** What the functions of `Sessions` share: the checked options, and what is made of them. */
export interface SessionKit extends ReaderSettings, SessionsSettings, RefreshKit {
  readonly revocations: ReaderSettings['revocations'];
  readonly report: ReaderSettings['report'];
  readonly opener: SessionOpener;
}

/** Checks the options of `createSessions`. @throws {ConfigurationError} */
export function sessionKit(options: SessionsOptions): SessionKit {
  const reading = readerSettings(options);
  const settings = { ...reading, ...sessionsSettings(options, reading) };
  const service = {
    ...settings,
    scope: `${settings.baseUrl} ${settings.clientId}`,
    fetcher: () => options.fetch ?? globalThis.fetch,
  };
  const opener = sessionOpener(settings);
  const entries = settings.ring.all();
  return { ...service, opener, check: opener.check, entries, authenticate: authenticator(service) };
}

/**
 * The `Set-Cookie` values of a session.
 *
 * @param previous The request's `Cookie` header; `everySpelling` where it is not known.
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
