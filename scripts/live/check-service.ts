import { messageOf } from '../../src/errors/message-of.js';
import { Sallyport, type SallyportOptions } from '../../src/index.js';
import { operationNamed } from '../../src/service/operations.js';
import { undescribedIn } from './undescribed.js';

/** Options of the client. Its `fetch` returns whole responses, so that they can be read twice. */
interface Options extends Omit<SallyportOptions, 'fetch'> {
  readonly fetch?: typeof fetch;
}

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
        for (const field of undescribedIn(described, body)) findings.push(`${name}: ${field} is not described`);
      }
      return response;
    },
  });
  /** Call an operation. A failure is a finding, and the calls that do not need its result go on. */
  const call = async <T>(run: () => PromiseLike<T>): Promise<T | undefined> => {
    try {
      return await run();
    } catch (error) {
      findings.push(messageOf(error));
      return undefined;
    }
  };
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    await callAll(sallyport, call, cleanUps);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await call(cleanUp);
  }
  return { compared: [...compared].sort(), findings: [...new Set(findings)] };
}

type Call = <T>(run: () => PromiseLike<T>) => Promise<T | undefined>;

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

  const organization = await call(() =>
    organizations.createOrganization({ name: mark, externalId: mark, metadata: { check: 'live' } }),
  );
  const user = await call(() =>
    userManagement.createUser({ email, firstName: 'Ada', externalId: mark, emailVerified: true }),
  );
  if (organization) cleanUps.push(async () => organizations.deleteOrganization(organization.id));
  if (user) cleanUps.push(async () => userManagement.deleteUser(user.id));

  if (organization) {
    const { id } = organization;
    await call(() => organizations.getOrganization(id).withResponse());
    await call(() => organizations.getOrganizationByExternalId(mark));
    await call(() => organizations.updateOrganization({ organization: id, name: `${mark}-2` }));
    await call(() => organizations.listOrganizationRoles({ organizationId: id }));
    await call(() => organizations.getAuditLogsRetention(id));
    await call(() => portal.generateLink({ organization: id, intent: 'sso' }));
    const domain = await call(() =>
      organizationDomains.createOrganizationDomain({ organizationId: id, domain: `${mark}.example.com` }),
    );
    if (domain) await call(() => organizationDomains.getOrganizationDomain(domain.id));
    const invitation = await call(() =>
      userManagement.sendInvitation({ email: `invited-${email}`, organizationId: id }),
    );
    if (invitation) {
      await call(() => userManagement.getInvitation(invitation.id));
      await call(() => userManagement.revokeInvitation(invitation.id));
    }
    await call(() => userManagement.listInvitations({ organizationId: id }));
  }
  if (user) {
    const { id } = user;
    await call(() => userManagement.getUser(id));
    await call(() => userManagement.getUserByExternalId(mark));
    await call(() => userManagement.updateUser({ userId: id, lastName: 'Lovelace' }));
    await call(() => userManagement.getUserIdentities(id));
    await call(() => userManagement.listAuthFactors({ userId: id }));
    await call(() => userManagement.listSessions(id));
    const magicAuth = await call(() => userManagement.createMagicAuth({ email }));
    if (magicAuth) await call(() => userManagement.getMagicAuth(magicAuth.id));
    const reset = await call(() => userManagement.createPasswordReset({ email }));
    if (reset) await call(() => userManagement.getPasswordReset(reset.id));
    const factor = await call(() => mfa.enrollFactor({ type: 'totp', issuer: 'Check', user: email }));
    if (factor) {
      cleanUps.push(async () => mfa.deleteFactor(factor.id));
      await call(() => mfa.getFactor(factor.id));
      await call(() => mfa.challengeFactor({ authenticationFactorId: factor.id }));
    }
  }
  if (organization && user) {
    const membership = await call(() =>
      userManagement.createOrganizationMembership({ organizationId: organization.id, userId: user.id }),
    );
    if (membership) await call(() => userManagement.getOrganizationMembership(membership.id));
    await call(() =>
      userManagement.listOrganizationMemberships({ organizationId: organization.id }).toArray({ max: 10 }),
    );
  }
  await call(async () => {
    for await (const _ of organizations.listOrganizations({ limit: 2 })) break;
  });
  await call(async () => {
    for await (const _ of userManagement.listUsers({ limit: 2 }).pages()) break;
  });
  const endpoint = await call(() =>
    webhooks.createWebhookEndpoint({ endpointUrl: `https://example.com/${mark}`, events: ['user.created'] }),
  );
  if (endpoint) cleanUps.push(async () => webhooks.deleteWebhookEndpoint({ id: endpoint.id }));
  await call(() => webhooks.listWebhookEndpoints());
  await call(() => userManagement.getJwks());
  await call(() => sso.listConnections());
  await call(() => directorySync.listDirectories());
  await call(() => events.listEvents({ events: ['user.created', 'organization.created'] }));
  await call(() => auditLogs.listActions());
  await call(() => fga.listResourceTypes());
  await call(() => fga.listResources());
  await call(() => fga.listWarrants());
  // No operation describes these responses.
  await call(() => sallyport.request('GET', '/organizations', { query: { limit: 1 } }));
  await call(() => sallyport.list('/user_management/users', { query: { limit: 1 } }));
}
