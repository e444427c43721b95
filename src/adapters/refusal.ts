import type { RequestLike } from '../session/request.js';
import { type Answer, answerOf, problem } from '../session/respond.js';
import type { HandleResult } from '../session/results.js';
import type { StartSignInOptions } from '../session/sign-in.js';
import type { SessionHandler } from './handled.js';

/** What `requireSession` takes. */
export interface RequireSessionOptions {
  /**
   * Send browsers that open a page to the sign-in, and back to the page afterwards. Whatever else they ask for, forms and
   * data among it, is answered with 401, as everything is without this option.
   */
  readonly signIn?: boolean | Omit<StartSignInOptions, 'returnTo'>;
}

/** Request as `requireSession` sees it. */
export interface AskedFor {
  readonly request: RequestLike;
  readonly method: string;
  /** What was asked for, from the root of the site. */
  readonly path: string;
  readonly header: (name: string) => string | null | undefined;
}

/** The answer for who may not pass; undefined for who may. */
export async function refusalOf(
  sessions: SessionHandler,
  auth: HandleResult,
  { request, method, path, header }: AskedFor,
  { signIn = false }: RequireSessionOptions = {},
): Promise<Answer | undefined> {
  if (auth.session) return undefined;
  if (auth.status === 'retry_later') return problem(503, 'temporarily_unavailable', new Headers(), auth.retryAfterMs);
  if (signIn && method === 'GET' && opensPage(header)) {
    const started = await sessions.startSignIn(request, { ...(signIn === true ? {} : signIn), returnTo: path });
    if (started.status === 'redirect') return answerOf(started);
  }
  return problem(401, 'unauthorized', new Headers());
}

/** Whether a person will see the answer. Browsers say so; of older ones the kind of answer they wish for tells. */
const opensPage = (header: AskedFor['header']): boolean => {
  const mode = header('sec-fetch-mode');
  return mode ? mode === 'navigate' : (header('accept') ?? '').includes('text/html');
};
