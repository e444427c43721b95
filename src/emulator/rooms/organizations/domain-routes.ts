import { organizationDomains as api } from '../../../service/organization-domains.js';
import type { RoomPart } from '../../http/router.js';
import { claimDomain, organizationDomains, removeDomain, resumeVerifications, startVerification } from './domains.js';
import { organizations } from './records.js';

export const domainRoutes: RoomPart = {
  routes(router) {
    router.on(api.get, ({ world, params }) => world.of(organizationDomains).get(params.id));

    router.on(api.create, ({ world, body }) => {
      const { id } = world.of(organizations).get(body.organizationId);
      return claimDomain(world, id, body.domain);
    });

    router.on(api.verify, ({ world, params }) => startVerification(world, params.id));

    router.on(api.delete, ({ world, params }) => removeDomain(world, params.id));
  },

  resume: resumeVerifications,
};
