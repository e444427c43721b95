import { describe, expect, test } from 'vitest';
import { reads, removals, untried, writes } from '../../../src/cli/check/allowed.js';
import { operations } from '../../../src/service/operations.js';
import { checked, dataIn, deployment, differing, freeUrl } from './deployment.js';

describe('sallyport check', () => {
  test.each(['spec', 'workos'] as const)(
    'finds no difference from the documentation in an emulator with the %s dialect',
    async (dialect) => {
      const service = await deployment({ dialect });

      const { code, findings } = await checked(service, {
        webhookUrl: await freeUrl(),
        mailTo: 'grace@acme.test',
      });

      expect(differing(findings)).toEqual([]);
      expect(code).toBe(0);
      expect(findings.filter(({ outcome }) => outcome === 'holds').length).toBeGreaterThan(65);
      const { organizations = [], users = [], webhook_endpoints: endpoints = [] } = await dataIn(service.emulator);
      expect([organizations, users, endpoints]).toEqual([[], [], []]);
    },
  );

  test('stays below every published rate limit', async () => {
    const statuses = new Map<number, number>();
    const service = await deployment({
      rateLimits: true,
      answer: (_, { status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
    });

    const { findings } = await checked(service, { webhookUrl: await freeUrl(), mailTo: 'grace@acme.test' });

    expect(differing(findings)).toEqual([]);
    expect([statuses.has(200), statuses.has(429)]).toEqual([true, false]);
  });

  test('names the host, the environment and the planned records before the first request', async () => {
    const service = await deployment();
    const makes = (path: string): number => service.requests.filter((one) => one === `POST ${path}`).length;

    const { before } = await checked(service, { webhookUrl: await freeUrl(), mailTo: 'grace@acme.test' });

    expect(before).toBe(`Host          ${new URL(service.url).host}, in dialect workos
Environment   staging, client id ${service.env.SALLYPORT_CLIENT_ID}
Will make     two organizations with a domain, a user with a password, a membership, a factor
              a user and an invitation for grace@acme.test, which is mailed
              a webhook endpoint
Will remove   all of it, also after Ctrl+C. It takes about a minute.

`);
    expect([
      // The third has the idempotency key of the second.
      makes('/organizations'),
      makes('/organization_domains'),
      makes('/user_management/users'),
      makes('/user_management/organization_memberships'),
      makes('/auth/factors/enroll'),
      makes('/user_management/invitations'),
      makes('/webhook_endpoints'),
    ]).toEqual([3, 1, 2, 1, 1, 1, 1]);
  });

  test('reports fine-grained authorization as not offered in the workos dialect', async () => {
    const service = await deployment();

    const { findings } = await checked(service);

    const fga = findings.filter(({ says }) => says.includes('fga.'));
    expect(new Set(fga.map(({ outcome }) => outcome))).toEqual(new Set(['not offered']));
    expect(service.requests.filter((one) => one.includes('/fga'))).toEqual([]);
  });

  test('sends no mail and creates no webhook endpoint by default', async () => {
    const service = await deployment();

    await checked(service);

    expect(await service.emulator.inbox.list()).toEqual([]);
    expect(service.requests.filter((one) => /^(?!GET).*\/(?:webhook_endpoints|invitations)/.test(one))).toEqual([]);
  });

  test('sends only eight sign-in requests for an email address, below the limit of ten per minute', async () => {
    const signIns: string[] = [];
    const service = await deployment({
      request: ({ body }) => void (body.grant_type === 'password' && signIns.push(String(body.email))),
    });

    await checked(service);

    expect(signIns.length).toBe(8);
    expect(new Set(signIns).size).toBe(1);
  });
});

describe('the operations that sallyport check may call', () => {
  test('are GET requests, or are in a fixed list of writes', () => {
    expect(reads.map((id) => operations[id]!.method)).toEqual(reads.map(() => 'GET'));
    expect([...writes].sort()).toEqual([
      'invitations.revoke',
      'invitations.send',
      'mfa.challengeFactor',
      'mfa.deleteFactor',
      'mfa.enrollFactor',
      'organizationDomains.create',
      'organizationDomains.delete',
      'organizationMemberships.create',
      'organizationMemberships.delete',
      'organizationMemberships.update',
      'organizations.create',
      'organizations.delete',
      'organizations.update',
      'portal.generateLink',
      'sessions.revoke',
      'userManagement.authenticateWithPassword',
      'userManagement.authenticateWithRefreshToken',
      'userManagement.logout',
      'users.create',
      'users.delete',
      'users.update',
      'webhooks.createEndpoint',
      'webhooks.deleteEndpoint',
      'webhooks.updateEndpoint',
    ]);
  });

  test('include an operation that removes each created record', () => {
    const creating = writes.filter((id) => /\.(?:create|enroll|send)/.test(id));

    expect(Object.keys(removals).sort()).toEqual([...creating].sort());
  });
});

test('every operation of the service is either allowed or excluded for sallyport check', () => {
  const listed = [...reads, ...writes, ...Object.values(untried).flat()];

  expect(listed.sort()).toEqual(Object.keys(operations).sort());
});
