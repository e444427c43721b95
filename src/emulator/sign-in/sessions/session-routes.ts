import { sessions as api } from '../../../service/sessions.js';
import type { RoomPart } from '../../http/router.js';
import { memberships } from '../../rooms/memberships/records.js';
import { organizations } from '../../rooms/organizations/records.js';
import { users } from '../../rooms/users/records.js';
import { mapPage } from '../../store/selection.js';
import { hostedSessions } from '../authorizations/browser-sessions.js';
import { pendingAuthentications } from '../flow/pending-authentications.js';
import { dropPolicyOf } from '../flow/policies.js';
import { dropFeaturesOf } from './features.js';
import { dropSessionsOf, revokeSession, revokeSessionsIn, sessions, sessionView } from './sessions.js';

export const sessionRoutes: RoomPart = {
  routes(router) {
    router.list(api.list, ({ world, params, list }) => {
      const { id } = world.of(users).get(params.id);
      return mapPage(world.of(sessions).where('userId', id).page(list), (session) => sessionView(world, session));
    });

    router.on(api.revoke, ({ world, body }) => {
      revokeSession(world, body.sessionId);
    });
  },

  start(world) {
    world.of(users).onDelete(({ id }) => {
      world.of(pendingAuthentications).deleteWhere('userId', id);
      dropSessionsOf(world, id);
      dropFeaturesOf(world, id);
    });
    // Revoking a session also ends its browser session, which must stay ended after the session is deleted.
    world.of(sessions).onDelete(({ status, codeId }) => {
      if (status === 'revoked' && codeId !== null) world.of(hostedSessions).deleteWhere('codeIds', codeId);
    });
    world.of(organizations).onDelete(({ id }) => {
      dropPolicyOf(world, id);
      dropFeaturesOf(world, id);
      revokeSessionsIn(world, id);
    });
    world.of(memberships).onDelete(({ userId, organizationId }) => revokeSessionsIn(world, organizationId, userId));
  },
};
