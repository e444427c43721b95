import { jwks as api } from '../../service/jwks.js';
import { notFound } from '../errors.js';
import type { Room } from '../router.js';
import { signingKeys } from '../state/signing-keys.js';

export const jwksRoom: Room = {
  routes(router) {
    router.on(api.get, async ({ world, params }) => {
      if (params.clientId !== world.settings.clientId) throw notFound('client', params.clientId);
      return { keys: await world.of(signingKeys).published() };
    });
  },
};
