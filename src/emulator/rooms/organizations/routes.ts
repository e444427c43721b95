import { organizations as api } from '../../../service/organizations.js';
import { viewsOf } from '../../http/render-cache.js';
import type { RoomPart } from '../../http/router.js';
import { notFound } from '../../store/refusal.js';
import { hostOf, organizationDomains, removeDomain, replaceDomains } from './domains.js';
import { labelsAfter } from './labels.js';
import {
  checkOrganization,
  insertOrganization,
  type OrganizationRecord,
  organizations,
  organizationView,
} from './records.js';
import { addRole, deleteRolesOf, rolesOf, roleView } from './roles.js';

export const organizationRoutes: RoomPart = {
  routes(router) {
    router.list(api.list, ({ world, query, list }) => {
      const domains = world.of(organizationDomains);
      const ownerOf = (name: string) => domains.by('domain', hostOf(name) ?? '')?.organizationId;
      const search = query.search?.toLowerCase();
      const matches = ({ id, name }: OrganizationRecord): boolean =>
        search === undefined ||
        name.toLowerCase().includes(search) ||
        domains.where('organizationId', id).find(({ domain }) => domain.includes(search)) !== undefined;
      const all = world.of(organizations);
      const page = query.domains
        ? all.among(query.domains.map(ownerOf)).page(list, matches)
        : all.page(list, {}, search === undefined ? undefined : matches);
      return viewsOf(page, organizationView);
    });

    router.on(api.get, ({ world, params }) => organizationView(world, world.of(organizations).get(params.id)));

    router.on(api.getByExternalId, ({ world, params }) => {
      const organization = world.of(organizations).by('externalId', params.externalId);
      if (!organization) throw notFound('organization', params.externalId, 'external id');
      return organizationView(world, organization);
    });

    router.on(api.create, ({ world, body, emit }) => {
      const domains = checkOrganization(world, body);
      const record = insertOrganization(world, body);
      const changes = replaceDomains(world, record.id, domains ?? []);
      const organization = organizationView(world, record);
      emit('organization.created', organization);
      changes.emit();
      return organization;
    });

    router.on(api.update, ({ world, params, body, now, emit }) => {
      const before = world.of(organizations).get(params.id);
      const domains = checkOrganization(world, body, params.id);
      const record = world.of(organizations).update(params.id, {
        name: body.name ?? before.name,
        allowProfilesOutsideOrganization:
          body.allowProfilesOutsideOrganization ?? before.allowProfilesOutsideOrganization,
        billingCustomerId: body.billingCustomerId === undefined ? before.billingCustomerId : body.billingCustomerId,
        externalId: body.externalId === undefined ? before.externalId : body.externalId,
        metadata: labelsAfter(before.metadata, body.metadata),
        updatedAt: now,
      });
      const changes = domains && replaceDomains(world, params.id, domains);
      const organization = organizationView(world, record);
      emit('organization.updated', organization);
      changes?.emit();
      return organization;
    });

    router.on(api.delete, ({ world, params, emit }) => {
      const organization = organizationView(world, world.of(organizations).get(params.id));
      world.of(organizations).delete(params.id);
      emit('organization.deleted', organization);
    });

    router.data(api.listRoles, ({ world, params }) => {
      const { id } = world.of(organizations).get(params.organizationId);
      return rolesOf(world, id).map((role) => roleView(world, role));
    });
  },

  begin(world) {
    addRole(world, { slug: 'admin', description: 'Can do everything' });
    addRole(world, { slug: 'member', description: 'Default role of members' });
  },

  start(world) {
    world.of(organizations).onDelete(({ id }) => {
      for (const domain of world.of(organizationDomains).where('organizationId', id).values())
        removeDomain(world, domain.id);
      deleteRolesOf(world, id);
    });
  },
};
