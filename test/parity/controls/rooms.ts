import { eventsOf, type Place, type Row } from './row.js';

const pick =
  (line: string, ...fields: readonly string[]) =>
  async ({ send }: Place) => {
    const { body } = await send(line);
    const all = Array.isArray(body) ? body : (body.data ?? [body]);
    return all.map((one: Readonly<Record<string, unknown>>) => fields.map((field) => one[field]));
  };
const domainOf = async ({ send }: Place) => (await send('GET /organizations/org_acme')).body.domains[0].id;
const newOrganization = async ({ emulator, send }: Place) => {
  await send('POST /organizations', { name: 'Northwind' });
  await emulator.waitForDeliveries();
};
const deliveryOf = async ({ send }: Place) => (await send('GET /_emulator/deliveries')).body.data[0].id;
const exportOf = async ({ send }: Place) => {
  const range = { range_start: '2025-12-01T00:00:00.000Z', range_end: '2026-01-01T00:00:00.000Z' };
  return (await send('POST /audit_logs/exports', { organization_id: 'org_acme', ...range })).body.id;
};

/** Controls of organizations, users, connections, webhooks and audit logs. */
export const roomRows: Readonly<Record<string, Row>> = {
  'events.waitFor': {
    before: async ({ send }) => {
      await send('POST /organizations', { name: 'Bolt' });
      await send('POST /organizations', { name: 'Core' });
    },
    inProcess: ({ events }) =>
      events.waitFor({ event: 'organization.created', match: { name: 'Core' }, timeoutMs: 1_000 }),
    request: [
      'POST /_emulator/events/wait_for',
      { event: 'organization.created', match: { name: 'Core' }, timeout_ms: 1_000 },
    ],
    answer: { object: 'event', event: 'organization.created', data: { object: 'organization', name: 'Core' } },
    shows: ({ emulator }) =>
      emulator.events.waitFor({ match: { name: 'Core' }, timeoutMs: 0 }).catch(({ message }) => message),
    then: 'No event with {"name":"Core"} occurred within 0 ms. Events so far: organization.created, organization.created (already returned). Check the type and the data. A seed does not emit events.',
    refused: {
      inProcess: ({ events }) => events.waitFor({ event: 'user.created', timeoutMs: 0 }),
      request: ['POST /_emulator/events/wait_for', { event: 'user.created', timeout_ms: 0 }],
      status: 404,
      code: 'no_event',
    },
  },
  verifyDomain: {
    find: domainOf,
    inProcess: (emulator, id) => emulator.verifyDomain(id, 'failed', 'domain_verified_by_other_organization'),
    request: [
      'POST /_emulator/organization_domains/{id}/verify',
      { outcome: 'failed', reason: 'domain_verified_by_other_organization' },
    ],
    answer: { object: 'organization_domain', domain: 'acme.test', state: 'failed' },
    shows: async ({ send }) =>
      (await send('GET /events?events[]=organization_domain.verification_failed')).body.data[0].data.reason,
    then: 'domain_verified_by_other_organization',
    refused: {
      inProcess: (emulator) => emulator.verifyDomain('org_domain_gone', 'perhaps' as 'failed'),
      request: ['POST /_emulator/organization_domains/org_domain_gone/verify', { outcome: 'perhaps' }],
      status: 422,
      code: 'validation_error',
      fields: ['outcome'],
    },
  },
  createRole: {
    inProcess: (emulator) => emulator.createRole({ slug: 'pilot', permissions: ['ships:steer'] }),
    request: ['POST /_emulator/roles', { slug: 'pilot', permissions: ['ships:steer'] }],
    answer: { object: 'role', slug: 'pilot', name: 'Pilot', permissions: ['ships:steer'], type: 'EnvironmentRole' },
    shows: (place) => eventsOf(place, 'role.created'),
    then: ['role.created'],
    refused: {
      inProcess: (emulator) => emulator.createRole({ slug: 'member' }),
      request: ['POST /_emulator/roles', { slug: 'member' }],
      status: 422,
      code: 'role_slug_already_used',
      fields: ['slug'],
    },
  },
  updateRole: {
    before: ({ emulator }) => emulator.createRole({ id: 'role_pilot', slug: 'pilot', permissions: ['ships:steer'] }),
    inProcess: (emulator) => emulator.updateRole('role_pilot', { permissions: ['ships:board'] }),
    request: ['PUT /_emulator/roles/role_pilot', { permissions: ['ships:board'] }],
    answer: { object: 'role', slug: 'pilot', name: 'Pilot', permissions: ['ships:board'] },
    shows: (place) => eventsOf(place, 'role.updated'),
    then: ['role.updated'],
    refused: {
      inProcess: (emulator) => emulator.updateRole('role_gone', {}),
      request: ['PUT /_emulator/roles/role_gone', {}],
      status: 404,
      code: 'entity_not_found',
    },
  },
  linkIdentity: {
    inProcess: (emulator) => emulator.linkIdentity({ userId: 'user_ada', idpId: '42', provider: 'GoogleOAuth' }),
    request: ['POST /_emulator/identities', { user_id: 'user_ada', idp_id: '42', provider: 'GoogleOAuth' }],
    answer: { idp_id: '42', type: 'OAuth', provider: 'GoogleOAuth' },
    shows: pick('GET /user_management/users/user_ada/identities', 'idp_id', 'provider'),
    then: [['42', 'GoogleOAuth']],
    refused: {
      inProcess: (emulator) => emulator.linkIdentity({ userId: 'user_gone', idpId: '42', provider: 'GoogleOAuth' }),
      request: ['POST /_emulator/identities', { user_id: 'user_gone', idp_id: '42', provider: 'GoogleOAuth' }],
      status: 404,
      code: 'entity_not_found',
    },
  },
  createConnectApplication: {
    inProcess: (emulator) => emulator.createConnectApplication({ name: 'Maps', clientId: 'client_maps' }),
    request: ['POST /_emulator/connect_applications', { name: 'Maps', client_id: 'client_maps' }],
    answer: { object: 'connect_application', name: 'Maps', client_id: 'client_maps', application_type: 'oauth' },
    shows: async ({ send }) =>
      (await send('POST /_emulator/connect_applications', { name: 'Maps', client_id: 'client_maps' })).body.code,
    then: 'client_id_already_used',
    refused: {
      inProcess: (emulator) => emulator.createConnectApplication({ name: 'Notes', clientId: 'client_notes' }),
      request: ['POST /_emulator/connect_applications', { name: 'Notes', client_id: 'client_notes' }],
      status: 400,
      code: 'client_id_already_used',
    },
  },
  authorizeApplication: {
    inProcess: (emulator) => emulator.authorizeApplication({ userId: 'user_ada', applicationId: 'client_notes' }),
    request: ['POST /_emulator/authorized_applications', { user_id: 'user_ada', application_id: 'client_notes' }],
    answer: { object: 'authorized_connect_application', granted_scopes: ['notes:read'] },
    shows: pick('GET /user_management/users/user_ada/authorized_applications', 'granted_scopes'),
    then: [[['notes:read']]],
    refused: {
      inProcess: (emulator) => emulator.authorizeApplication({ userId: 'user_ada' } as never),
      request: ['POST /_emulator/authorized_applications', { user_id: 'user_ada' }],
      status: 422,
      code: 'validation_error',
      fields: ['application_id'],
    },
  },
  createConnection: {
    inProcess: (emulator) => emulator.createConnection({ connectionType: 'EntraIdOIDC', organizationId: 'org_acme' }),
    request: ['POST /_emulator/connections', { connection_type: 'EntraIdOIDC', organization_id: 'org_acme' }],
    answer: { object: 'connection', connection_type: 'EntraIdOIDC', name: 'Acme', state: 'active' },
    shows: (place) => eventsOf(place, 'connection.activated'),
    then: ['connection.activated'],
    refused: {
      inProcess: (emulator) => emulator.createConnection({ connectionType: 'OktaSAML', state: 'on' as 'active' }),
      request: ['POST /_emulator/connections', { connection_type: 'OktaSAML', state: 'on' }],
      status: 422,
      code: 'validation_error',
      fields: ['state'],
    },
  },
  activateConnection: {
    inProcess: (emulator) => emulator.activateConnection('conn_draft'),
    request: ['POST /_emulator/connections/conn_draft/activate'],
    answer: { id: 'conn_draft', state: 'active' },
    shows: pick('GET /connections/conn_draft', 'state'),
    then: [['active']],
    refused: {
      inProcess: (emulator) => emulator.activateConnection('conn_gone'),
      request: ['POST /_emulator/connections/conn_gone/activate'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  deactivateConnection: {
    inProcess: (emulator) => emulator.deactivateConnection('conn_okta'),
    request: ['POST /_emulator/connections/conn_okta/deactivate'],
    answer: { id: 'conn_okta', state: 'inactive' },
    shows: (place) => eventsOf(place, 'connection.deactivated'),
    then: ['connection.deactivated'],
    refused: {
      inProcess: (emulator) => emulator.deactivateConnection('conn_draft'),
      request: ['POST /_emulator/connections/conn_draft/deactivate'],
      status: 400,
      code: 'connection_not_active',
    },
  },
  allowIdpInitiatedSso: {
    inProcess: (emulator) => emulator.allowIdpInitiatedSso('conn_okta', false),
    request: ['PUT /_emulator/connections/conn_okta/idp_initiated_sso', { allowed: false }],
    shows: async ({ emulator }) => {
      await emulator.addRedirectUri('https://app.acme.test/callback');
      const url = `${emulator.url}/sso/idp-initiated/conn_okta?login_hint=ada@acme.test`;
      const answer = await emulator.fetch(url, { redirect: 'manual' });
      return new URL(answer.headers.get('location')!).searchParams.get('error');
    },
    then: 'idp_initiated_sso_disabled',
    refused: {
      inProcess: (emulator) => emulator.allowIdpInitiatedSso('conn_okta', undefined as unknown as boolean),
      request: ['PUT /_emulator/connections/conn_okta/idp_initiated_sso', {}],
      status: 422,
      code: 'validation_error',
      fields: ['allowed'],
    },
  },
  createProfile: {
    inProcess: (emulator) => emulator.createProfile({ connectionId: 'conn_okta', email: 'zoe@acme.test' }),
    request: ['POST /_emulator/profiles', { connection_id: 'conn_okta', email: 'zoe@acme.test' }],
    answer: { object: 'profile', email: 'zoe@acme.test', idp_id: 'zoe@acme.test', connection_type: 'OktaSAML' },
    // The identity provider has one person, so the request does not need to name one.
    shows: async (place) => {
      await place.send(`PUT /organizations/org_acme`, { allow_profiles_outside_organization: true });
      const query = 'client_id=client_sallyport_emulator&response_type=code&connection=conn_okta';
      const uri = 'redirect_uri=http://localhost:3000/callback';
      const answer = await place.emulator.fetch(`${place.emulator.url}/sso/authorize?${query}&${uri}`, {
        redirect: 'manual',
      });
      return new URL(answer.headers.get('location')!).searchParams.has('code');
    },
    then: true,
    refused: {
      inProcess: (emulator) => emulator.createProfile({ connectionId: 'conn_okta' } as never),
      request: ['POST /_emulator/profiles', { connection_id: 'conn_okta' }],
      status: 422,
      code: 'validation_error',
      fields: ['email'],
    },
  },
  listDeliveries: {
    before: newOrganization,
    inProcess: (emulator) => emulator.listDeliveries(),
    request: ['GET /_emulator/deliveries'],
    answer: [
      {
        endpoint_id: 'we_app',
        event: 'organization.created',
        attempts: [{ at: '2026-01-01T00:00:00.000Z', status: 200 }],
        state: 'delivered',
      },
    ],
    shows: async ({ emulator }) => emulator.deliveries.length,
    then: 1,
  },
  waitForDeliveries: {
    before: ({ send }) => send('POST /organizations', { name: 'Northwind' }),
    inProcess: (emulator) => emulator.waitForDeliveries(),
    request: ['POST /_emulator/deliveries/wait_for'],
    shows: pick('GET /_emulator/deliveries', 'state'),
    then: [['delivered']],
  },
  redeliver: {
    before: newOrganization,
    find: deliveryOf,
    inProcess: (emulator, id) => emulator.redeliver(id),
    request: ['POST /_emulator/deliveries/{id}/redeliver'],
    answer: { event: 'organization.created', state: 'delivered' },
    shows: async ({ emulator }) => emulator.deliveries[0]?.attempts.length,
    then: 2,
    refused: {
      inProcess: (emulator) => emulator.redeliver('delivery_gone'),
      request: ['POST /_emulator/deliveries/delivery_gone/redeliver'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  listAuditTrailEvents: {
    before: async ({ send }) => {
      for (const group of ['acme', 'other'])
        await send('POST /events', {
          group,
          location: '203.0.113.7',
          action: 'user.logged_out',
          action_type: 'U',
          actor_name: 'Ada',
          actor_id: 'user_ada',
          target_name: 'Ada',
          target_id: 'user_ada',
          occurred_at: '2026-01-01T00:00:00.000Z',
        });
    },
    inProcess: (emulator) => emulator.listAuditTrailEvents({ group: 'acme' }),
    request: ['GET /_emulator/audit_trail_events?group=acme'],
    answer: [{ group: 'acme', action: 'user.logged_out', action_type: 'U', actor_id: 'user_ada' }],
    shows: pick('GET /_emulator/audit_trail_events', 'group'),
    then: [['acme'], ['other']],
  },
  failAuditExport: {
    find: exportOf,
    inProcess: (emulator, id) => emulator.failAuditExport(id),
    request: ['POST /_emulator/audit_log_exports/{id}/fail'],
    answer: { object: 'audit_log_export', state: 'error' },
    shows: async ({ send }, id) => (await send(`GET /audit_logs/exports/${id}`)).body.state,
    then: 'error',
    refused: {
      inProcess: (emulator) => emulator.failAuditExport('audit_log_export_gone'),
      request: ['POST /_emulator/audit_log_exports/audit_log_export_gone/fail'],
      status: 404,
      code: 'entity_not_found',
    },
  },
};
