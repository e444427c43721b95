import type { AuthenticationResponse } from '../../../service/authentication.js';
import { users } from '../../rooms/users/records.js';
import { oauthError } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { World } from '../../world/world.js';
import { type Client, refusePublic } from '../flow/client.js';
import { flowError, requireMembership, tokensOf } from '../flow/flow.js';
import { requiresSecondFactor } from '../flow/policies.js';
import { beginSignIn, nextStep } from '../flow/sign-in.js';
import { exchangeRefreshToken, refreshExpiry, type TokenRefusal, workingRefreshToken } from './refresh-tokens.js';
import { type SessionRecord, sessions, statusOf } from './sessions.js';

/** A client's request for new tokens. */
export interface RefreshRequest {
  readonly refreshToken: string;
  /** Organization to switch the session to. */
  readonly organizationId?: string | undefined;
}

/**
 * Refresh a session, and optionally switch its organization. Emits no event.
 *
 * @throws {Refusal} 400 `invalid_grant` for an invalid or expired token, or `invalid_client`. A switch can also fail with 403
 * `user_not_organization_member` or an error of the organization's policy. These do not use up the token.
 */
export async function refresh(
  world: World,
  client: Client,
  { refreshToken, organizationId }: RefreshRequest,
): Promise<View<AuthenticationResponse>> {
  const token = workingRefreshToken(world, refreshToken);
  if (typeof token === 'string') throw tokenRefusal(token);
  const session = world.of(sessions).get(token.sessionId);
  if (session.clientId !== client.clientId) throw tokenRefusal('unknown');
  if (!session.isPublic) refusePublic(client);
  if (statusOf(world, session) !== 'active') throw tokenRefusal('expired');
  if (organizationId !== undefined && organizationId !== session.organizationId)
    checkSwitch(world, session, organizationId);
  const next = exchangeRefreshToken(world, token);
  const renewal = world.of(sessions).update(session.id, {
    organizationId: organizationId ?? session.organizationId,
    expiresAt: refreshExpiry(world),
    updatedAt: world.now,
  });
  return tokensOf(world, renewal, next);
}

/** Check that a session may switch to an organization. @throws {Refusal} If it may not. */
function checkSwitch(world: World, session: SessionRecord, organizationId: string): void {
  const { userId, method, connectionId, secondFactor, impersonator } = session;
  const signIn = beginSignIn(session, userId, method, { organizationId, connectionId, secondFactor, impersonator });
  requireMembership(world, signIn);
  const step = nextStep(world, signIn);
  if (step.kind === 'ready') return;
  // A factor enrolled during the session is required only if a policy or the settings require a second factor.
  const { email } = world.of(users).get(userId);
  if (step.kind === 'mfa_challenge' && !requiresSecondFactor(world, email, organizationId)) return;
  throw flowError(world, signIn, step);
}

const reasons: Readonly<Record<TokenRefusal, string>> = {
  unknown: 'This refresh token is unknown, was already used, or its session has ended',
  used: 'This refresh token was already used; refresh tokens work once. Use the token from the last response',
  expired: 'This refresh token and its session have expired. Sign in again',
};

const tokenRefusal = (why: TokenRefusal) => oauthError(400, 'invalid_grant', reasons[why]);
