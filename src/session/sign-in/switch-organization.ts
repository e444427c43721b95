import { isRefusedSwitch, type RefreshEnd } from '../../oauth/outcome.js';
import { type SignInStep, signInStepIn } from '../../oauth/step.js';
import { handle, openCookies, refreshResult } from '../handle/handle.js';
import type { SessionContext } from '../handle/session-context.js';
import { limitPolicy } from '../read/limit-policy.js';
import type { OpenedCookie } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';
import { refresh } from '../refresh/refresh.js';
import type { HandleResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { noteSwitch } from './note-changes.js';

/** Result of `switchOrganization`: a result of `handle`, or a refusal. */
export type SwitchOrganizationResult =
  | HandleResult
  | {
      /** The session stays in its organization: the other one has further requirements, or the user is not a member. */
      readonly status: 'refused';
      /** The unchanged session; null if it is due for a refresh, which happens on the next request. */
      readonly session: CurrentSession | null;
      readonly reason: Exclude<RefreshEnd, 'invalid_grant'>;
      /** Data for the next step; undefined if the organization requires none. */
      readonly step: SignInStep | undefined;
      /** `Set-Cookie` with its `Cache-Control`. */
      readonly headers: Headers;
    };

/** Open the best cookie of a request, with its content. */
async function openBest(context: SessionContext, request: RequestLike): Promise<OpenedCookie> {
  const cookies = headerOf(request, 'cookie');
  context.opener.forget(cookies);
  const [best] = await openCookies(context, cookies);
  return best;
}

/** Implement `Sessions.refresh`. Never throws for an invalid request. */
export async function refreshSession(context: SessionContext, request: RequestLike): Promise<HandleResult> {
  const { result, content } = await openBest(context, request);
  const outcome = content && result.session ? await refresh(context, content) : undefined;
  return !outcome || outcome.status === 'ended' ? handle(context, request) : refreshResult(context, outcome, request);
}

/** Implement `Sessions.switchOrganization`. Never throws for an invalid request. */
export async function switchOrganization(
  context: SessionContext,
  request: RequestLike,
  organizationId: string,
): Promise<SwitchOrganizationResult> {
  const { result, content } = await openBest(context, request);
  const isCurrent = result.status === 'active' && result.session.organizationId === organizationId;
  // Without a session, or if it is already in this organization, only handle the request.
  if (!content || isCurrent || !result.session) return handle(context, request);

  const outcome = await refresh(context, content, organizationId);
  if (outcome.status !== 'ended') {
    // Before anything else: the response of a page with an older token may be written at any time.
    const told = outcome.status === 'ok' && noteSwitch(context, outcome.session.claims);
    const switched = await refreshResult(context, outcome, request);
    await told;
    // The idle limit of this organization may be shorter than the time since the last activity was written.
    if (!switched.session) return switched;
    return (await limitPolicy(context)).writeActivity(context, request, switched);
  }
  const { reason, body, serviceCode } = outcome;
  if (!isRefusedSwitch(reason)) return handle(context, request);
  // The service remembers the refusal under this idempotency key. With a new refresh token, the user can try again.
  const refreshed = await refresh(context, content);
  if (refreshed.status === 'ended') return handle(context, request);
  const unswitched = await refreshResult(context, refreshed, request);
  return {
    status: 'refused',
    session: unswitched.session ?? (result.status === 'active' ? result.session : null),
    reason,
    step: signInStepIn(reason, body, serviceCode),
    headers: unswitched.headers,
  };
}
