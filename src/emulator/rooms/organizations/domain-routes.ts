import { organizationDomains as api } from '../../../service/organization-domains.js';
import type { RoomPart } from '../../http/router.js';
import { claimDomain, organizationDomains, removeDomain, resumeVerifications, startVerification } from './domains.js';
import { organizations } from './records.js';

export const domainRoutes: RoomPart = {
  routes(router) {
    router.on(api.get, ({ memory, params }) => memory.of(organizationDomains).get(params.id));

    router.on(api.create, ({ memory, body }) => {
      const { id } = memory.of(organizations).get(body.organizationId);
      return claimDomain(memory, id, body.domain);
    });

    router.on(api.verify, ({ memory, params }) => startVerification(memory, params.id));

    router.on(api.delete, ({ memory, params }) => removeDomain(memory, params.id));
  },

  resume: resumeVerifications,
};
