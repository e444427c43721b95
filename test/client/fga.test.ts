import { expect, test } from 'vitest';
import { Fga, isAuthorized } from '../../src/client/fga.js';
import { page, recorded } from './sent.js';

const report = { resourceType: 'report', resourceId: '7' };
const ada = { resourceType: 'user', resourceId: 'ada' };

test('a warrant is written with the operation "create" by default', async () => {
  const { transport, sent } = recorded({ warrant_token: 'token_01' });
  const fga = new Fga(transport);

  const { warrantToken } = await fga.writeWarrant({ resource: report, relation: 'editor', subject: ada });
  await fga.writeWarrant({
    op: 'delete',
    resource: report,
    relation: 'editor',
    subject: { resourceType: 'group', resourceId: 'engineers', relation: 'member' },
  });

  expect(warrantToken).toBe('token_01');
  expect(sent.map(({ body }) => body)).toEqual([
    {
      op: 'create',
      resource_type: 'report',
      resource_id: '7',
      relation: 'editor',
      subject: { resource_type: 'user', resource_id: 'ada' },
    },
    {
      op: 'delete',
      resource_type: 'report',
      resource_id: '7',
      relation: 'editor',
      subject: { resource_type: 'group', resource_id: 'engineers', relation: 'member' },
    },
  ]);
});

test('batchWriteWarrants throws an error if the batch or an entry is missing', async () => {
  const { transport, sent } = recorded({ warrant_token: 'token_01' });
  const fga = new Fga(transport);

  // @ts-expect-error the argument is missing
  await expect(fga.batchWriteWarrants()).rejects.toMatchObject({ code: 'invalid_argument' });
  // @ts-expect-error an entry is missing
  await expect(fga.batchWriteWarrants([undefined])).rejects.toMatchObject({
    argument: 'writes[0].resource.resourceType',
  });
  expect(sent).toEqual([]);
});

test('relation definitions keep the wire names at every depth', async () => {
  const relations = {
    owner: {},
    editor: { inherit_if: 'any_of', rules: [{ inherit_if: 'owner' }, { of_type: 'folder', with_relation: 'parent' }] },
  };
  const { transport, sent } = recorded({ type: 'report', relations });

  const type = await new Fga(transport).updateResourceType({ type: 'report', relations });

  expect(sent[0]).toMatchObject({ method: 'PUT', path: '/fga/v1/resource-types/report' });
  expect(sent[0]!.body).toEqual({ relations });
  expect(type.relations).toEqual(relations);
});

test('the path of a resource contains the type and the escaped id', async () => {
  const { transport, sent } = recorded({ resource_type: 'report', resource_id: 'a/b', meta: { costCenter: 7 } });

  const resource = await new Fga(transport).updateResource({
    resource: { resourceType: 'report', resourceId: 'a/b' },
    meta: { costCenter: 7 },
  });

  expect(sent[0]).toMatchObject({ method: 'PUT', path: '/fga/v1/resources/report/a%2Fb' });
  expect(sent[0]!.body).toEqual({ meta: { costCenter: 7 } });
  expect(resource).toEqual({ resourceType: 'report', resourceId: 'a/b', meta: { costCenter: 7 } });
});

test.each([
  [{ resource: report, meta: {}, metadata: {} }, 'metadata'],
  [{ resource: { resourceType: 'report' }, meta: {} }, 'resource.resourceId'],
  [{ meta: {} }, 'resource.resourceType'],
  [undefined, 'meta'],
])('updateResource rejects the invalid argument %j with an error that names %s', async (payload, argument) => {
  const { transport, sent } = recorded({});

  // @ts-expect-error The payloads are wrong.
  const update = new Fga(transport).updateResource(payload);

  await expect(update).rejects.toMatchObject({ code: 'invalid_argument', argument });
  expect(sent).toEqual([]);
});

test('a resource can be created without an id', async () => {
  const { transport, sent } = recorded({ resource_type: 'report', resource_id: '01J' });

  await new Fga(transport).createResource({ resource: { resourceType: 'report' } });

  expect(sent[0]!.body).toEqual({ resource_type: 'report' });
});

test('a batch of more than a hundred resources is rejected before any request', async () => {
  const { transport, sent } = recorded({ data: [] });
  const resources = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ resource: { resourceType: 'report', resourceId: `${i}` } }));
  const fga = new Fga(transport);

  await fga.batchWriteResources({ op: 'create', resources: resources(100) });
  const tooMany = fga.batchWriteResources({ op: 'create', resources: resources(101) });

  await expect(tooMany).rejects.toMatchObject({ code: 'invalid_argument', argument: 'resources' });
  expect(sent).toHaveLength(1);
});

const misspelled = { ...report, resorceId: '8' };
const nested = { resource: misspelled, relation: 'editor', subject: ada };

