import type { Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import fc from '../runner/property.js';
import { clientOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage, wireUser } from '../servers/wire.js';
import { refusalOf } from './refusal-of.js';

const boundless = { action: 'invoice.viewed', occurredAt: '2026-01-02T03:04:05.678Z', context: { location: '::1' } };
const event = { ...boundless, actor: { type: 'user', id: '1' }, targets: [{ type: 'invoice', id: '7' }] };
const range = {
  organizationId: 'org_01',
  rangeStart: '2026-01-02T03:04:05.678Z',
  rangeEnd: '2026-01-03T03:04:05.678Z',
};
const pending = { domain: 'a.test', state: 'pending' };
const keys = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i).padStart(length, 'k'), 'v']));

test.each<[string, (sallyport: Sallyport) => PromiseLike<unknown>]>([
  ['organization', (s) => s.organizations.updateOrganization({ name: 'A' } as never)],
  ['organization', (s) => s.organizations.updateOrganization(undefined as never)],
  ['userId', (s) => s.userManagement.getUser(undefined as never)],
  ['externalId', (s) => s.organizations.getOrganizationByExternalId('')],
  ['applicationId', (s) => s.userManagement.deleteUserAuthorizedApplication({ userId: 'user_01' } as never)],
  ['authenticationFactorId', (s) => s.mfa.challengeFactor({} as never)],
  ['action', (s) => s.auditLogs.listSchemas('..')],
  ['userId', (s) => s.legacy.scim.getUser('directory_01', undefined as never)],
  ['scimEndpointId', (s) => s.legacy.scim.getUser(undefined as never, 'scim_usr_01')],
  ['resourceId', (s) => s.fga.getResource({ resourceType: 'report', resourceId: '.' })],
])('the error for an invalid path parameter uses the name %s from the method signature', async (argument, call) => {
  expect((await refusalOf(call)).argument).toBe(argument);
});

describe('a path parameter', () => {
  test.each([
    ['undefined', undefined, 'and it is missing'],
    ['null', null, 'not null'],
    ['empty', '', 'not an empty string'],
    ['only whitespace', ' \t', 'not an empty string'],
    ['a dot', '.', 'not "."'],
    ['two dots', '..', 'not ".."'],
    ['a number', 7, 'not a number'],
    ['an object', { id: 'org_01' }, 'not an object'],
    ['an array', ['org_01'], 'not an array'],
    ['an unpaired surrogate', '\ud800', 'not a string with an unpaired surrogate'],
  ])('that is %s is rejected before a request is sent', async (_, id, words) => {
    const error = await refusalOf((sallyport) => sallyport.organizations.getOrganization(id as string));

    expect(error.argument).toBe('id');
    expect(error.message).toBe(
      `organizations.getOrganization needs id to be a non-empty string, ${words}. ` +
        'It is part of the path /organizations/:id. Correct id.',
    );
  });

  test.each([
    ['a/b', 'a%2Fb'],
    ['../secrets', '..%2Fsecrets'],
    ['..\\secrets', '..%5Csecrets'],
    ['%2e%2e', '%252e%252e'],
    ['a?b=c', 'a%3Fb%3Dc'],
    ['a#b', 'a%23b'],
    ['a b', 'a%20b'],
    ['...', '...'],
    ['Zoë/日本', 'Zo%C3%AB%2F%E6%97%A5%E6%9C%AC'],
  ])('with the value %j is sent as one path segment', async (id, segment) => {
    const server = await serve({ body: wireOrganization() });

    await clientOf(server).organizations.getOrganization(id);

    expect(server.requests[0]?.target).toBe(`/organizations/${segment}`);
  });

  test('with a random value is received as exactly one path segment', async () => {
    const server = await serve({ body: wireOrganization() });
    const sallyport = clientOf(server);
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '?', '#', ' ') }),
    );
    const ids = hostile.filter((id) => id.trim() !== '' && id !== '.' && id !== '..');

    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        await sallyport.organizations.getOrganization(id);

        const { target } = server.requests.at(-1)!;
        const [root, room, segment, ...rest] = target.split('/');
        expect([root, room, rest]).toEqual(['', 'organizations', []]);
        expect(decodeURIComponent(segment!)).toBe(id);
        expect(target).not.toMatch(/[?#\\]/);
      }),
      { numRuns: 120 },
    );
  });
});

