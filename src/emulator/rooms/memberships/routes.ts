import { organizationMemberships as api } from '../../../service/memberships.js';
import type { Room } from '../../server/router.js';
import { mapPage } from '../../world/collection.js';
import { badRequest } from '../../world/refusal.js';
import { organizations } from '../organizations/records.js';
import {
  createMembership,
  deleteMembership,
  dropMembershipsOf,
  memberships,
  shownMembership,
  updateMembership,
} from './records.js';

export const membershipsRoom: Room = {
  routes(router) {
    router.on(api.get, ({ world, params }) => shownMembership(world, world.of(memberships).get(params.id)));

    router.list(api.list, ({ world, query: { userId, organizationId }, list }) => {
      if (userId === undefined && organizationId === undefined && world.settings.dialect.membershipsNeedFilter)
        throw badRequest(
          'missing_user_id_or_organization_id',
          'Memberships are listed by user_id, by organization_id, or by both',
        );
      const all = world.of(memberships);
      const some = userId === undefined ? all : all.where('userId', userId);
      const page = some.page(list, (one) => (organizationId ?? one.organizationId) === one.organizationId);
      return mapPage(page, (membership) => shownMembership(world, membership));
    });

    router.on(api.create, ({ world, body }) => shownMembership(world, createMembership(world, body)));

    router.on(api.update, ({ world, params, body }) =>
      shownMembership(world, updateMembership(world, params.id, body)),
    );

    router.on(api.delete, ({ world, params }) => deleteMembership(world, params.id));
  },

  start(world) {
    world.of(organizations).onDelete(({ id }) => dropMembershipsOf(world, 'organizationId', id));
  },
};
