import { organizations as api } from '../../../service/organizations.js';
import type { RoomPart } from '../../http/router.js';
import { notFound } from '../../store/refusal.js';
import { mapPage } from '../../store/selection.js';
import { changeRetention } from '../audit-logs/events.js';
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
    router.list(api.list, ({ memory, query, list }) => {
      const domains = memory.of(organizationDomains);
      const ownerOf = (name: string) => domains.by('domain', hostOf(name) ?? '')?.organizationId;
      const search = query.search?.toLowerCase();
      const matches = ({ id, name }: OrganizationRecord): boolean =>
        search === undefined ||
        name.toLowerCase().includes(search) ||
        domains.where('organizationId', id).find(({ domain }) => domain.includes(search)) !== undefined;
      const all = memory.of(organizations);
      const page = query.domains
        ? all.among(query.domains.map(ownerOf)).page(list, matches)
        : all.page(list, {}, search === undefined ? undefined : matches);
      return mapPage(page, (record) => organizationView(memory, record));
    });

    router.on(api.get, ({ memory, params }) => organizationView(memory, memory.of(organizations).get(params.id)));

    router.on(api.getByExternalId, ({ memory, params }) => {
      const organization = memory.of(organizations).by('externalId', params.externalId);
      if (!organization) throw notFound('organization', params.externalId, 'external id');
      return organizationView(memory, organization);
    });

    router.on(api.create, ({ memory, body, emit }) => {
      const domains = checkOrganization(memory, body);
      const record = insertOrganization(memory, body);
      const changes = replaceDomains(memory, record.id, domains ?? []);
      const organization = organizationView(memory, record);
      emit('organization.created', organization);
      changes.emit();
      return organization;
    });

    router.on(api.update, ({ memory, params, body, emit }) => {
      const before = memory.of(organizations).get(params.id);
      const domains = checkOrganization(memory, body, params.id);
      const record = memory.of(organizations).update(params.id, {
        name: body.name ?? before.name,
        allowProfilesOutsideOrganization:
          body.allowProfilesOutsideOrganization ?? before.allowProfilesOutsideOrganization,
        billingCustomerId: body.billingCustomerId === undefined ? before.billingCustomerId : body.billingCustomerId,
        externalId: body.externalId === undefined ? before.externalId : body.externalId,
        metadata: labelsAfter(before.metadata, body.metadata),
      });
      const changes = domains && replaceDomains(memory, params.id, domains);
      const organization = organizationView(memory, record);
      emit('organization.updated', organization);
      changes?.emit();
      return organization;
    });

    router.on(api.delete, ({ memory, params, emit }) => {
      const organization = organizationView(memory, memory.of(organizations).get(params.id));
      memory.delete(organizations, params.id);
      emit('organization.deleted', organization);
    });

    router.on(api.getAuditLogsRetention, ({ memory, params }) => memory.of(organizations).get(params.id));

    router.on(api.updateAuditLogsRetention, ({ memory, params, body }) =>
      changeRetention(memory, params.id, body.retentionPeriodInDays),
    );

    router.data(api.listRoles, ({ memory, params }) => {
      const { id } = memory.of(organizations).get(params.organizationId);
      return rolesOf(memory, id).map((role) => roleView(memory, role));
    });
  },

  begin(memory) {
    addRole(memory, { slug: 'admin', description: 'Can do everything' });
    addRole(memory, { slug: 'member', description: 'Default role of members' });
  },

  start(memory) {
    memory.onDelete(organizations, ({ id }, memory) => {
      for (const domain of memory.of(organizationDomains).where('organizationId', id).values())
        removeDomain(memory, domain.id);
      deleteRolesOf(memory, id);
    });
  },
};