describe('a list method', () => {
  test.each([
    ['0', 0],
    ['-1', -1],
    ['101', 101],
    ['1.5', 1.5],
    ['NaN', Number.NaN],
    ['"10" (a string)', '10'],
  ])('rejects a limit of %s', async (_, limit) => {
    const error = await refusalOf((s) => s.organizations.listOrganizations({ limit: limit as number }));

    expect(error.argument).toBe('limit');
    expect(error.message).toContain('an integer from 1 to 100');
  });

  test.each([1, 100])('accepts a limit of %s', async (limit) => {
    const server = await serve({ body: wirePage([]) });

    await clientOf(server).organizations.listOrganizations({ limit });

    expect(server.requests[0]?.target).toBe(`/organizations?limit=${limit}`);
  });

  test.each([
    [{ order: 'up' as 'asc' }, 'order', 'one of asc, desc'],
    [{ after: 5 as unknown as string }, 'after', 'a string'],
    [{ domains: 'acme.test' as unknown as string[] }, 'domains', 'an array'],
    [{ domains: [7] as unknown as string[] }, 'domains[0]', 'a string'],
    [{ search: '\ud800' }, 'search', 'valid Unicode'],
  ])('rejects the invalid parameters %j', async (params, argument, words) => {
    const error = await refusalOf((s) => s.organizations.listOrganizations(params));

    expect(error.argument).toBe(argument);
    expect(error.message).toContain(words);
  });

  test('joins multiple values of a parameter with commas', async () => {
    const server = await serve({ body: wirePage([]) });

    await clientOf(server).organizations.listOrganizations({ domains: ['acme.test', 'b&c.test'], order: 'asc' });

    expect(server.requests[0]?.target).toBe('/organizations?domains=acme.test%2Cb%26c.test&order=asc');
  });
});