test.each<[string, (fga: Fga) => PromiseLike<unknown>, string]>([
  ['a warrant', (fga) => fga.writeWarrant(nested), 'resource.resorceId'],
  ['a batch of warrants', (fga) => fga.batchWriteWarrants([nested]), 'writes[0].resource.resorceId'],
  ['a check', (fga) => fga.check({ checks: [nested] }), 'checks[0].resource.resorceId'],
  ['a batch of checks', (fga) => fga.checkBatch({ checks: [nested] }), 'checks[0].resource.resorceId'],
  ['a new resource', (fga) => fga.createResource({ resource: misspelled }), 'resource.resorceId'],
  [
    'a batch of new resources',
    (fga) => fga.batchWriteResources({ op: 'create', resources: [{ resource: misspelled }] }),
    'resources[0].resource.resorceId',
  ],
  [
    'a batch of deletions',
    (fga) => fga.batchWriteResources({ op: 'delete', resources: [misspelled] }),
    'resources[0].resorceId',
  ],
  ['a resource update', (fga) => fga.updateResource({ resource: misspelled, meta: {} }), 'resource.resorceId'],
  ['a getResource call', (fga) => fga.getResource(misspelled), 'resorceId'],
  ['a deleteResource call', (fga) => fga.deleteResource(misspelled), 'resorceId'],
])('a misspelled field in %s is rejected with an error that gives the path of the field', async (_, call, argument) => {
  const { transport, sent } = recorded({});

  await expect(call(new Fga(transport))).rejects.toMatchObject({
    code: 'invalid_argument',
    argument,
    message: expect.stringContaining(`the parameter ${argument}. Did you mean resourceId?`),
  });
  expect(sent).toEqual([]);
});

test.each<[string, (fga: Fga, options: { readonly warrantToken: string }) => PromiseLike<unknown>]>([
  ['a list of warrants', (fga, options) => fga.listWarrants({}, options)],
  ['a check', (fga, options) => fga.check({ checks: [] }, options)],
  ['a batch of checks', (fga, options) => fga.checkBatch({ checks: [] }, options)],
  ['a query', (fga, options) => fga.query({ q: 'select report where user:ada is editor' }, options)],
])('a malformed warrant token for %s is rejected with an error that names warrantToken', async (_, call) => {
  const { transport, sent } = recorded(page([]));

  await expect(call(new Fga(transport), { warrantToken: 'token\n01' })).rejects.toMatchObject({
    code: 'invalid_argument',
    argument: 'warrantToken',
    message: expect.stringMatching(/^warrantToken cannot be sent as a header: it must not contain line breaks/),
  });
  expect(sent).toEqual([]);
});

test('every page of a warrant list is requested with the warrant token of the last write', async () => {
  const warrant = {
    resource_type: 'report',
    resource_id: '7',
    relation: 'editor',
    subject: { resource_type: 'user', resource_id: 'ada' },
  };
  const { transport, sent } = recorded(page([warrant], 'warrant_1'), page([warrant]));

  await new Fga(transport)
    .listWarrants({}, { warrantToken: 'token_01', headers: { 'warrant-token': 'other' } })
    .toArray({ max: 10 });

  expect(sent.map(({ headers }) => headers.get('warrant-token'))).toEqual(['token_01', 'token_01']);
});

test('a batch of deletions names resources by type and id', async () => {
  const { transport, sent } = recorded({ data: [{ resource_type: 'report', resource_id: '7' }] });

  const { data } = await new Fga(transport).batchWriteResources({ op: 'delete', resources: [report] });

  expect(sent[0]!.body).toEqual({ op: 'delete', resources: [{ resource_type: 'report', resource_id: '7' }] });
  expect(data).toEqual([report]);
});

const authorized = { result: 'authorized', is_implicit: false, warrant_token: 'token_02' };

test('several checks in one call return one combined result', async () => {
  const { transport, sent } = recorded({ ...authorized, debug_info: { processing_time: 3 } });

  const answer = await new Fga(transport).check(
    { op: 'any_of', checks: [{ resource: report, relation: 'editor', subject: ada, context: { dayOfWeek: 1 } }] },
    { warrantToken: 'token_01' },
  );

  expect(sent[0]).toMatchObject({ method: 'POST', path: '/fga/v1/check' });
  expect(sent[0]!.headers.get('warrant-token')).toBe('token_01');
  expect(sent[0]!.body).toEqual({
    op: 'any_of',
    checks: [
      {
        resource_type: 'report',
        resource_id: '7',
        relation: 'editor',
        subject: { resource_type: 'user', resource_id: 'ada' },
        context: { dayOfWeek: 1 },
      },
    ],
  });
  expect(isAuthorized(answer)).toBe(true);
  expect(answer.debugInfo).toEqual({ processing_time: 3 });
});

test('a batch of checks returns a result for each check', async () => {
  const { transport, sent } = recorded([authorized, { ...authorized, result: 'not_authorized' }]);
  const check = { resource: report, relation: 'editor', subject: ada };

  const answers = await new Fga(transport).checkBatch({ checks: [check, check] });

  expect(sent[0]!.body).toMatchObject({ op: 'batch' });
  expect(answers.map(isAuthorized)).toEqual([true, false]);
});

test('the context of a query is sent as JSON', async () => {
  const { transport, sent } = recorded(
    page([
      {
        resource_type: 'report',
        resource_id: '7',
        relation: 'editor',
        warrant: {
          resource_type: 'report',
          resource_id: '7',
          relation: 'editor',
          subject: { resource_type: 'user', resource_id: 'ada' },
        },
        is_implicit: true,
      },
    ]),
  );

  const { data } = await new Fga(transport).query({
    q: 'select report where user:ada is editor',
    context: { dayOfWeek: 1 },
  });

  expect(sent[0]!.query).toMatchObject({ q: 'select report where user:ada is editor', context: '{"dayOfWeek":1}' });
  expect(data[0]).toMatchObject({ isImplicit: true, warrant: { subject: { resourceId: 'ada' } } });
});

test('a query without the parameter q is rejected with an error that names the parameter', async () => {
  const { transport, sent } = recorded(page([]));

  // @ts-expect-error the question is missing
  const call = new Fga(transport).query({});

  await expect(call).rejects.toMatchObject({ code: 'invalid_argument', argument: 'q' });
  expect(sent).toEqual([]);
});
