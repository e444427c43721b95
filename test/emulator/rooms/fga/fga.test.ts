import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

const types = [
  { type: 'user', relations: {} },
  { type: 'group', relations: { member: { allowed_types: ['user', 'group'] } } },
  {
    type: 'report',
    relations: { owner: {}, editor: { inherit_if: 'owner' }, viewer: { inherit_if: 'editor' } },
  },
];

const on = (resource: string, relation: string, subject: string, more: object = {}) => {
  const [resource_type, resource_id] = resource.split(':');
  const [who = '', subjectRelation] = subject.split('#');
  const [subjectType, subjectId] = who.split(':');
  return {
    resource_type,
    resource_id,
    relation,
    subject: {
      resource_type: subjectType,
      resource_id: subjectId,
      ...(subjectRelation && { relation: subjectRelation }),
    },
    ...more,
  };
};

/** An emulator with the resource types above. */
async function startWithTypes() {
  const { emulator, send } = await stage();
  await send('PUT /fga/v1/resource-types', types);
  const warrants = async (query = ''): Promise<unknown[]> => (await send(`GET /fga/v1/warrants${query}`)).body.data;
  const names = async (query = ''): Promise<string[]> =>
    (await send(`GET /fga/v1/resources${query}`)).body.data.map(
      ({ resource_type, resource_id }: Record<string, string>) => `${resource_type}:${resource_id}`,
    );
  return { emulator, send, warrants, names };
}

