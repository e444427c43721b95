import { userManagement } from '../../../service/authentication.js';
import { pathOf } from '../../../service/describe/operation.js';
import { jwks as api } from '../../../service/jwks.js';
import { json } from '../../http/answer.js';
import type { RoomPart } from '../../http/router.js';
import { notFound } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import { issuerOf, signingKeys } from './signing-keys.js';

export const jwksRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.get,
      async ({ memory, params }) => {
        requireClient(memory, params.clientId);
        return { keys: await memory.of(signingKeys).published() };
      },
      { pages: 'any' },
    );

    // For JWT and OAuth libraries that only know the issuer (OpenID Connect Discovery 1.0).
    router.file(
      '/user_management/:client_id/.well-known/openid-configuration',
      ({ memory, params }) => {
        const { clientId = '' } = params;
        requireClient(memory, clientId);
        return json(200, {
          issuer: issuerOf(memory),
          authorization_endpoint: memory.url(userManagement.authorize.path),
          token_endpoint: memory.url(userManagement.authenticateWithCode.path),
          jwks_uri: memory.url(pathOf(api.get, memory.settings.dialect).replace(':client_id', clientId)),
          response_types_supported: ['code'],
        });
      },
      { pages: 'any' },
    );
  },
};

function requireClient(memory: Memory, clientId: string): void {
  if (clientId !== memory.settings.clientId) throw notFound('client', clientId);
}
