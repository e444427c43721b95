import { type AuthenticationResponse, userManagement as api } from '../../../service/authentication.js';
import { type AnswerValue, answerValue } from '../../http/answer.js';
import type { RawInput, RoomPart } from '../../http/router.js';
import { users } from '../../rooms/users/records.js';
import { badRequest, invalidRequest, oauthError } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { Memory } from '../../world/memory.js';
import { redeemAuthorizationCode } from '../codes/authorization-codes.js';
import { magicAuthOf } from '../codes/magic-auth.js';
import { acceptBySignIn, invitationBy } from '../proof/invited.js';
import {
  consumePending,
  type PendingAuthenticationRecord,
  pendingAuthentications,
  pendingSignIn,
} from '../proof/pending-authentications.js';
import type { Origin, SignIn } from '../proof/sign-in.js';
import { type Client, type ClientCredentials, clientOf, refusePublic } from './client.js';
import { completeSignIn, requireMembership } from './flow.js';
import { proveAddress, proveFactor, proveMagicAuth, provePassword } from './proofs.js';
import { refresh } from './refresh.js';

/** IP address and browser of the user. Every grant may send them. */
interface UserOrigin {
  readonly ipAddress?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** The seven grants. */
export const grantRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.authenticateWithCode,
      async ({ memory, body }) => {
        const client = clientOf(memory, body);
        const { code, codeVerifier, pendingAuthenticationToken } = body;
        if (codeVerifier === undefined) refusePublic(client, ', or as a public client the code_verifier');
        const pending =
          pendingAuthenticationToken === undefined
            ? undefined
            : pendingSignIn(memory, pendingAuthenticationToken, client.clientId);
        const invitation = invitationIn(memory, body);
        const redemption = { code, codeVerifier, clientId: client.clientId, purpose: 'user_management' } as const;
        const { id: codeId, signIn } = await redeemAuthorizationCode(memory, redemption);
        if (!memory.of(users).find(signIn.userId))
          throw oauthError(400, 'invalid_grant', 'The user of this code has been deleted');
        const signInByCode = { ...withUserOrigin(signIn, body), codeId, isPublic: !client.isConfidential };
        const combinedSignIn = pending ? combineSignIns(pending, signInByCode) : signInByCode;
        if (pending) consumePending(memory, pending);
        return tokenAnswer(await completeSignIn(memory, acceptBySignIn(memory, combinedSignIn, invitation)));
      },
      { invalid: invalidRequest, pages: 'registered' },
    );

    router.on(
      api.authenticateWithPassword,
      async ({ memory, body }) => {
        const origin = originOf(memory, body);
        const invitation = invitationIn(memory, body);
        const signIn = await provePassword(memory, origin, body);
        return tokenAnswer(await completeSignIn(memory, acceptBySignIn(memory, signIn, invitation)));
      },
      { invalid: invalidRequest, pages: 'registered' },
    );

    router.on(api.authenticateWithMagicAuth, async ({ memory, body }) => {
      const origin = originOf(memory, body);
      const { invitationToken = magicAuthOf(memory, body.email)?.invitationToken } = body;
      const invitation = invitationIn(memory, { invitationToken });
      const signIn = await proveMagicAuth(memory, origin, body);
      return tokenAnswer(await completeSignIn(memory, acceptBySignIn(memory, signIn, invitation)));
    });

    router.on(
      api.authenticateWithRefreshToken,
      async ({ memory, body }) => tokenAnswer(await refresh(memory, clientOf(memory, body), body)),
      { invalid: invalidRequest, pages: 'registered' },
    );

    router.on(
      api.authenticateWithEmailVerification,
      ({ memory, body }) => continueSignIn(memory, body, (signIn) => proveAddress(memory, signIn, body.code)),
      { subject: emailOfPending },
    );

    router.on(
      api.authenticateWithTotp,
      ({ memory, body }) =>
        continueSignIn(memory, body, (signIn) =>
          proveFactor(memory, signIn, { challengeId: body.authenticationChallengeId, code: body.code }),
        ),
      { subject: emailOfPending },
    );

    router.on(api.authenticateWithOrganizationSelection, ({ memory, body }) =>
      continueSignIn(memory, body, (signIn) => {
        const selection = { ...signIn, organizationId: body.organizationId };
        requireMembership(memory, selection);
        return selection;
      }),
    );
  },
};

/** Find the user of the pending sign-in, for the rate limit. A new code or challenge must not allow more attempts. */
function emailOfPending(memory: Memory, { body }: RawInput): string | undefined {
  const token = (body as Readonly<Record<string, unknown>> | undefined)?.pending_authentication_token;
  const pending = typeof token === 'string' ? memory.of(pendingAuthentications).by('token', token) : undefined;
  return pending && memory.of(users).find(pending.userId)?.emailKey;
}

/** Authenticate the client, and return it with the user's IP address and browser. */
function originOf(memory: Memory, body: ClientCredentials & UserOrigin): Origin {
  const client = clientOf(memory, body);
  refusePublic(client);
  return { clientId: client.clientId, ipAddress: body.ipAddress ?? null, userAgent: body.userAgent ?? null };
}

/**
 * Find the invitation that a grant accepts. This runs first, so that an invalid invitation is refused before any proof is used
 * up.
 */
const invitationIn = (memory: Memory, { invitationToken }: { readonly invitationToken?: string | undefined }) =>
  invitationToken === undefined ? undefined : invitationBy(memory, invitationToken);

/** Replace the IP address and browser of a sign-in with those that the client sent. */
const withUserOrigin = (signIn: SignIn, { ipAddress, userAgent }: UserOrigin): SignIn => ({
  ...signIn,
  ipAddress: ipAddress ?? signIn.ipAddress,
  userAgent: userAgent ?? signIn.userAgent,
});

/** Continue a pending sign-in with its next step. If the step succeeds, its token is used up, even if a later check fails. */
async function continueSignIn(
  memory: Memory,
  body: ClientCredentials & UserOrigin & { readonly pendingAuthenticationToken: string },
  step: (signIn: SignIn) => SignIn | Promise<SignIn>,
): Promise<AnswerValue> {
  const client: Client = clientOf(memory, body);
  refusePublic(client);
  const pending = pendingSignIn(memory, body.pendingAuthenticationToken, client.clientId);
  const signIn = await step(withUserOrigin(pending.signIn, body));
  consumePending(memory, pending);
  return tokenAnswer(await completeSignIn(memory, signIn));
}

/** Combine a sign-in at an identity provider with the earlier, pending one. */
function combineSignIns({ signIn: before }: PendingAuthenticationRecord, signIn: SignIn): SignIn {
  if (before.userId !== signIn.userId)
    throw badRequest(
      'invalid_pending_authentication_token',
      'The pending authentication token belongs to a different user than the code',
    );
  return {
    ...signIn,
    organizationId: signIn.organizationId ?? before.organizationId,
    secondFactor: signIn.secondFactor || before.secondFactor,
  };
}

/** Create a response with tokens, which must not be cached (RFC 6749). */
const tokenAnswer = (response: View<AuthenticationResponse>): AnswerValue =>
  answerValue(response, { headers: { 'cache-control': 'no-store' } });
