import { organizationDomains as api } from '../../../service/organization-domains.js';
import type { RoomPart } from '../../server/router.js';
import {
  hostOf,
  insertDomain,
  objectionTo,
  organizationDomains,
  refuseDomains,
  refuseTakenDomain,
  removeDomain,
  startVerification,
} from './domains.js';
import { organizations } from './records.js';

export const domainRoutes: RoomPart = {
  routes(router) {
    router.on(api.get, ({ world, params }) => world.of(organizationDomains).get(params.id));

    router.on(api.create, ({ world, body, emit }) => {
      const { id: organizationId } = world.of(organizations).get(body.organizationId);
      refuseDomains([objectionTo(world, body.domain, 'domain')]);
      // The objection above has left only names that are hosts.
      const host = hostOf(body.domain)!;
      refuseTakenDomain(world, host);
      const domain = insertDomain(world, { organizationId, domain: host, state: 'pending' });
      emit('organization_domain.created', domain);
      return domain;
    });

    router.on(api.verify, ({ world, params }) => startVerification(world, params.id));

    router.on(api.delete, ({ world, params }) => removeDomain(world, params.id));
  },
};