describe('resource types', () => {
  test('can be created, read, updated and deleted', async () => {
    const { send } = await stage();

    const created = await send('POST /fga/v1/resource-types', { type: 'report', relations: { owner: {} } });
    const read = await send('GET /fga/v1/resource-types/report');
    const changed = await send('PUT /fga/v1/resource-types/report', {
      relations: { owner: {}, editor: { inherit_if: 'owner' } },
    });
    const deleted = await send('DELETE /fga/v1/resource-types/report');
    const gone = await send('GET /fga/v1/resource-types/report');

    expect([created.status, created.body]).toEqual([200, { type: 'report', relations: { owner: {} } }]);
    expect(read.body).toEqual(created.body);
    expect(changed.body).toEqual({ type: 'report', relations: { owner: {}, editor: { inherit_if: 'owner' } } });
    expect([deleted.status, deleted.body]).toEqual([200, '']);
    expect([gone.status, gone.body.code]).toEqual([404, 'entity_not_found']);
  });

  test('have unique names', async () => {
    const { send } = await startWithTypes();

    const again = await send('POST /fga/v1/resource-types', { type: 'report', relations: {} });

    expect([again.status, again.body.code]).toEqual([409, 'resource_type_already_exists']);
  });

  test('cannot be updated or deleted if they do not exist', async () => {
    const { send } = await stage();

    expect((await send('PUT /fga/v1/resource-types/report', { relations: {} })).status).toBe(404);
    expect((await send('DELETE /fga/v1/resource-types/report')).status).toBe(404);
  });

  test('are listed newest first, with cursors', async () => {
    const { send } = await startWithTypes();

    const first = await send('GET /fga/v1/resource-types?limit=2');
    const second = await send(`GET /fga/v1/resource-types?limit=2&after=${first.body.list_metadata.after}`);

    expect(first.body.data.map(({ type }: { type: string }) => type)).toEqual(['report', 'group']);
    expect(second.body.data.map(({ type }: { type: string }) => type)).toEqual(['user']);
    expect(second.body.list_metadata).toEqual({ before: 'user', after: null });
  });

  test('are all replaced by a PUT request, which returns the new types', async () => {
    const { send } = await startWithTypes();
    const wanted = [
      { type: 'report', relations: { reader: {} } },
      { type: 'page', relations: {} },
    ];

    const { status, body } = await send('PUT /fga/v1/resource-types', wanted);

    expect([status, body]).toEqual([200, wanted]);
    expect((await send('GET /fga/v1/resource-types')).body.data).toEqual([wanted[1], wanted[0]]);
    expect((await send('GET /fga/v1/resource-types/user')).status).toBe(404);
  });

  test('that are removed and added again keep the existing resources and warrants', async () => {
    const { send, warrants, names } = await startWithTypes();
    const check = { checks: [on('report:7', 'owner', 'user:ada')] };
    await send('POST /fga/v1/warrants', on('report:7', 'owner', 'user:ada'));

    await send('PUT /fga/v1/resource-types', [types[0]]);
    const without = await send('POST /fga/v1/check', check);
    await send('PUT /fga/v1/resource-types', types);
    const back = await send('POST /fga/v1/check', check);

    expect([without.status, without.body.errors[0].code]).toEqual([422, 'unknown_resource_type']);
    expect(back.body.result).toBe('authorized');
    expect(await warrants()).toHaveLength(1);
    expect(await names()).toEqual(['user:ada', 'report:7']);
  });

  test('can inherit from a missing type if created individually, but not in a PUT of the whole schema', async () => {
    const { send } = await stage();
    const page = {
      type: 'page',
      relations: { parent: {}, viewer: { inherit_if: 'viewer', of_type: 'folder', with_relation: 'parent' } },
    };

    const alone = await send('POST /fga/v1/resource-types', page);
    const whole = await send('PUT /fga/v1/resource-types', [page]);

    expect(alone.status).toBe(200);
    expect([whole.status, whole.body.errors]).toEqual([
      422,
      [
        {
          field: '0.relations.viewer.of_type',
          code: 'unknown_resource_type',
          message: 'must be a resource type that exists, not "folder"',
        },
      ],
    ]);
  });

  test('are not replaced if the PUT request repeats a type', async () => {
    const { send } = await startWithTypes();

    const { status, body } = await send('PUT /fga/v1/resource-types', [types[0], types[0]]);

    expect([status, body.errors[0]]).toMatchObject([422, { field: '1.type', code: 'duplicate_value' }]);
    expect((await send('GET /fga/v1/resource-types')).body.data).toHaveLength(3);
  });

  const related = { owner: {}, parent: {} };
  test.each([
    ['an unknown relation in inherit_if', { inherit_if: 'admin' }, 'inherit_if', 'unknown_relation'],
    ['any_of but no rules', { inherit_if: 'any_of' }, 'rules', 'required'],
    ['an empty list of all_of rules', { inherit_if: 'all_of', rules: [] }, 'rules', 'required'],
    ['a rule that lacks inherit_if', { inherit_if: 'any_of', rules: [{}] }, 'rules.0.inherit_if', 'required'],
    [
      'an unknown relation in a rule',
      { inherit_if: 'all_of', rules: [{ inherit_if: 'owner' }, { inherit_if: 'admin' }] },
      'rules.1.inherit_if',
      'unknown_relation',
    ],
    [
      'the none_of combinator',
      { inherit_if: 'none_of', rules: [{ inherit_if: 'owner' }] },
      'inherit_if',
      'unsupported_combinator',
    ],
    [
      'an unknown combinator',
      { inherit_if: 'one_of', rules: [{ inherit_if: 'owner' }] },
      'inherit_if',
      'unsupported_combinator',
    ],
    [
      'an of_type rule that lacks with_relation',
      { inherit_if: 'owner', of_type: 'report' },
      'with_relation',
      'required',
    ],
    [
      'a with_relation rule that lacks of_type',
      { inherit_if: 'owner', with_relation: 'parent' },
      'of_type',
      'required',
    ],
    [
      'an unknown relation in with_relation',
      { inherit_if: 'owner', of_type: 'report', with_relation: 'folder' },
      'with_relation',
      'unknown_relation',
    ],
    [
      'a relation that the type in of_type does not have',
      { inherit_if: 'admin', of_type: 'user', with_relation: 'parent' },
      'inherit_if',
      'unknown_relation',
    ],
    ['rules but no inherit_if', { rules: [{ inherit_if: 'owner' }] }, 'rules', 'invalid_value'],
    ['allowed types that are not a list', { allowed_types: 'user' }, 'allowed_types', 'invalid_type'],
    ['a policy', { inherit_if: 'owner', policy: 'is_public' }, 'policy', 'unknown_field'],
    [
      'allowed types inside a rule',
      { inherit_if: 'any_of', rules: [{ inherit_if: 'owner', allowed_types: ['user'] }] },
      'rules.0.allowed_types',
      'invalid_value',
    ],
  ])('with %s are rejected', async (_, viewer, field, code) => {
    const { send } = await startWithTypes();

    const { status, body } = await send('POST /fga/v1/resource-types', {
      type: 'page',
      relations: { ...related, viewer },
    });

    expect([status, body.errors[0]]).toMatchObject([422, { field: `relations.viewer.${field}`, code }]);
    expect((await send('GET /fga/v1/resource-types/page')).status).toBe(404);
  });

  test('cannot have type names or relation names that are invalid in a query', async () => {
    const { send } = await stage();

    const { body } = await send('POST /fga/v1/resource-types', {
      type: 'my report',
      relations: { any_of: {}, 'a:b': {} },
    });

    expect(body.errors.map(({ field, code }: Record<string, string>) => [field, code])).toEqual([
      ['type', 'invalid_format'],
      ['relations.any_of', 'reserved_name'],
      ['relations.a:b', 'invalid_format'],
    ]);
  });
});

