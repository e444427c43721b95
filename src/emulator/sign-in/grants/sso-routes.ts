import { sso as api } from '../../../service/sso.js';
import { answerValue } from '../../http/answer.js';
import type { RoomPart } from '../../http/router.js';
import { profileView } from '../../rooms/connections/profiles.js';
import { profiles } from '../../rooms/connections/records.js';
import { invalidRequest, oauthError } from '../../store/refusal.js';
import { redeemAuthorizationCode } from '../codes/authorization-codes.js';
import { issueSsoToken, profileByToken, ssoTokenSeconds } from '../sso/sso-tokens.js';
import { clientOf, refusePublic } from './client.js';

export const ssoRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.getProfileAndToken,
      async ({ memory, body }) => {
        if (body.grantType !== 'authorization_code')
          throw oauthError(400, 'unsupported_grant_type', 'The only supported grant_type is authorization_code');
        const client = clientOf(memory, body, api.getProfileAndToken.path);
        const { code, codeVerifier } = body;
        if (codeVerifier === undefined) refusePublic(client, ', or as a public client the code_verifier');
        const { id: codeId, profileId } = await redeemAuthorizationCode(memory, {
          code,
          codeVerifier,
          clientId: client.clientId,
          purpose: 'sso',
        });
        const profile = memory.of(profiles).find(profileId ?? '');
        if (!profile) throw oauthError(400, 'invalid_grant', 'The profile of this code has been deleted');
        const answer = {
          accessToken: issueSsoToken(memory, profile.id, codeId),
          profile: profileView(memory, profile),
          ...(memory.settings.dialect.extraResponseFields ? { tokenType: 'Bearer', expiresIn: ssoTokenSeconds } : {}),
        };
        // Tokens must not be cached (RFC 6749).
        return answerValue(answer, { headers: { 'cache-control': 'no-store' } });
      },
      { invalid: invalidRequest },
    );

    router.on(api.getProfile, ({ memory, request }) =>
      profileView(memory, profileByToken(memory, request.headers.get('authorization'))),
    );
  },
};
