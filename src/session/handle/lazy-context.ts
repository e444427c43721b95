import type { ConfigurationError } from '../../errors/sallyport-error.js';
import { forService, isMissing, variable } from '../../http/environment.js';
import { hasCookie } from '../cookie/cookies.js';
import { cookieNameOf } from '../read/reader-options.js';
import { reporter } from '../read/reporter.js';
import { signedOut } from '../read/session.js';
import type { HandleResult } from '../refresh/results.js';
import type { RequestLike } from '../request/request.js';
import { isBuild } from '../request/request-kind.js';
import { type SessionContext, sessionContext } from './session-context.js';
import { callbackPathsOf, type SessionsOptions } from './sessions-options.js';

/** The context of sessions, which frameworks create during a build, when the settings of the server are missing. */
export interface LazyContext {
  /** Return the context. @throws {ConfigurationError} A setting is missing. */
  get(): SessionContext;
  /**
   * Return the context for a request with these cookies. Without a session cookie, the error of a missing setting is returned and, outside
   * of a build, reported once.
   *
   * @throws {ConfigurationError} A setting is missing, and there is a session cookie.
   */
  getFor(cookies: string | null | undefined, request?: RequestLike): SessionContext | ConfigurationError;
  /** Return the paths of all redirect URIs. */
  callbackPaths(): readonly string[];
}

/** Create the context when it is needed. @throws {ConfigurationError} An option is wrong. */
export function lazyContext(options: SessionsOptions): LazyContext {
  let cached: SessionContext | undefined;
  let isReported = false;
  const create = forService(options, () => sessionContext(options), isMissing);
  const get = (): SessionContext => {
    cached ??= create();
    return cached;
  };
  return {
    get,
    getFor(cookies, request = { headers: {} }) {
      try {
        return get();
      } catch (error) {
        if (!isMissing(error) || hasCookie(cookies, { name: cookieNameOf(options) })) throw error;
        const { baseUrl, onProblem } = options;
        if (isBuild(request) || variable('NEXT_PHASE') === 'phase-production-build') return error;
        if (!isReported) reporter({ baseUrl, onProblem }, true)({ reason: 'missing_setting', cause: error });
        isReported = true;
        return error;
      }
    },
    callbackPaths: () => cached?.callbackPaths ?? callbackPathsOf(options),
  };
}

const missing = new WeakMap<object, Error>();

/** Create the result for a request without a session cookie, while a setting is missing. */
export function signedOutWithout(setting: Error): HandleResult {
  const result = { ...signedOut('no_cookie'), headers: new Headers() };
  missing.set(result, setting);
  return result;
}

/** Throw the error of the missing setting, if there is one: the request needs a session. @throws {ConfigurationError} */
export function requireSettings(result: object): void {
  const error = missing.get(result);
  if (error) throw error;
}
