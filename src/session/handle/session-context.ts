import type { KeyCopy } from '../../crypto/key-set.js';
import type { Fetch } from '../../http/fetch.js';
import { fetcherOf } from '../../http/process-cache.js';
import type { KeyCopyAccess, KeyStore } from '../read/key-copy.js';
import { type OpenedCookie, type SessionOpener, sessionOpener } from '../read/reader.js';
import { type ReaderSettings, readerSettings } from '../read/reader-options.js';
import { authenticator } from '../refresh/authenticator.js';
import type { RefreshContext } from '../refresh/refresh.js';
import type { ActiveResult } from '../refresh/results.js';
import type { RequestLike } from '../request/request.js';
import type { SessionHooks } from './hooks.js';
import { runHook } from './run-hook.js';
import { type SessionsOptions, type SessionsSettings, sessionsSettings } from './sessions-options.js';

/** The checked options and everything derived from them, shared by the functions of `Sessions`. */
export interface SessionContext extends ReaderSettings, SessionsSettings, RefreshContext {
  readonly revocations: ReaderSettings['revocations'];
  readonly report: ReaderSettings['report'];
  readonly opener: SessionOpener;
  /** Returns the `fetch` in use. */
  readonly fetcher: () => Fetch;
  /** The refreshed session of each request, whose own cookie is outdated. */
  readonly refreshed: WeakMap<RequestLike, OpenedCookie<ActiveResult>>;
}

/** Check the options of `createSessions`, and create what they share. @throws {ConfigurationError} */
export function sessionContext(options: SessionsOptions): SessionContext {
  const reading = readerSettings(options, keyCopyIn(options.refresh?.store));
  const settings = { ...reading, ...sessionsSettings(options, reading), fetcher: fetcherOf(options.fetch) };
  const opener = sessionOpener(settings);
  const { onRefreshed } = settings.hooks;
  return {
    ...settings,
    opener,
    check: opener.check,
    entries: settings.ring.all(),
    authenticate: authenticator(settings),
    refreshed: new WeakMap(),
    noteRefresh: onRefreshed && noteRefresh(settings, opener, onRefreshed),
  };
}

/** Keep copies of the keys in a store. The code is loaded after a fetch of the keys. */
const keyCopyIn =
  (store: KeyStore | undefined) =>
  (access: Omit<KeyCopyAccess, 'store'>): KeyCopy | undefined =>
    store && {
      load: (failure) =>
        import('../read/key-copy.js')
          .then(({ loadKeys }) => loadKeys({ ...access, store }, failure))
          .catch(() => undefined),
      save: (jwks, fetchedAt) =>
        import('../read/key-copy.js')
          .then(({ saveKeys }) => saveKeys({ ...access, store }, jwks, fetchedAt))
          .catch(() => undefined),
    };

/** Create the function that calls `onRefreshed`. It never rejects. */
const noteRefresh =
  (
    settings: ReaderSettings,
    opener: SessionOpener,
    onRefreshed: NonNullable<SessionHooks['onRefreshed']>,
  ): RefreshContext['noteRefresh'] =>
  async (sealed) => {
    const { session } = await opener.check(sealed);
    const secrets = [sealed.accessToken, sealed.refreshToken];
    if (session) await runHook(settings, 'onRefreshed', (signal) => onRefreshed({ session, signal }), secrets);
  };
