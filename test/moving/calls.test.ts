import { createEmulator } from 'sallyport/emulator';
import { signWebhook } from 'sallyport/webhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { company, stage } from '../stage.js';
import { callsOf } from './calls.js';

/** The result of each call, `undefined` if it has none. */
const expected: Readonly<Record<string, unknown>> = {
  'organizations.createOrganization': ['Contoso', { plan: 'team' }],
  'organizations.createOrganization with an idempotency key': true,
  'organizations.getOrganization': 'Contoso',
  'organizations.getOrganizationByExternalId': 'Contoso',
  'organizations.updateOrganization': ['Contoso AG', { plan: 'team', region: 'eu' }],
  'organizations.listOrganizations': ['Northwind Traders', 'Tailspin Toys'],
  'organizations.listOrganizations after a cursor': ['Litware', 'Fabrikam'],
  'organizations.listOrganizations by domain': 1,
  'organizationDomains.createOrganizationDomain': ['contoso-air.test', 'pending'],
  'organizationDomains.getOrganizationDomain': 'contoso-air.test',
  'organizationDomains.verifyOrganizationDomain': 'pending',
  'organizationDomains.deleteOrganizationDomain': undefined,
  'userManagement.createUser': ['nell@example.test', 'Nell', null, false, { desk: '4' }],
  'userManagement.getUser': 'nell@example.test',
  'userManagement.getUserByExternalId': 'nell@example.test',
  'userManagement.updateUser': ['Otis', 'de-DE'],
  'userManagement.listUsers by email': ['Otis'],
  'userManagement.listUsers before a cursor': [
    ['bruno@northwind.test'],
    ['ada@northwind.test'],
    ['bruno@northwind.test'],
  ],
  'userManagement.getUserIdentities': [{ idpId: '104857', type: 'OAuth', provider: 'GoogleOAuth' }],
  'userManagement.sendVerificationEmail': false,
  'userManagement.verifyEmail': true,
  'userManagement.createOrganizationMembership': [{ slug: 'member' }, 'active'],
  'userManagement.getOrganizationMembership': 'Contoso AG',
  'userManagement.updateOrganizationMembership': { slug: 'admin' },
  'userManagement.listOrganizationMemberships': ['Northwind Traders', 'Tailspin Toys'],
  'userManagement.deleteOrganizationMembership': undefined,
  'userManagement.sendInvitation': 'pending',
  'userManagement.getInvitation': 'hal@example.test',
  'userManagement.findInvitationByToken': 'hal@example.test',
  'userManagement.listInvitations': ['hal@example.test'],
  'userManagement.revokeInvitation': 'revoked',
  'userManagement.getAuthorizationUrl': 's1',
  'userManagement.authenticateWithCode': ['user_bruno', 'org_northwind', undefined],
  'userManagement.getAuthorizationUrlWithPKCE': [true, 'user_bruno'],
  'userManagement.authenticateWithPassword, sealed': 'Bruno',
  'userManagement.loadSealedSession, authenticate': [
    'user_bruno',
    'org_northwind',
    'dock-manager',
    ['docks:plan'],
    'string',
  ],
  'userManagement.loadSealedSession, without a cookie': 'no_session_cookie_provided',
  'userManagement.loadSealedSession, not sealed': 'invalid_session_cookie',
  'userManagement.loadSealedSession, refresh': 'user_bruno',
  'userManagement.loadSealedSession, getLogoutUrl': '/user_management/sessions/logout',
  'userManagement.authenticateWithRefreshToken': 'string',
  'userManagement.authenticateWithPassword, wrong': 400,
  'userManagement.createMagicAuth': 'chiara@tailspin.test',
  'userManagement.authenticateWithMagicAuth': 'user_chiara',
  'userManagement.createPasswordReset': 'nell@example.test',
  'userManagement.resetPassword': 'nell@example.test',
  'userManagement.listSessions': [['active', 'magic_code']],
  'userManagement.revokeSession': undefined,
  'userManagement.getLogoutUrl': [
    ['session_id', 'session_01'],
    ['return_to', 'https://app.harbour.test/'],
  ],
  'userManagement.getJwksUrl': 4,
  'userManagement.deleteUser': undefined,
  'sso.getAuthorizationUrl': 's2',
  'sso.getProfileAndToken': ['ada@northwind.test', 'conn_northwind', 'org_northwind', { department: 'Operations' }],
  'sso.getProfile': 'okta|ada',
  'sso.listConnections': [['conn_northwind', 'active']],
  'sso.getConnection': 'Northwind Okta',
  'directorySync.listDirectories': [['directory_northwind', 'okta scim v2.0']],
  'directorySync.getDirectory': 'Northwind people',
  'directorySync.listUsers': ['directory_user_ada', 'directory_user_bruno'],
  'directorySync.getUser': ['ada@northwind.test', ['Operations'], { cost_center: '4100' }],
  'directorySync.listGroups': ['Docks', 'Operations'],
  'directorySync.getGroup': 'Docks',
  'auditLogs.createSchema': 1,
  'auditLogs.createEvent': undefined,
  'auditLogs.createExport': 'pending',
  'auditLogs.getExport': 'ready',
  'passwordless.createSession': 'ada@northwind.test',
  'passwordless.sendSession': true,
  'events.listEvents': [['user.created', 'user.updated'], 'string'],
  'webhooks.createWebhookEndpoint': ['user.created'],
  'webhooks.listWebhookEndpoints': ['https://app.harbour.test/webhooks', 'http://127.0.0.1:3000/webhooks'],
  'webhooks.updateWebhookEndpoint': 'https://app.harbour.test/hooks',
  'webhooks.deleteWebhookEndpoint': undefined,
  'webhooks.constructEvent': 'hook@example.test',
  'webhooks.constructEvent, forged': 'refused',
  'an organization that does not exist': 404,
  'a field that is not valid': 422,
  'organizations.deleteOrganization': undefined,
};

