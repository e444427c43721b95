import { organizationMemberships as api } from '../../../service/memberships.js';
import type { RoomPart } from '../../http/router.js';
import { badRequest } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import { organizations } from '../organizations/records.js';
import { users } from '../users/records.js';
import {
  createMembership,
  deleteMembership,
  deleteMembershipsOf,
  memberships,
  membershipView,
  updateMembership,
} from './records.js';

export const membershipRoutes: RoomPart = {
  routes(router) {
    router.on(api.get, ({ memory, params }) => membershipView(memory, memory.of(memberships).get(params.id)));

    router.list(api.list, ({ memory, query, list }) => {
      const { userId, organizationId } = query;
      const { isPublicService } = memory.settings.dialect;
      if (userId === undefined && organizationId === undefined && isPublicService)
        throw badRequest('missing_user_id_or_organization_id', 'List memberships by user_id, organization_id or both');
      const statuses = query.statuses ?? (isPublicService ? ['active'] : undefined);
      const page = memory
        .of(memberships)
        .page(list, { userId, organizationId }, statuses && (({ status }) => statuses.includes(status)));
      return mapPage(page, (record) => membershipView(memory, record));
    });

    router.on(api.create, ({ memory, body }) => membershipView(memory, createMembership(memory, body)));

    router.on(api.update, ({ memory, params, body }) =>
      membershipView(memory, updateMembership(memory, params.id, body)),
    );

    router.on(api.delete, ({ memory, params }) => deleteMembership(memory, params.id));
  },

  start(memory) {
    memory.onDelete(users, ({ id }, memory) => deleteMembershipsOf(memory, 'userId', id));
    memory.onDelete(organizations, ({ id }, memory) => deleteMembershipsOf(memory, 'organizationId', id));
  },
};