describe('resources', () => {
  test('can be created, read, updated and deleted, and keep the keys in meta unchanged', async () => {
    const { send } = await startWithTypes();
    const meta = { someKey: { Other_Key: [1] } };

    const created = await send('POST /fga/v1/resources', { resource_type: 'report', resource_id: '7' });
    const changed = await send('PUT /fga/v1/resources/report/7', { meta });
    const read = await send('GET /fga/v1/resources/report/7');
    const deleted = await send('DELETE /fga/v1/resources/report/7');
    const gone = await send('GET /fga/v1/resources/report/7');

    expect([created.status, created.body]).toEqual([200, { resource_type: 'report', resource_id: '7' }]);
    expect(changed.body).toEqual({ resource_type: 'report', resource_id: '7', meta });
    expect(read.body).toEqual(changed.body);
    expect([deleted.status, deleted.body]).toEqual([200, '']);
    expect(gone.status).toBe(404);
  });

  test('get a generated id by default', async () => {
    const { send } = await startWithTypes();

    const { body } = await send('POST /fga/v1/resources', { resource_type: 'report' });

    expect(body.resource_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect((await send(`GET /fga/v1/resources/report/${body.resource_id}`)).status).toBe(200);
  });

  test('can have ids with any characters', async () => {
    const { send, names } = await startWithTypes();
    const ids = ['a/b c', 'a#b', 'a@b', 'a:b', 'a%3ab', 'ü'];

    for (const resource_id of ids) await send('POST /fga/v1/resources', { resource_type: 'report', resource_id });
    const read = await send(`GET /fga/v1/resources/report/${encodeURIComponent('a/b c')}`);

    expect(read.body.resource_id).toBe('a/b c');
    expect(await names('?order=asc')).toEqual(ids.map((id) => `report:${id}`));
  });

  test('have unique ids within a type', async () => {
    const { send } = await startWithTypes();
    await send('POST /fga/v1/resources', { resource_type: 'report', resource_id: '7' });

    const again = await send('POST /fga/v1/resources', { resource_type: 'report', resource_id: '7' });
    const other = await send('POST /fga/v1/resources', { resource_type: 'user', resource_id: '7' });

    expect([again.status, again.body.code]).toEqual([409, 'resource_already_exists']);
    expect(other.status).toBe(200);
  });

  test.each([
    ['if they have an unknown type', { resource_type: 'page' }, 'resource_type'],
    ['if they have a blank id', { resource_type: 'report', resource_id: ' ' }, 'resource_id'],
    ['if they have the id *', { resource_type: 'report', resource_id: '*' }, 'resource_id'],
    ['if they have no type', {}, 'resource_type'],
  ])('are rejected %s', async (_, resource, field) => {
    const { send } = await startWithTypes();

    const { status, body } = await send('POST /fga/v1/resources', resource);

    expect([status, body.errors[0].field]).toEqual([422, field]);
  });

  test('cannot be updated or deleted if they do not exist', async () => {
    const { send } = await startWithTypes();

    expect((await send('PUT /fga/v1/resources/report/7', { meta: {} })).status).toBe(404);
    expect((await send('DELETE /fga/v1/resources/report/7')).status).toBe(404);
  });

  test('are listed newest first with cursors, and can be filtered by type and by part of the id', async () => {
    const { send, names } = await startWithTypes();
    for (const resource of ['report:q1', 'report:Q2', 'report:plan', 'user:q'].map((name) => name.split(':')))
      await send('POST /fga/v1/resources', { resource_type: resource[0], resource_id: resource[1] });

    const page = await send('GET /fga/v1/resources?resource_type=report&limit=2');
    const rest = await names(
      `?resource_type=report&limit=2&after=${encodeURIComponent(page.body.list_metadata.after)}`,
    );

    expect(await names()).toEqual(['user:q', 'report:plan', 'report:Q2', 'report:q1']);
    expect(await names('?resource_type=report&search=q')).toEqual(['report:Q2', 'report:q1']);
    expect(page.body.data).toHaveLength(2);
    expect(rest).toEqual(['report:q1']);
    expect((await send('GET /fga/v1/resources?after=report:nothing')).body.code).toBe('invalid_cursor');
  });

  test('are deleted together with every warrant that names them as resource or subject', async () => {
    const { send, warrants } = await startWithTypes();
    await send('POST /fga/v1/warrants', [
      on('group:eng', 'member', 'user:ada'),
      on('report:7', 'viewer', 'group:eng#member'),
      on('group:all', 'member', 'group:eng'),
      on('report:7', 'owner', 'user:ada'),
    ]);

    await send('DELETE /fga/v1/resources/group/eng');

    expect(await warrants()).toEqual([on('report:7', 'owner', 'user:ada')]);
  });
});

describe('a batch of resources', () => {
  test('can be created and deleted', async () => {
    const { send, names } = await startWithTypes();
    const resources = [
      { resource_type: 'report', resource_id: '1', meta: { name: 'One' } },
      { resource_type: 'user', resource_id: 'ada' },
    ];

    const created = await send('POST /fga/v1/resources/batch', { op: 'create', resources });
    const deleted = await send('POST /fga/v1/resources/batch', {
      op: 'delete',
      resources: resources.map(({ resource_type, resource_id }) => ({ resource_type, resource_id })),
    });

    expect([created.status, created.body]).toEqual([200, { data: resources }]);
    expect(deleted.body).toEqual({ data: resources });
    expect(await names()).toEqual([]);
  });

  test('requires ids for deletion, but not for creation', async () => {
    const { send } = await startWithTypes();
    const resources = [{ resource_type: 'report' }, { resource_type: 'report' }];

    const created = await send('POST /fga/v1/resources/batch', { op: 'create', resources });
    const deleted = await send('POST /fga/v1/resources/batch', { op: 'delete', resources });

    expect(new Set(created.body.data.map(({ resource_id }: Record<string, string>) => resource_id)).size).toBe(2);
    expect([deleted.status, deleted.body.errors[0].field]).toEqual([422, 'resources.0.resource_id']);
  });

  test.each([
    ['a resource already exists', 'create', ['report:new', 'report:old'], 409],
    ['a resource is repeated', 'create', ['report:new', 'report:new'], 409],
    ['a resource has an unknown type', 'create', ['report:new', 'page:1'], 422],
    ['a resource does not exist', 'delete', ['report:old', 'report:new'], 404],
  ])('changes nothing if %s', async (_, op, wanted, status) => {
    const { send, names } = await startWithTypes();
    await send('POST /fga/v1/resources', { resource_type: 'report', resource_id: 'old' });
    const resources = wanted.map((name) => ({ resource_type: name.split(':')[0], resource_id: name.split(':')[1] }));

    const answer = await send('POST /fga/v1/resources/batch', { op, resources });

    expect(answer.status).toBe(status);
    expect(await names()).toEqual(['report:old']);
  });

  test('can contain at most 100 resources', async () => {
    const { send } = await startWithTypes();
    const many = (count: number) => Array.from({ length: count }, () => ({ resource_type: 'report' }));

    const most = await send('POST /fga/v1/resources/batch', { op: 'create', resources: many(100) });
    const more = await send('POST /fga/v1/resources/batch', { op: 'create', resources: many(101) });

    expect(most.body.data).toHaveLength(100);
    expect([more.status, more.body.errors[0].field]).toEqual([422, 'resources']);
  });
});

describe('warrants', () => {
  test('can be written individually, with or without an op', async () => {
    const { send, warrants } = await startWithTypes();

    const created = await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:ada'));
    await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:bob', { op: 'create' }));
    await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:ada', { op: 'delete' }));

    expect([created.status, Object.keys(created.body)]).toEqual([200, ['warrant_token']]);
    expect(created.body.warrant_token).toMatch(/^warrant_token_/);
    expect(await warrants()).toEqual([on('report:7', 'editor', 'user:bob')]);
  });

  test('create missing resources, and do not change existing resources', async () => {
    const { send, names } = await startWithTypes();
    await send('POST /fga/v1/resources', { resource_type: 'user', resource_id: 'ada', meta: { name: 'Ada' } });

    await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:ada'));

    expect(await names()).toEqual(['report:7', 'user:ada']);
    expect((await send('GET /fga/v1/resources/user/ada')).body.meta).toEqual({ name: 'Ada' });
  });

  test('that are written twice are stored only once', async () => {
    const { send, warrants } = await startWithTypes();

    await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:ada'));
    const again = await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:ada'));

    expect(again.status).toBe(200);
    expect(await warrants()).toHaveLength(1);
  });

  test('cannot be deleted if they do not exist', async () => {
    const { send } = await startWithTypes();

    const { status, body } = await send(
      'POST /fga/v1/warrants',
      on('report:7', 'editor', 'user:ada', { op: 'delete' }),
    );

    expect([status, body]).toEqual([
      404,
      { code: 'entity_not_found', message: 'No warrant has the name "report:7#editor@user:ada".' },
    ]);
  });

  test.each([
    ['an unknown type', on('page:7', 'editor', 'user:ada'), 'resource_type', 'unknown_resource_type'],
    ['an unknown relation', on('report:7', 'admin', 'user:ada'), 'relation', 'unknown_relation'],
    ['an unknown subject type', on('report:7', 'editor', 'team:x'), 'subject.resource_type', 'unknown_resource_type'],
    ['an unknown subject relation', on('report:7', 'editor', 'group:eng#boss'), 'subject.relation', 'unknown_relation'],
    [
      'a subject type that is not allowed',
      on('group:eng', 'member', 'report:7'),
      'subject.resource_type',
      'subject_type_not_allowed',
    ],
    ['a blank id', on('report:', 'editor', 'user:ada'), 'resource_id', 'required'],
    ['all resources as the subject', on('report:7', 'editor', 'user:*'), 'subject.resource_id', 'invalid_value'],
    [
      'an unsupported policy',
      on('report:7', 'editor', 'user:ada', { policy: 'region == "us"' }),
      'policy',
      'policies_not_supported',
    ],
  ])('with %s are rejected', async (_, write, field, code) => {
    const { send, warrants } = await startWithTypes();

    const single = await send('POST /fga/v1/warrants', write);
    const batch = await send('POST /fga/v1/warrants', [on('report:1', 'editor', 'user:ada'), write]);

    expect([single.status, single.body.errors[0]]).toMatchObject([422, { field, code }]);
    expect([batch.status, batch.body.errors[0]]).toMatchObject([422, { field: `1.${field}`, code }]);
    expect(await warrants()).toEqual([]);
  });

  test('can have a subject of any type that the resource type allows', async () => {
    const { send } = await startWithTypes();

    expect((await send('POST /fga/v1/warrants', on('group:eng', 'member', 'group:ops#member'))).status).toBe(200);
  });

  test('in a batch are written in order, all or none', async () => {
    const { send, warrants } = await startWithTypes();
    await send('POST /fga/v1/warrants', on('report:7', 'owner', 'user:ada'));

    const written = await send('POST /fga/v1/warrants', [
      on('report:7', 'owner', 'user:bob'),
      on('report:7', 'owner', 'user:ada', { op: 'delete' }),
      on('report:7', 'editor', 'user:eve'),
      on('report:7', 'editor', 'user:eve', { op: 'delete' }),
    ]);
    const failed = await send('POST /fga/v1/warrants', [
      on('report:7', 'owner', 'user:bob', { op: 'delete' }),
      on('report:7', 'owner', 'user:ada', { op: 'delete' }),
    ]);

    expect(Object.keys(written.body)).toEqual(['warrant_token']);
    expect(failed.status).toBe(404);
    expect(await warrants()).toEqual([on('report:7', 'owner', 'user:bob')]);
  });

  test('can be filtered by each field, and are listed with forward cursors only', async () => {
    const { send, warrants } = await startWithTypes();
    const all = [
      on('report:7', 'owner', 'user:ada'),
      on('report:7', 'editor', 'group:eng#member'),
      on('report:8', 'owner', 'user:bob'),
      on('group:eng', 'member', 'user:ada'),
    ] as const;
    await send('POST /fga/v1/warrants', all);
    const [owner, editor, other, member] = all;

    const first = await send('GET /fga/v1/warrants?limit=3');
    const rest = await warrants(`?limit=3&after=${encodeURIComponent(first.body.list_metadata.after)}`);

    expect(await warrants('?resource_type=group')).toEqual([member]);
    expect(await warrants('?resource_type=report&resource_id=7')).toEqual([editor, owner]);
    expect(await warrants('?resource_id=8')).toEqual([other]);
    expect(await warrants('?relation=owner')).toEqual([other, owner]);
    expect(await warrants('?subject_type=group')).toEqual([editor]);
    expect(await warrants('?subject_type=user&subject_id=ada')).toEqual([member, owner]);
    expect(await warrants('?subject_relation=member')).toEqual([editor]);
    expect(await warrants('?resource_type=report&subject_id=ada&relation=editor')).toEqual([]);
    expect(first.body.data).toEqual([member, other, editor]);
    expect(Object.keys(first.body.list_metadata)).toEqual(['after']);
    expect(rest).toEqual([owner]);
  });
});

describe('the Warrant-Token header', () => {
  const reads = [
    ['GET /fga/v1/warrants'],
    ['GET /fga/v1/resources'],
    ['GET /fga/v1/resources/report/7'],
    ['GET /fga/v1/query?q=select%20report%20where%20user:ada%20is%20editor'],
    ['POST /fga/v1/check', { checks: [on('report:7', 'editor', 'user:ada')] }],
    ['POST /fga/v1/check', { op: 'batch', checks: [on('report:7', 'editor', 'user:ada')] }],
  ] as const;

  test.each(reads)('of %s accepts only `latest` or a token from a write', async (line, body?: unknown) => {
    const { send } = await startWithTypes();
    const { warrant_token: token } = (await send('POST /fga/v1/warrants', on('report:7', 'editor', 'user:ada'))).body;

    const latest = await send(line, body, { 'warrant-token': 'latest' });
    const known = await send(line, body, { 'warrant-token': token });
    const unknown = await send(line, body, { 'warrant-token': 'user_ada' });

    expect([latest.status, known.status, unknown.status]).toEqual([200, 200, 422]);
    expect(unknown.body.code).toBe('unknown_warrant_token');
  });
});

test('an authorization check reflects each write immediately, and returns the token of the last write', async () => {
  const { send } = await startWithTypes();
  const editor = on('report:7', 'editor', 'user:ada');
  const check = async (token: string) => {
    const { body } = await send('POST /fga/v1/check', { checks: [editor] }, { 'warrant-token': token });
    return [body.result, body.warrant_token];
  };

  const created = (await send('POST /fga/v1/warrants', editor)).body.warrant_token;
  const afterwards = await check(created);
  const deleted = (await send('POST /fga/v1/warrants', { op: 'delete', ...editor })).body.warrant_token;

  expect(deleted).not.toBe(created);
  expect(afterwards).toEqual(['authorized', created]);
  expect(await check(created)).toEqual(['not_authorized', deleted]);
});

test('an authorization check ignores the `context` field', async () => {
  const { send } = await startWithTypes();
  const editor = on('report:7', 'editor', 'user:ada');
  await send('POST /fga/v1/warrants', editor);

  const { body } = await send('POST /fga/v1/check', { checks: [{ ...editor, context: { tenant: 'other' } }] });

  expect(body.result).toBe('authorized');
});

test('a warrant with a policy is rejected', async () => {
  const { send } = await startWithTypes();

  const { status, body } = await send('POST /fga/v1/warrants', {
    ...on('report:7', 'editor', 'user:ada'),
    policy: 'tenant == "acme"',
  });

  expect([status, body.code]).toEqual([422, 'policies_not_supported']);
});
