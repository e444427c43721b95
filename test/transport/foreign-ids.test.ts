import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { describe, expect, test } from 'vitest';
import { clientOf, failureOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';

// An id with the prefix of another resource is refused before anything is sent. Any other id is opaque.

const ulid = '01HZXW5T4M8Q2R6V9Y3B7C1D0E';
type Call = (sallyport: Sallyport) => unknown;

/** The refusal of a call, thrown or rejected, after which nothing was sent. */
async function refusalOf(call: Call): Promise<Error & { readonly argument?: string }> {
  const server = await serve({ body: wirePage([]) });
  const error = (await failureOf((async () => call(clientOf(server)))())) as Error;
  expect(error).toMatchObject({ name: 'InvalidArgumentError', code: 'invalid_argument' });
  expect(server.requests).toEqual([]);
  return error;
}

const redirectUri = 'https://app.acme.test/callback';
const code = { code: '123456', pendingAuthenticationToken: 'p' };
const export_ = { rangeStart: new Date(0), rangeEnd: new Date(1) };

describe('an id of the wrong resource type', () => {
  test.each<[argument: string, where: string, Call]>([
    ['id', 'a path', (s) => s.organizations.getOrganization(`user_${ulid}`)],
    ['organization', 'a path', (s) => s.organizations.updateOrganization({ organization: `om_${ulid}`, name: 'A' })],
    ['organizationId', 'a path', (s) => s.organizations.listOrganizationRoles({ organizationId: `role_${ulid}` })],
    ['userId', 'a path', (s) => s.userManagement.getUser(`org_${ulid}`)],
    ['userId', 'a list path', (s) => s.userManagement.listAuthFactors({ userId: `auth_factor_${ulid}` })],
    ['applicationId', 'a path', (s) => deleteApplication(s, `org_${ulid}`)],
    ['userId', 'a legacy path', (s) => s.legacy.scim.getUser('acme', `scim_grp_${ulid}`)],
    ['sessionId', 'a path', (s) => s.passwordless.sendSession(`session_${ulid}`)],
    ['userId', 'a request body', (s) => join(s, { userId: `om_${ulid}`, organizationId: 'acme' })],
    ['organizationId', 'a request body', (s) => join(s, { userId: 'ada', organizationId: `org_domain_${ulid}` })],
    ['inviterUserId', 'a request body', (s) => invite(s, { inviterUserId: `invitation_${ulid}` })],
    ['organization', 'a request body', (s) => s.portal.generateLink({ organization: `conn_${ulid}`, intent: 'sso' })],
    [
      'organizationId',
      'a request body',
      (s) => s.auditLogs.createExport({ ...export_, organizationId: `event_${ulid}` }),
    ],
    ['authenticationChallengeId', 'a request body', (s) => totp(s, `auth_factor_${ulid}`)],
    ['sessionId', 'a request body', (s) => s.userManagement.revokeSession({ sessionId: `user_${ulid}` })],
    ['organizationId', 'a list query', (s) => s.userManagement.listUsers({ organizationId: `user_${ulid}` })],
    ['directory', 'a list query', (s) => s.directorySync.listUsers({ directory: `directory_user_${ulid}` })],
    ['group', 'a list query', (s) => s.directorySync.listUsers({ group: `directory_${ulid}` })],
    ['user', 'a list query', (s) => s.directorySync.listGroups({ user: `user_${ulid}` })],
    ['after', 'a list query', (s) => s.events.listEvents({ after: `we_${ulid}` })],
    ['before', 'a list query', (s) => s.organizations.listOrganizations({ before: `user_${ulid}` })],
    ['connectionId', 'a URL', (s) => address(s, { connectionId: `org_${ulid}` })],
    ['organizationId', 'a URL', (s) => address(s, { organizationId: `conn_${ulid}` })],
    ['sessionId', 'a URL', (s) => s.userManagement.getLogoutUrl({ sessionId: `user_${ulid}` })],
  ])('is rejected if passed as "%s" in %s', async (argument, _, call) => {
    expect((await refusalOf(call)).argument).toBe(argument);
  });

  test('is rejected if passed in the query of an iterated list', async () => {
    const error = await refusalOf(async (s) => {
      for await (const _ of s.directorySync.listUsers({ directory: `org_${ulid}` })) throw new Error('an item came');
    });

    expect(error.argument).toBe('directory');
  });

  test.each([
    ['org_domain_1', 'org_domain_'],
    ['directory_grp_1', 'directory_grp_'],
    ['directory_usr_1', 'directory_usr_'],
    ['directory_1', 'directory_'],
    ['inv_1', 'inv_'],
    ['evt_1', 'evt_'],
    ['audit_export_1', 'audit_export_'],
    ['user_ada_lovelace', 'user_'],
    [`user_${ulid}`, 'user_'],
  ])('such as %s is rejected with an error that names the longest matching prefix, %s', async (id, prefix) => {
    const error = await refusalOf((s) => s.organizations.getOrganization(id));

    expect(error.message).toBe(
      `organizations.getOrganization needs id to be an id that begins with org_, not with ${prefix}. Correct id.`,
    );
  });
});

describe('the client', () => {
  test.each([
    ['an id of the expected resource type', `org_${ulid}`],
    ['an id chosen in a seed', 'org_acme'],
    ['an id without a prefix', 'acme'],
    ['an id with an unknown prefix', `tenant_${ulid}`],
    ['an id with an unknown prefix that begins like a known prefix', `directory_edp_${ulid}`],
    ['an id that contains a prefix', `my_user_${ulid}`],
    ['an id that starts like the prefix user_ but has no underscore', 'username'],
  ])('does not change %s', async (_, id) => {
    const server = await serve({ body: wireOrganization() });

    await clientOf(server).organizations.getOrganization(id);

    expect(server.requests[0]?.path).toBe(`/organizations/${id}`);
  });

  test.each<[string, Call]>([
    ['an external id', (s) => s.organizations.getOrganizationByExternalId(`user_${ulid}`)],
    [
      "an application's id for its own resource",
      (s) => s.fga.getResource({ resourceType: 'member', resourceId: `user_${ulid}` }),
    ],
    ["an application's id for an actor", (s) => s.auditLogs.createEvent('org_acme', auditEvent)],
    ["a provider's id", (s) => s.directorySync.listUsers({ directory: 'directory_acme', idpId: `user_${ulid}` })],
    ['a connection id chosen in a seed', (s) => s.sso.getConnection('conn_test')],
    ['a cursor of a list whose items have no ids', (s) => s.fga.listWarrants({ after: `user_${ulid}` })],
  ])('accepts %s', async (_, call) => {
    const server = await serve({ status: 418 });

    expect(await failureOf((async () => call(clientOf(server)))())).toMatchObject({ status: 418 });
  });

  test('rejects an id that the emulator created for another resource type', async () => {
    const emulator = await createEmulator();
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const acme = await sallyport.organizations.createOrganization({ name: 'Acme' });
    const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
    const membership = await join(sallyport, { userId: ada.id, organizationId: acme.id });
    const invitation = await invite(sallyport, { organizationId: acme.id });
    const endpoint = { endpointUrl: 'https://acme.test/webhooks', events: [] };
    const { id: endpointId } = await sallyport.webhooks.createWebhookEndpoint(endpoint);
    const domain = { organizationId: acme.id, domain: 'acme.test' };
    const { id: domainId } = await sallyport.organizationDomains.createOrganizationDomain(domain);

    for (const id of [ada.id, membership.id, invitation.id, endpointId, domainId])
      expect(await failureOf(sallyport.organizations.getOrganization(id))).toMatchObject({ argument: 'id' });
    expect((await sallyport.organizations.getOrganization(acme.id)).name).toBe('Acme');
  });
});

const auditEvent = {
  action: 'invoice.viewed',
  occurredAt: new Date(),
  actor: { type: 'user', id: `org_${ulid}` },
  targets: [{ type: 'invoice', id: 'inv_42' }],
  context: { location: '::1' },
};
const join = (s: Sallyport, payload: { userId: string; organizationId: string }) =>
  s.userManagement.createOrganizationMembership(payload);
const invite = (s: Sallyport, payload: { inviterUserId?: string; organizationId?: string }) =>
  s.userManagement.sendInvitation({ email: 'grace@acme.test', ...payload });
const totp = (s: Sallyport, authenticationChallengeId: string) =>
  s.userManagement.authenticateWithTotp({ ...code, authenticationChallengeId });
const address = (s: Sallyport, selector: { connectionId: string } | { organizationId: string }) =>
  s.userManagement.getAuthorizationUrl({ ...selector, redirectUri });
const deleteApplication = (s: Sallyport, applicationId: string) =>
  s.userManagement.deleteUserAuthorizedApplication({ userId: 'user_ada', applicationId });
