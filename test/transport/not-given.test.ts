import type { Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { clientOf, failureOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage, wireUser } from '../servers/wire.js';
import { askedOf, serveList } from './list-service.js';

// In queries, null and undefined mean "not given". In bodies only undefined does, and null is a value.

describe('a query', () => {
  test('omits parameters that are null or undefined', async () => {
    const server = await serve({ body: wirePage([]) });

    await clientOf(server).organizations.listOrganizations(
      { domains: null, search: null, limit: null, order: undefined, after: null, before: undefined },
      { extraQuery: { trace: null, region: undefined } },
    );

    expect(server.requests[0]?.target).toBe('/organizations');
  });

  test('in an authorization URL omits parameters that are null or undefined', async () => {
    const { userManagement } = clientOf({ url: 'https://api.acme.test' });
    const redirectUri = 'https://app.acme.test/callback';

    const given = { organizationId: null, connectionId: 'conn_01', provider: null, state: null, loginHint: undefined };
    const address = userManagement.getAuthorizationUrl({ ...given, codeChallenge: null, clientId: null, redirectUri });

    expect([...new URL(address).searchParams.keys()].sort()).toEqual([
      'client_id',
      'connection_id',
      'redirect_uri',
      'response_type',
    ]);
  });

  test('accepts the cursors from listMetadata, including null', async () => {
    const server = await serveList(15);
    const { organizations } = clientOf(server);

    const first = await organizations.listOrganizations({ before: null, limit: 10 });
    const second = await organizations.listOrganizations({ after: first.listMetadata.after, before: null, limit: 10 });

    expect(second.data).toHaveLength(5);
    expect(second.listMetadata.after).toBeNull();
    expect(askedOf(server)).toEqual(['limit=10', 'limit=10&after=org_0009']);
  });

  test.each([
    ['forwards if only the before cursor is null', { after: 'org_0009', before: null }, 'org_0010'],
    ['backwards if only the after cursor is null', { after: null, before: 'org_0005' }, 'org_0004'],
    ['from the start if both cursors are null', { after: null, before: null }, 'org_0000'],
  ])('lists items %s', async (_, params, first) => {
    const server = await serveList(15);

    const walked = await clientOf(server)
      .organizations.listOrganizations({ ...params, limit: null })
      .toArray({ max: 1 });

    expect(walked.map(({ id }) => id)).toEqual([first]);
  });

  test('for events includes rangeStart if the cursor is null', async () => {
    const server = await serve({ body: wirePage([]) });

    await clientOf(server).events.listEvents({ after: null, rangeStart: '2026-01-01T00:00:00.000Z' });

    expect(askedOf(server)).toEqual(['range_start=2026-01-01T00%3A00%3A00.000Z']);
  });

  test('is rejected if a required parameter is null', async () => {
    const server = await serve({ body: wirePage([]) });

    const error = await failureOf(clientOf(server).fga.query({ q: null as never }));

    expect(error).toMatchObject({ code: 'invalid_argument', argument: 'q' });
    expect(server.requests).toEqual([]);
  });
});

describe('a request body', () => {
  test('omits undefined fields, and includes null fields', async () => {
    const server = await serve({ body: wireUser() });

    await clientOf(server).userManagement.updateUser({ userId: 'user_01', firstName: null, lastName: undefined });

    expect(JSON.parse(server.requests[0]!.body)).toEqual({ first_name: null });
  });

  test.each<[string, (sallyport: Sallyport) => PromiseLike<unknown>]>([
    ['name', (s) => s.organizations.updateOrganization({ organization: 'org_01', name: null as never })],
    ['organizationId', (s) => s.userManagement.sendInvitation({ email: 'a@b.test', organizationId: null as never })],
    ['checks[0].context', (s) => s.fga.check({ checks: [{ ...relationship, context: null as never }] })],
  ])('with null for %s is rejected with an error that names the field', async (argument, call) => {
    const server = await serve({ body: wireOrganization() });

    const error = await failureOf(call(clientOf(server)));

    expect(error).toMatchObject({ code: 'invalid_argument', argument });
    expect((error as Error).message).toContain('not null');
    expect(server.requests).toEqual([]);
  });
});

test('call options that are undefined are ignored', async () => {
  const server = await serve({ body: wireOrganization() });
  const nothing = { idempotencyKey: undefined, signal: undefined, timeoutMs: undefined, deadlineMs: undefined };

  await clientOf(server).organizations.getOrganization('org_01', {
    ...nothing,
    maxRetries: undefined,
    headers: undefined,
    extraBody: undefined,
    extraQuery: undefined,
  });

  expect(server.requests).toHaveLength(1);
});

const relationship = {
  resource: { resourceType: 'report', resourceId: '7' },
  relation: 'editor',
  subject: { resourceType: 'user', resourceId: 'ada' },
};
