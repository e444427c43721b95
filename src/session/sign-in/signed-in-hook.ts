import { checkNames, isPlainObject } from '../../errors/known-options.js';
import { kindOf } from '../../errors/option-values.js';
import { isLike, isText } from '../../http/json.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { returnPath } from '../../redirect-uris/return-path.js';
import type { AuthenticationResponse } from '../../service/authentication.js';
import { clearCookies, withAllNames } from '../cookie/cookies.js';
import type { SessionHooks, SignedInEvent } from '../handle/hooks.js';
import { callSignedOut, type HookFailure, runHook } from '../handle/run-hook.js';
import type { SessionContext } from '../handle/session-context.js';
import { limitPolicy } from '../read/limit-policy.js';
import type { CurrentSession } from '../read/session.js';
import { headerOf } from '../request/request.js';
import { endSessions, sessionsIn } from './end-sessions.js';
import type { EarlierSession } from './pending-flows.js';
import { homePath } from './redirect-address.js';

type Denial = { readonly reason: 'not_allowed'; readonly code: string };

/** A sign-in that `onSignedIn` has ended. */
export interface RefusedSignIn {
  readonly failure: Denial | HookFailure;
  /** `Set-Cookie` values that clear earlier sessions of a denied user. */
  readonly lines: readonly string[];
}

/** Call `onSignedIn`. Returns where the user goes, or why the new session has ended. */
export async function callSignedIn(
  context: SessionContext,
  onSignedIn: NonNullable<SessionHooks['onSignedIn']>,
  { accessToken, refreshToken, oauthTokens = null, authenticationMethod = null }: AuthenticationResponse,
  event: Omit<SignedInEvent, 'oauthTokens' | 'authenticationMethod' | 'signal'>,
  earlier: EarlierSession | undefined,
): Promise<string | RefusedSignIn> {
  const { request, returnTo, session } = event;
  const secrets = [accessToken, refreshToken, ...Object.values(oauthTokens ?? {})].filter(isText);
  const decision = await runHook(
    context,
    'onSignedIn',
    async (signal) =>
      decisionOf(
        homePath(context, request),
        returnTo,
        await onSignedIn({ ...event, oauthTokens, authenticationMethod, signal }),
      ),
    secrets,
  );
  if (typeof decision === 'string') return decision;
  const cookies = headerOf(request, 'cookie');
  return { failure: decision, lines: await endRefused(context, cookies, session, decision, earlier) };
}

/** Read what `onSignedIn` returned. @throws {TypeError} @throws {ConfigurationError} It is not a `SignedInTarget`. */
function decisionOf(home: string, returnTo: string, target: unknown): string | Denial {
  if (target === undefined || target === null) return returnTo;
  if (typeof target === 'string') return returnPath(target, home);
  if (!isPlainObject(target)) throw new TypeError(`it must return a path, an object or nothing, not ${kindOf(target)}`);
  checkNames<object>('the result of onSignedIn', target, { deny: 1, redirectTo: 1, allow: 1 });
  const { deny: code, redirectTo, allow = [] } = Object(target);
  // A denial whose code is undefined must not admit the user.
  if ('deny' in Object(target)) {
    if (!isLike(code, /^\w{1,64}$/)) throw new TypeError('deny must be a code of 1 to 64 letters, digits and _');
    if (redirectTo !== undefined) throw new TypeError('it must return either deny or redirectTo, not both');
    return { reason: 'not_allowed', code };
  }
  if (typeof redirectTo !== 'string')
    throw new TypeError(`redirectTo must be a path or an absolute URL as a string, not ${kindOf(redirectTo)}`);
  if (!Array.isArray(allow)) throw new TypeError(`allow must be a list of origins, not ${kindOf(allow)}`);
  const origins = Array.from(allow, (entry) => webOriginOf(entry));
  if (origins.includes(undefined)) throw new TypeError('allow must contain origins, such as https://shop.example.com');
  const origin = webOriginOf(redirectTo);
  return origin && origins.includes(origin) ? new URL(redirectTo).href : returnPath(redirectTo, home);
}

/** Return the origin of an http or https URL, or undefined for anything else. */
function webOriginOf(address: unknown): string | undefined {
  const url = typeof address === 'string' ? parsedUrl(address) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/**
 * End the session of a sign-in that `onSignedIn` has ended. A denied user also loses earlier sessions in this browser; a session of
 * another user stays. Returns `Set-Cookie` values.
 */
async function endRefused(
  context: SessionContext,
  cookies: string | undefined,
  session: CurrentSession,
  { reason }: Denial | HookFailure,
  earlier: EarlierSession | undefined,
): Promise<readonly string[]> {
  if (reason !== 'not_allowed') {
    await endSessions(context, [session]);
    return [];
  }
  const shown = await sessionsIn(context, cookies);
  // A strict cookie has stayed in the browser.
  const hidden =
    earlier && shown.length === 0
      ? [{ ...earlier, claims: { sid: earlier.sessionId, exp: earlier.exp }, names: [] }]
      : [];
  const all = [...shown, ...hidden];
  const own = all.filter(({ userId }) => userId === session.userId);
  const kept = all.filter((one) => !own.includes(one)).flatMap(({ names }) => names);
  await endSessions(context, [session, ...own]);
  await Promise.all(own.map((one) => callSignedOut(context, one, 'not_allowed')));
  if (own.length === 0) return [];
  const lines = clearCookies(withAllNames(cookies, context.cookie), context.cookie, kept);
  if (kept.length === 0) lines.push(...(await limitPolicy(context)).clearActivity(context.cookie, cookies));
  return lines;
}