describe('a request body', () => {
  const circle = () => {
    const meta: Record<string, unknown> = {};
    meta.self = meta;
    return meta;
  };

  test.each<[string, (sallyport: Sallyport) => PromiseLike<unknown>, string]>([
    ['that is undefined', (s) => s.organizations.createOrganization(undefined as never), 'the body'],
    ['that is a string', (s) => s.organizations.createOrganization('Acme' as never), 'the body'],
    ['with a missing field', (s) => s.organizations.createOrganization({} as never), 'name'],
    ['with a field of the wrong type', (s) => s.organizations.createOrganization({ name: 7 } as never), 'name'],
    [
      'with an invalid value in a list',
      (s) =>
        s.organizations.createOrganization({
          name: 'A',
          domainData: [{ domain: 'a.test', state: 'failed' as 'pending' }],
        }),
      'domainData[0].state',
    ],
    [
      'with an unsupported retention period',
      (s) => s.organizations.updateAuditLogsRetention('org_01', { retentionPeriodInDays: 31 as 30 }),
      'retentionPeriodInDays',
    ],
    [
      'with a circular structure',
      (s) => s.fga.createResource({ resource: { resourceType: 'r', resourceId: '1' }, meta: circle() }),
      'meta.self',
    ],
    [
      'with a bigint',
      (s) => s.fga.createResource({ resource: { resourceType: 'r', resourceId: '1' }, meta: { n: 1n } }),
      'meta.n',
    ],
  ])('%s is rejected with an error that names the argument', async (_, call, argument) => {
    expect((await refusalOf(call)).argument).toBe(argument);
  });

  const resource = { resourceType: 'report', resourceId: '1' };
  const subject = { resourceType: 'user', resourceId: 'ada' };

  test.each<[string, (sallyport: Sallyport) => PromiseLike<unknown>]>([
    ['resource.resourceType', (s) => s.fga.createResource({ resource: { resourceType: 7 } } as never)],
    ['resource.resourceType', (s) => s.fga.createResource({} as never)],
    ['resource.resourceId', (s) => s.fga.updateResource({ resource: { resourceType: 'r' }, meta: {} } as never)],
    [
      'resource.resourceId',
      (s) => s.fga.writeWarrant({ resource: { resourceType: 'r' }, relation: 'v', subject } as never),
    ],
    [
      'subject.resourceId',
      (s) => s.fga.writeWarrant({ resource, relation: 'v', subject: { resourceType: 'u' } } as never),
    ],
    ['writes[0].resource.resourceType', (s) => s.fga.batchWriteWarrants([{ relation: 'v', subject } as never])],
    ['writes', (s) => s.fga.batchWriteWarrants({} as never)],
    ['resourceTypes[1].type', (s) => s.fga.applyResourceTypes([{ type: 'r', relations: {} }, {} as never])],
    [
      'resources[0].resource.resourceType',
      (s) => s.fga.batchWriteResources({ op: 'create', resources: [{} as never] }),
    ],
    ['resources[0].resourceType', (s) => s.fga.batchWriteResources({ op: 'delete', resources: [{} as never] })],
    ['checks[0].resource.resourceId', (s) => s.fga.check({ checks: [{ resource: { resourceType: 'r' } } as never] })],
    [
      'checks[0].context.at',
      (s) => s.fga.check({ checks: [{ resource, relation: 'v', subject, context: { at: 1n } }] }),
    ],
  ])('with an invalid value at %s is rejected with an error that names the path', async (argument, call) => {
    expect((await refusalOf(call)).argument).toBe(argument);
  });

  const untyped = <T>(payload: object) => payload as T;

  test.each<[string, (sallyport: Sallyport) => PromiseLike<unknown>, string, string]>([
    [
      'a misspelled parameter',
      (s) => s.userManagement.createUser(untyped({ email: 'ada@acme.test', firstname: 'Ada' })),
      'firstname',
      'Did you mean firstName?',
    ],
    [
      'a parameter in snake case',
      (s) => s.userManagement.updateUser(untyped({ userId: 'user_01', external_id: '7' })),
      'external_id',
      'Did you mean externalId?',
    ],
    [
      'a parameter name of the workos dialect',
      (s) => s.auditLogs.createExport(untyped({ ...range, actorNames: ['Ada'] })),
      'actorNames',
      'Did you mean actors?',
    ],
    [
      'an unknown parameter in a list',
      (s) =>
        s.organizations.createOrganization({ name: 'A', domainData: [untyped({ ...pending, status: 'verified' })] }),
      'domainData[0].status',
      'Did you mean state?',
    ],
    [
      'an unknown nested parameter',
      (s) => s.auditLogs.createEvent('org_01', { ...event, targets: [untyped({ type: 'a', id: '1', meta: {} })] }),
      'event.targets[0].meta',
      'Did you mean metadata?',
    ],
    [
      'a parameter that resembles no known name',
      (s) => s.userManagement.updateOrganizationMembership('om_01', untyped({ statuses: ['active'] })),
      'statuses',
      'Pass one of roleSlug, roleSlugs.',
    ],
    [
      'a misspelled required parameter',
      (s) => s.organizations.createOrganization(untyped({ nmae: 'Acme' })),
      'nmae',
      'Did you mean name?',
    ],
    [
      'a misspelled path parameter',
      (s) => s.userManagement.updateUser(untyped({ userid: 'user_01', firstName: 'Ada' })),
      'userid',
      'Did you mean userId?',
    ],
    [
      'an unknown top-level parameter',
      (s) => s.fga.createResource(untyped({ resource, metta: {} })),
      'metta',
      'Did you mean meta?',
    ],
    [
      'an unknown parameter in a warrant',
      (s) => s.fga.writeWarrant(untyped({ resource, relation: 'viewer', subject: resource, policies: 'x' })),
      'policies',
      'Pass one of op, resource, relation, subject',
    ],
    [
      'an unknown parameter in a check',
      (s) => s.fga.check({ checks: [untyped({ resource, relation: 'viewer', subject: resource, contex: {} })] }),
      'checks[0].contex',
      'Did you mean context?',
    ],
    [
      'an unknown sign-in parameter',
      (s) => s.userManagement.authenticateWithPassword({ email: 'a@b.test', password: 'p', otp: '123456' } as never),
      'otp',
      'Pass one of',
    ],
    [
      'an unknown parameter set to null',
      (s) => s.userManagement.createUser(untyped({ email: 'ada@acme.test', phone: null })),
      'phone',
      'goes into extraBody',
    ],
  ])('with %s is rejected with an error that names the parameter', async (_, call, argument, words) => {
    const error = await refusalOf(call);

    expect(error.argument).toBe(argument);
    expect(error.message).toContain(
      `does not know the parameter ${argument}. ${words.startsWith('goes') ? '' : words}`,
    );
    expect(error.message).toContain('Pass fields that this version does not know in extraBody.');
    expect(error.message).not.toContain('123456');
  });

  test('includes extraBody parameters and omits undefined values', async () => {
    const server = await serve({ body: wireUser() });
    const payload = { email: 'ada@acme.test', firstname: undefined } as { email: string };

    await clientOf(server).userManagement.createUser(payload, { extraBody: { phone: '+44' } });

    expect(JSON.parse(server.requests[0]!.body)).toEqual({ email: 'ada@acme.test', phone: '+44' });
  });

  test('can have arbitrary keys in metadata and meta', async () => {
    const server = await serve({ body: wireUser() }, { body: { resource_type: 'report', resource_id: '1' } });
    const sallyport = clientOf(server);

    await sallyport.userManagement.createUser({ email: 'ada@acme.test', metadata: { firstname: 'x' } });
    await sallyport.fga.createResource({ resource, meta: { deep: { firstname: 1 } } });

    expect(server.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
      { metadata: { firstname: 'x' } },
      { meta: { deep: { firstname: 1 } } },
    ]);
  });

  test('can have only strings or null as metadata values', async () => {
    const server = await serve({ body: wireUser() });

    await clientOf(server).userManagement.updateUser({ userId: 'user_01', metadata: { plan: null, team: 'a' } });

    expect(JSON.parse(server.requests[0]!.body)).toEqual({ metadata: { plan: null, team: 'a' } });
    const error = await refusalOf((s) => s.userManagement.updateUser(untyped({ userId: 'u', metadata: { seats: 7 } })));
    expect(error.argument).toBe('metadata.seats');
    expect(error.message).toContain('a string or null, not a number');
  });

  test.each<[string, object, string]>([
    ['51 metadata keys', { metadata: keys(51) }, 'event.metadata'],
    ['a metadata key of 41 characters', { metadata: keys(1, 41) }, 'event.metadata'],
    ['a metadata value of 501 characters', { metadata: { note: 'x'.repeat(501) } }, 'event.metadata.note'],
    ['a nested metadata value', { metadata: { note: {} } }, 'event.metadata.note'],
    ['51 keys in the actor metadata', { actor: { ...event.actor, metadata: keys(51) } }, 'event.actor.metadata'],
    [
      '51 keys in the target metadata',
      { targets: [{ ...event.targets[0], metadata: keys(51) }] },
      'event.targets[0].metadata',
    ],
  ])('for an audit event is rejected because of %s', async (_, changes, argument) => {
    const error = await refusalOf((s) => s.auditLogs.createEvent('org_01', { ...event, ...changes }));

    expect(error.argument).toBe(argument);
  });

  test('for an audit event can contain metadata up to the size limits', async () => {
    const server = await serve({ body: { success: true } });
    const metadata = { ...keys(49, 40), note: 'x'.repeat(500) };

    await clientOf(server).auditLogs.createEvent('org_01', { ...event, metadata });

    expect(JSON.parse(server.requests[0]!.body).event.metadata).toEqual(metadata);
  });

  test('can contain at most 100 resources in a batch', async () => {
    const resources = Array.from({ length: 101 }, (_, i) => ({
      resource: { resourceType: 'report', resourceId: `${i}` },
    }));
    const error = await refusalOf((s) => s.fga.batchWriteResources({ op: 'create', resources }));
    const server = await serve({ body: { data: [] } });

    await clientOf(server).fga.batchWriteResources({ op: 'create', resources: resources.slice(1) });

    expect(error.argument).toBe('resources');
    expect(error.message).toContain('at most 100 entries, not 101');
    expect(JSON.parse(server.requests[0]!.body).resources).toHaveLength(100);
  });

  test('with a value of the wrong type is rejected with an error that does not contain the value', async () => {
    const error = await refusalOf((s) =>
      s.userManagement.authenticateWithPassword({ email: 'ada@acme.test', password: ['hush'] as unknown as string }),
    );

    expect(error.argument).toBe('password');
    expect(`${error.message}${error.stack}`).not.toContain('hush');
  });
});

