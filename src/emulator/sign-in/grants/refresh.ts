import type { AuthenticationResponse } from '../../../service/authentication.js';
import { users } from '../../rooms/users/records.js';
import { oauthError } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { requiresSecondFactor } from '../proof/policies.js';
import { nextStep, startSignIn } from '../proof/sign-in.js';
import { signAccessToken } from '../sessions/access-tokens.js';
import {
  currentTokens,
  exchangeRefreshToken,
  refreshExpiry,
  type TokenRefusal,
  workingRefreshToken,
} from '../sessions/refresh-tokens.js';
import { type SessionRecord, sessions, statusOf } from '../sessions/sessions.js';
import { type Client, refusePublic } from './client.js';
import { answerOf, flowError, requireMembership } from './flow.js';

/** A client's request for new tokens. */
interface RefreshRequest {
  readonly refreshToken: string;
  /** Organization to switch the session to. */
  readonly organizationId?: string | undefined;
}

/**
 * Refresh a session, and optionally switch its organization. Emits no event.
 *
 * @throws {EmulatorRefusal} 400 `invalid_grant` for an invalid or expired token, or `invalid_client`. A switch can also fail with 403
 * `user_not_organization_member` or an error of the organization's policy. These do not use up the token.
 */
export async function refresh(
  memory: Memory,
  client: Client,
  request: RefreshRequest,
): Promise<View<AuthenticationResponse>> {
  const { organizationId } = request;
  const first = checkRefresh(memory, client, request);
  const isRepeated = first.token.usedAt !== null && !first.isSwitch;
  const signed = isRepeated
    ? undefined
    : await signAccessToken(memory, {
        ...first.session,
        organizationId: organizationId ?? first.session.organizationId,
      });
  // While the token was signed, another request may have used the refresh token or ended the session.
  const { token, session, isSwitch } = checkRefresh(memory, client, request);
  if (token.usedAt !== null && !isSwitch) return answerOf(memory, session, currentTokens(memory, session.id));
  const renewal = memory.of(sessions).update(session.id, {
    organizationId: organizationId ?? session.organizationId,
    expiresAt: refreshExpiry(memory),
  });
  const tokens =
    token.usedAt === null ? exchangeRefreshToken(memory, token, signed!) : currentTokens(memory, session.id, signed);
  return answerOf(memory, renewal, tokens);
}

/** Check a request for new tokens. Changes nothing. @throws {EmulatorRefusal} */
function checkRefresh(memory: Memory, client: Client, { refreshToken, organizationId }: RefreshRequest) {
  const token = workingRefreshToken(memory, refreshToken);
  if (typeof token === 'string') throw tokenRefusal(token);
  const session = memory.of(sessions).get(token.sessionId);
  if (session.clientId !== client.clientId) throw tokenRefusal('unknown');
  if (!session.isPublic) refusePublic(client);
  if (statusOf(memory, session) !== 'active') throw tokenRefusal('expired');
  const isSwitch = organizationId !== undefined && organizationId !== session.organizationId;
  if (isSwitch) checkSwitch(memory, session, organizationId);
  return { token, session, isSwitch };
}

/** Check that a session may switch to an organization. @throws {EmulatorRefusal} If it may not. */
function checkSwitch(memory: Memory, session: SessionRecord, organizationId: string): void {
  const { userId, method, connectionId, secondFactor, impersonator } = session;
  const signIn = startSignIn(session, userId, method, { organizationId, connectionId, secondFactor, impersonator });
  requireMembership(memory, signIn);
  const step = nextStep(memory, signIn);
  if (step.kind === 'ready') return;
  // A factor enrolled during the session is required only if a policy or the settings require a second factor.
  const { email } = memory.of(users).get(userId);
  if (step.kind === 'mfa_challenge' && !requiresSecondFactor(memory, email, organizationId)) return;
  throw flowError(memory, signIn, step);
}

const reasons: Readonly<Record<TokenRefusal, string>> = {
  unknown: 'This refresh token is unknown, was already used, or its session has ended',
  used: 'This refresh token was already used; refresh tokens work once. Use the token from the last response',
  expired: 'This refresh token and its session have expired. Sign in again',
};

const tokenRefusal = (why: TokenRefusal) => oauthError(400, 'invalid_grant', reasons[why]);
