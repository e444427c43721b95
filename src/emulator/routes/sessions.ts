import { sessions as api } from '../../service/sessions.js';
import type { Room } from '../router.js';
import { memberships } from '../state/memberships.js';
import { organizations } from '../state/organizations.js';
import { pendingAuthentications } from '../state/pending-authentications.js';
import { dropSessionsOf, revokeSession, revokeSessionsIn, sessions, shownSession } from '../state/sessions.js';
import { users } from '../state/users.js';
import { mapPage } from '../store.js';

export const sessionsRoom: Room = {
  routes(router) {
    router.list(api.list, ({ world, params, list }) => {
      const { id } = world.of(users).get(params.id);
      return mapPage(world.of(sessions).where('userId', id).page(list), (session) => shownSession(world, session));
    });

    router.on(api.revoke, ({ world, body }) => {
      revokeSession(world, body.sessionId);
    });
  },

  start(world) {
    world.of(users).onDelete(({ id }) => {
      world.of(pendingAuthentications).deleteWhere('userId', id);
      dropSessionsOf(world, id);
    });
    world.of(organizations).onDelete(({ id }) => revokeSessionsIn(world, id));
    world.of(memberships).onDelete(({ userId, organizationId }) => revokeSessionsIn(world, organizationId, userId));
  },
};
