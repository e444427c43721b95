import { askerOf, isForPerson } from '../session/asker.js';
import type { RequestLike } from '../session/request.js';
import { type Answer, answerOf, problem, type RespondOptions } from '../session/respond.js';
import type { HandleResult } from '../session/results.js';
import type { StartSignInOptions } from '../session/sign-in.js';
import type { SessionHandler } from './handled.js';

/** What `requireSession` takes. */
export interface RequireSessionOptions extends RespondOptions {
  /**
   * Send browsers that open a page to the sign-in, and back to the page afterwards. Whatever else they ask for, forms and
   * data among it, is answered with 401, as everything is without this option.
   */
  readonly signIn?: boolean | Omit<StartSignInOptions, 'returnTo'>;
}

/** The answer for who may not pass; undefined for who may. `path` is what was asked for, from the root of the site. */
export async function refusalOf(
  sessions: SessionHandler,
  auth: HandleResult,
  request: RequestLike,
  path: string,
  { signIn = false, page }: RequireSessionOptions = {},
): Promise<Answer | undefined> {
  if (auth.session) return undefined;
  if (auth.status === 'retry_later') {
    const { retryAfterMs } = auth;
    const forPerson = isForPerson(request);
    return problem({ status: 503, reason: 'temporarily_unavailable', retryAfterMs, forPerson }, { page });
  }
  if (signIn && (request.method ?? 'GET') === 'GET' && askerOf(request) === 'person') {
    const started = await sessions.startSignIn(request, { ...(signIn === true ? {} : signIn), returnTo: path });
    if (started.status === 'redirect') return answerOf(started);
  }
  return problem({ status: 401, reason: 'unauthorized' });
}
