import type { AuthenticationResponse } from '../../service/authentication.js';
import { users } from '../rooms/users/records.js';
import { oauthError } from '../world/refusal.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import { type Client, refusePublic } from './client.js';
import { flowError, refuseOutsider, tokensOf } from './flow.js';
import { requiresSecondFactor } from './policies.js';
import { exchangeRefreshToken, refreshExpiry, type TokenRefusal, workingRefreshToken } from './refresh-tokens.js';
import { type SessionRecord, sessions, statusOf } from './sessions.js';
import { begin, nextStep } from './sign-in.js';

/** What a client shows to get the next tokens. */
export interface RefreshRequest {
  readonly refreshToken: string;
  /** Organization to switch the session to. */
  readonly organizationId?: string | undefined;
}

/**
 * Give the next tokens of a session, without an event.
 *
 * @throws {Refusal} 400 `invalid_grant` for a token that does not or no longer work, `invalid_client`; when the session is
 * to be switched, 403 `user_not_organization_member`, or what the organization demands. The token stays good then.
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
    refuseSwitch(world, session, organizationId);
  const next = exchangeRefreshToken(world, token);
  const renewal = world.of(sessions).update(session.id, {
    organizationId: organizationId ?? session.organizationId,
    expiresAt: refreshExpiry(world),
    updatedAt: world.now,
  });
  return tokensOf(world, renewal, next);
}

function refuseSwitch(world: World, session: SessionRecord, organizationId: string): void {
  const { userId, method, connectionId, secondFactor, impersonator } = session;
  const signIn = begin(session, userId, method, { organizationId, connectionId, secondFactor, impersonator });
  refuseOutsider(world, signIn);
  const step = nextStep(world, signIn);
  if (step.kind === 'ready') return;
  // A factor that was enrolled during the session is asked for only where the organization wants one.
  const { email } = world.of(users).get(userId);
  if (step.kind === 'mfa_challenge' && !requiresSecondFactor(world, email, organizationId)) return;
  throw flowError(world, signIn, step);
}

const reasons: Readonly<Record<TokenRefusal, string>> = {
  unknown: 'This refresh token is unknown, was used before, or its session has ended',
  used: 'This refresh token was used before; refresh tokens are good once. Use the one that came with the last answer',
  expired: 'This refresh token has expired, and the session with it. Sign in again',
};

const tokenRefusal = (why: TokenRefusal) => oauthError(400, 'invalid_grant', reasons[why]);
