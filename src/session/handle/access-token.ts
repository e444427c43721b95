import type { OpenedCookie } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';
import type { ActiveResult, HandleResult, RetryLaterResult, SignedOutResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { handleCookies } from './handle.js';
import type { SessionContext } from './session-context.js';

/** Result of `accessToken`. Append `headers` to the response, unless `handle` got the same request object. */
export type AccessTokenResult =
  | (Omit<ActiveResult, 'session'> & {
      /** Not enumerable, so that it is not logged or serialized by accident: read it by its name. */
      readonly accessToken: string;
      /** When the access token expires, in milliseconds since 1970. */
      readonly expiresAtMs: number;
    })
  | (Omit<SignedOutResult, 'session'> & NoToken)
  | (Omit<RetryLaterResult, 'session'> & NoToken);

interface NoToken {
  readonly accessToken: null;
  readonly expiresAtMs: null;
}

/** Implement `Sessions.accessToken`. Never throws for an invalid request. */
export async function accessToken(context: SessionContext, request: RequestLike): Promise<AccessTokenResult> {
  const { result, content } = await handleWithTokens(context, request);
  if (result.session && content) {
    const { status, session, headers } = result;
    const answer = { status, expiresAtMs: session.expiresAtMs, headers };
    return Object.defineProperty(answer, 'accessToken', { value: content.sealed.accessToken }) as typeof answer & {
      readonly accessToken: string;
    };
  }
  const { session, ...others } = result as Exclude<HandleResult, ActiveResult>;
  return { ...others, accessToken: null, expiresAtMs: null };
}

/** Return when the token or the session ends, whichever is first. */
const lastsUntil = ({ expiresAtMs, endsAtMs }: CurrentSession): number => Math.min(expiresAtMs, endsAtMs ?? Infinity);

/** Handle a request like `handle`, or return what `handle` has refreshed it to. */
export async function handleWithTokens(
  context: SessionContext,
  request: RequestLike,
): Promise<OpenedCookie<HandleResult>> {
  const earlier = context.refreshed.get(request);
  if (earlier && lastsUntil(earlier.result.session) > context.now()) return earlier;
  // A cached result has no tokens.
  context.opener.forget(headerOf(request, 'cookie'));
  return handleCookies(context, request);
}
