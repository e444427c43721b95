import { jwks as api } from '../../../service/jwks.js';
import type { RoomPart } from '../../http/router.js';
import { notFound } from '../../store/refusal.js';
import { signingKeys } from './signing-keys.js';

export const jwksRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.get,
      async ({ memory, params }) => {
        if (params.clientId !== memory.settings.clientId) throw notFound('client', params.clientId);
        return { keys: await memory.of(signingKeys).published() };
      },
      { pages: 'any' },
    );
  },
};