/** Follows redirects like a browser, up to the first page outside the service. */
async function follow(address: string, service: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let location = address;
  while (location.startsWith(service)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(location, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (!next) throw new Error(`${location} answered ${response.status} and leads nowhere`);
    location = new URL(next, location).href;
  }
  return Object.fromEntries(new URL(location).searchParams);
}

/** Runs the calls against an emulator that acts as the public service. */
async function outcomes(): Promise<Record<string, unknown>> {
  const emulator = await createEmulator({ dialect: 'workos', seed: company, autoApprove: true });
  onTestFinished(() => emulator.close());
  const service = await emulator.listen(0);
  // Variables of this package take precedence over theirs.
  for (const name of ['API_KEY', 'CLIENT_ID']) vi.stubEnv(`SALLYPORT_${name}`, '');
  vi.stubEnv('SALLYPORT_DIALECT', 'workos');
  vi.stubEnv('SALLYPORT_BASE_URL', service);
  vi.stubEnv('WORKOS_API_KEY', emulator.credentials.apiKey);
  vi.stubEnv('WORKOS_CLIENT_ID', emulator.credentials.clientId);
  const secret = 'whsec_of_the_application';
  const user = { object: 'user', id: 'user_9', email: 'hook@example.test' };
  const payload = JSON.stringify({ id: 'event_1', event: 'user.created', data: user, created_at: new Date() });
  const delivery = { payload, secret, sigHeader: await signWebhook({ payload, secret, timestamp: Date.now() }) };

  const calls = callsOf({
    follow: (address) => follow(address, service),
    codeFor: (email) => emulator.inbox.latest(email)?.code ?? '',
    delivery,
  });
  const returned: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(calls))
    returned[name] = await Promise.resolve(call()).catch((error) => `${error.name}: ${error.message}`);
  return returned;
}

test('calls written for @workos-inc/node return the same results with Sallyport', async () => {
  const returned = await outcomes();

  expect(returned).toEqual(expected);
  expect(Object.keys(returned).length).toBeGreaterThan(60);
});

describe('unlike @workos-inc/node, the client', () => {
  const workos = async () => {
    const { sallyport } = await stage({ dialect: 'workos', seed: company, client: { dialect: 'workos' } });
    return sallyport;
  };

  test('returns the state "linked" (not "active") for a linked directory', async () => {
    const { directorySync } = await workos();

    expect((await directorySync.getDirectory('directory_northwind')).state).toBe('linked');
  });

  test('returns null (not undefined) for an absent field', async () => {
    const { userManagement } = await workos();
    const { code } = await userManagement.createMagicAuth({ email: 'new@example.test' });

    const signedIn = await userManagement.authenticateWithMagicAuth({ email: 'new@example.test', code });

    expect(signedIn.organizationId).toBe(null);
  });

  test('throws errors with the fields serviceCode and requestId', async () => {
    const { organizations } = await workos();

    await expect(organizations.getOrganization('org_nobody')).rejects.toMatchObject({
      code: 'not_found',
      serviceCode: 'entity_not_found',
      requestId: expect.any(String),
    });
  });
});