describe('call options', () => {
  test.each([
    ['timeoutMs', '0', 0],
    ['timeoutMs', 'NaN', Number.NaN],
    ['timeoutMs', 'a string', '5000'],
    ['deadlineMs', 'a string', '5000'],
    ['maxRetries', 'a string', '1'],
    ['deadlineMs', '-5', -5],
    ['maxRetries', '1.5', 1.5],
    ['maxRetries', '-1', -1],
    ['signal', 'an empty object', {}],
    ['idempotencyKey', 'an empty string', ''],
    ['idempotencyKey', 'a string with a line break', 'a\nb'],
    ['extraBody', 'an object', { note: 1 }],
  ])('of a GET request are rejected if %s is %s', async (option, _, value) => {
    const error = await refusalOf((s) => s.organizations.getOrganization('org_01', { [option]: value }));

    expect(error.argument).toBe(option);
  });

  test('are rejected if extraBody is set and the body is an array', async () => {
    const error = await refusalOf((s) => s.fga.batchWriteWarrants([], { extraBody: { note: 1 } }));

    expect(error.argument).toBe('extraBody');
  });

  test('can be null', async () => {
    const server = await serve({ body: wireOrganization() });

    await clientOf(server).organizations.getOrganization('org_01', null as never);

    expect(server.requests).toHaveLength(1);
  });
});
