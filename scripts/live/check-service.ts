import { Sallyport } from '../../src/index.js';
import { operationNamed } from '../../src/service/operations.js';
import { undescribedIn } from './undescribed.js';

type Options = NonNullable<ConstructorParameters<typeof Sallyport>[0]>;

/** What the check found. */
export interface Report {
  /** The operations whose responses were compared with their descriptions. */
  readonly compared: readonly string[];
  /** What differs from the descriptions, and calls that failed, one line each. */
  readonly findings: readonly string[];
}

/**
 * Call a deployment of the service as an application does, and compare its responses with our descriptions. Creates an organization,
 * a user and a membership, and deletes them at the end, even if a call fails.
 */
export async function checkService(options: Options = {}): Promise<Report> {
  const compared = new Set<string>();
  const findings: string[] = [];
  let operation = '';
  const send = options.fetch ?? fetch;
  const sallyport = new Sallyport({
    ...options,
    hooks: {
      onRequest(record) {
        operation = record.operation;
      },
    },
    async fetch(input, init) {
      const name = operation;
      const response = await send(input, init);
      const described = operationNamed(name);
      const body: unknown = response.ok
        ? await response
            .clone()
            .json()
            .catch(() => undefined)
        : undefined;
      if (described?.io.returns && body !== undefined) {
        compared.add(name);
        for (const field of undescribedIn(described, body, options.dialect))
          findings.push(`${name}: ${field} is not described`);
      }
      return response;
    },
  });
  /** Call an operation. A failure is a finding, and the calls that do not need its result go on. */
  const call = async <T>(name: string, run: () => PromiseLike<T>): Promise<T | undefined> => {
    try {
      return await run();
    } catch (error) {
      findings.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    await callAll(sallyport, call, cleanUps);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await call('clean up', cleanUp);
  }
  return { compared: [...compared].sort(), findings: [...new Set(findings)] };
}

type Call = <T>(name: string, run: () => PromiseLike<T>) => Promise<T | undefined>;

async function callAll(sallyport: Sallyport, call: Call, cleanUps: (() => Promise<unknown>)[]): Promise<void> {
  const {
    auditLogs,
    directorySync,
    events,
    fga,
    mfa,
    organizationDomains,
    organizations,
    portal,
    sso,
    userManagement,
  } = sallyport;
  const { webhooks } = sallyport;
  const mark = `sallyport-check-${crypto.randomUUID()}`;
  const email = `${mark}@example.com`;

  const organization = await call('createOrganization', () =>
    organizations.createOrganization({ name: mark, externalId: mark, metadata: { check: 'live' } }),
  );
  const user = await call('createUser', () =>
    userManagement.createUser({ email, firstName: 'Ada', externalId: mark, emailVerified: true }),
  );
  if (organization) cleanUps.push(async () => organizations.deleteOrganization(organization.id));
  if (user) cleanUps.push(async () => userManagement.deleteUser(user.id));

  if (organization) {
    const { id } = organization;
    await call('getOrganization', () => organizations.getOrganization(id).withResponse());
    await call('getOrganizationByExternalId', () => organizations.getOrganizationByExternalId(mark));
    await call('updateOrganization', () => organizations.updateOrganization({ organization: id, name: `${mark}-2` }));
    await call('listOrganizationRoles', () => organizations.listOrganizationRoles({ organizationId: id }));
    await call('getAuditLogsRetention', () => organizations.getAuditLogsRetention(id));
    await call('generateLink', () => portal.generateLink({ organization: id, intent: 'sso' }));
    const domain = await call('createOrganizationDomain', () =>
      organizationDomains.createOrganizationDomain({ organizationId: id, domain: `${mark}.example.com` }),
    );
    if (domain) await call('getOrganizationDomain', () => organizationDomains.getOrganizationDomain(domain.id));
    const invitation = await call('sendInvitation', () =>
      userManagement.sendInvitation({ email: `invited-${email}`, organizationId: id }),
    );
    if (invitation) {
      await call('getInvitation', () => userManagement.getInvitation(invitation.id));
      await call('revokeInvitation', () => userManagement.revokeInvitation(invitation.id));
    }
    await call('listInvitations', () => userManagement.listInvitations({ organizationId: id }));
  }
  if (user) {
    const { id } = user;
    await call('getUser', () => userManagement.getUser(id));
    await call('getUserByExternalId', () => userManagement.getUserByExternalId(mark));
    await call('updateUser', () => userManagement.updateUser({ userId: id, lastName: 'Lovelace' }));
    await call('getUserIdentities', () => userManagement.getUserIdentities(id));
    await call('listAuthFactors', () => userManagement.listAuthFactors({ userId: id }));
    await call('listSessions', () => userManagement.listSessions(id));
    const magicAuth = await call('createMagicAuth', () => userManagement.createMagicAuth({ email }));
    if (magicAuth) await call('getMagicAuth', () => userManagement.getMagicAuth(magicAuth.id));
    const reset = await call('createPasswordReset', () => userManagement.createPasswordReset({ email }));
    if (reset) await call('getPasswordReset', () => userManagement.getPasswordReset(reset.id));
    const factor = await call('enrollFactor', () => mfa.enrollFactor({ type: 'totp', issuer: 'Check', user: email }));
    if (factor) {
      cleanUps.push(async () => mfa.deleteFactor(factor.id));
      await call('getFactor', () => mfa.getFactor(factor.id));
      await call('challengeFactor', () => mfa.challengeFactor({ authenticationFactorId: factor.id }));
    }
  }
  if (organization && user) {
    const membership = await call('createOrganizationMembership', () =>
      userManagement.createOrganizationMembership({ organizationId: organization.id, userId: user.id }),
    );
    if (membership)
      await call('getOrganizationMembership', () => userManagement.getOrganizationMembership(membership.id));
    await call('listOrganizationMemberships', () =>
      userManagement.listOrganizationMemberships({ organizationId: organization.id }).toArray({ max: 10 }),
    );
  }
  await call('listOrganizations', async () => {
    for await (const _ of organizations.listOrganizations({ limit: 2 })) break;
  });
  await call('listUsers', async () => {
    for await (const _ of userManagement.listUsers({ limit: 2 }).pages()) break;
  });
  const endpoint = await call('createWebhookEndpoint', () =>
    webhooks.createWebhookEndpoint({ endpointUrl: `https://example.com/${mark}`, events: ['user.created'] }),
  );
  if (endpoint) cleanUps.push(async () => webhooks.deleteWebhookEndpoint({ id: endpoint.id }));
  await call('listWebhookEndpoints', () => webhooks.listWebhookEndpoints());
  await call('getJwks', () => userManagement.getJwks());
  await call('listConnections', () => sso.listConnections());
  await call('listDirectories', () => directorySync.listDirectories());
  await call('listEvents', () => events.listEvents({ events: ['user.created', 'organization.created'] }));
  await call('listActions', () => auditLogs.listActions());
  await call('listResourceTypes', () => fga.listResourceTypes());
  await call('listResources', () => fga.listResources());
  await call('listWarrants', () => fga.listWarrants());
  // These responses have no description of their own.
  await call('request', () => sallyport.request('GET', '/organizations', { query: { limit: 1 } }));
  await call('list', () => sallyport.list('/user_management/users', { query: { limit: 1 } }));
}
