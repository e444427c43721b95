import type { RefreshEnd } from '../oauth/flow-errors.js';
import { type SignInStep, stepOf } from '../oauth/sign-in-step.js';
import { handle, openedOf, resultOf } from './handle.js';
import type { SessionKit } from './kit.js';
import { refresh } from './refresh.js';
import { headerOf, type RequestLike } from './request.js';
import type { HandleResult } from './results.js';
import type { CurrentSession } from './session.js';

/** What `switchOrganization` gives: what `handle` gives, or that the organization was refused. */
export type SwitchOrganizationResult =
  | HandleResult
  | {
      /** The user stays where they are: this organization asks for more, or does not have them as a member. */
      readonly status: 'refused';
      /** As before; null when it has to be refreshed first, which the next request does. */
      readonly session: CurrentSession | null;
      readonly reason: Exclude<RefreshEnd, 'invalid_grant'>;
      /** What the next step needs; undefined where there is none. */
      readonly step: SignInStep | undefined;
      /** `Set-Cookie`, and the `Cache-Control` that goes with it. */
      readonly headers: Headers;
    };

/** `Sessions.switchOrganization`, and without an organization `Sessions.refresh`. No request makes it throw. */
export async function switchOrganization(
  kit: SessionKit,
  request: RequestLike,
  organizationId?: string,
): Promise<SwitchOrganizationResult> {
  const cookies = headerOf(request, 'cookie');
  kit.opener.forget(cookies);
  const [{ result, content }] = await openedOf(kit, cookies);
  const here = result.status === 'active' && result.session.organizationId === organizationId;
  // Nobody to be switched, or nothing to switch.
  if (!content || here || !result.session) return handle(kit, request);

  const switched = await refresh(kit, content, organizationId);
  if (switched.kind !== 'ended') return resultOf(kit, switched, cookies);
  if (switched.reason === 'invalid_grant') return handle(kit, request);
  const { reason, error } = switched;
  // The refusal is remembered under the idempotency key of this refresh token: with a new one the user can try again.
  const refreshed = await refresh(kit, content);
  if (refreshed.kind === 'ended') return handle(kit, request);
  const stayed = await resultOf(kit, refreshed, cookies);
  return {
    status: 'refused',
    session: stayed.session ?? (result.status === 'active' ? result.session : null),
    reason,
    step: stepOf(error),
    headers: stayed.headers,
  };
}
