import { sessions as api } from '../../../service/sessions.js';
import type { RoomPart } from '../../http/router.js';
import { memberships } from '../../rooms/memberships/records.js';
import { organizations } from '../../rooms/organizations/records.js';
import { users } from '../../rooms/users/records.js';
import { mapPage } from '../../store/selection.js';
import { dropPolicyOf } from '../proof/policies.js';
import { dropFeaturesOf } from './features.js';
import { dropSessionsOf, revokeSession, revokeSessionsIn, sessions, sessionView } from './sessions.js';

export const sessionRoutes: RoomPart = {
  routes(router) {
    router.list(api.list, ({ memory, params, list }) => {
      const { id } = memory.of(users).get(params.id);
      return mapPage(memory.of(sessions).where('userId', id).page(list), (session) => sessionView(memory, session));
    });

    router.on(api.revoke, ({ memory, body }) => {
      revokeSession(memory, body.sessionId);
    });
  },

  start(memory) {
    memory.onDelete(users, ({ id }, memory) => {
      dropSessionsOf(memory, id);
      dropFeaturesOf(memory, id);
    });
    memory.onDelete(organizations, ({ id }, memory) => {
      dropPolicyOf(memory, id);
      dropFeaturesOf(memory, id);
      revokeSessionsIn(memory, id);
    });
    memory.onDelete(memberships, ({ userId, organizationId }, memory) =>
      revokeSessionsIn(memory, organizationId, userId),
    );
  },
};
