import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

const types = [
  { type: 'user', relations: {} },
  { type: 'group', relations: { member: {} } },
  { type: 'folder', relations: { owner: {}, viewer: { inherit_if: 'owner' } } },
  {
    type: 'report',
    relations: {
      parent: {},
      owner: {},
      editor: { inherit_if: 'owner' },
      viewer: {
        inherit_if: 'any_of',
        rules: [{ inherit_if: 'editor' }, { inherit_if: 'viewer', of_type: 'folder', with_relation: 'parent' }],
      },
      publisher: { inherit_if: 'all_of', rules: [{ inherit_if: 'editor' }, { inherit_if: 'viewer' }] },
    },
  },
];

const part = (name: string) => ({ resource_type: name.split(':')[0], resource_id: name.split(':')[1] });

/** Parse a text such as `report:7 editor group:eng#member`. */
const fact = (text: string) => {
  const [resource = '', relation, subject = ''] = text.split(' ');
  const [name = '', group] = subject.split('#');
  return { ...part(resource), relation, subject: { ...part(name), ...(group && { relation: group }) } };
};

/** An emulator with the types above and these warrants. */
async function startWith(...warrants: readonly string[]) {
  const { emulator, send } = await stage();
  await send('PUT /fga/v1/resource-types', types);
  await send('POST /fga/v1/warrants', warrants.map(fact));
  return {
    emulator,
    send,
    check: async (...checks: readonly string[]) =>
      (await send('POST /fga/v1/check', { checks: checks.map(fact) })).body,
    query: async (q: string, more = '') => send(`GET /fga/v1/query?q=${encodeURIComponent(q)}${more}`),
    found: async (q: string): Promise<string[]> =>
      (await send(`GET /fga/v1/query?limit=100&q=${encodeURIComponent(q)}`)).body.data.map(
        (one: Record<string, unknown>) =>
          `${one.resource_type}:${one.resource_id} ${one.relation}${one.is_implicit ? ' implicitly' : ''}`,
      ),
  };
}

describe('an authorization check', () => {
  test('succeeds for the subject and the resource of a warrant, but not for others', async () => {
    const { check } = await startWith('report:7 editor user:ada');

    expect(await check('report:7 editor user:ada')).toEqual({
      result: 'authorized',
      is_implicit: false,
      warrant_token: expect.stringMatching(/^warrant_token_/),
    });
    expect(await check('report:7 editor user:bob')).toMatchObject({ result: 'not_authorized', is_implicit: false });
    expect(await check('report:8 editor user:ada')).toMatchObject({ result: 'not_authorized' });
  });

  test('succeeds with `is_implicit: true` if a schema rule grants the relation', async () => {
    const { check } = await startWith('report:7 parent folder:a', 'folder:a owner user:ada', 'report:7 owner user:bob');

    expect(await check('report:7 viewer user:ada')).toMatchObject({ result: 'authorized', is_implicit: true });
    expect(await check('report:7 publisher user:bob')).toMatchObject({ result: 'authorized', is_implicit: true });
    expect(await check('report:7 publisher user:ada')).toMatchObject({ result: 'not_authorized', is_implicit: false });
  });

  test('succeeds with `is_implicit: false` if warrants grant the relation directly or through groups', async () => {
    const { check } = await startWith(
      'report:7 viewer group:all#member',
      'group:all member group:eng#member',
      'group:eng member user:ada',
      'report:7 owner user:ada',
    );

    expect(await check('report:7 viewer user:ada')).toMatchObject({ result: 'authorized', is_implicit: false });
    expect(await check('report:7 viewer group:eng#member')).toMatchObject({ result: 'authorized' });
    expect(await check('report:7 viewer group:eng')).toMatchObject({ result: 'not_authorized' });
  });

  test('does not confuse a subject id that contains # with the members of a group', async () => {
    const { send } = await startWith('report:7 viewer group:eng#member');
    const peculiar = {
      ...fact('report:7 viewer user:x'),
      subject: { resource_type: 'group', resource_id: 'eng#member' },
    };

    const { body } = await send('POST /fga/v1/check', { checks: [peculiar] });

    expect(body.result).toBe('not_authorized');
  });

  test('succeeds with a warrant for all resources of the type', async () => {
    const { check } = await startWith('report:* owner group:admins#member', 'group:admins member user:ada');

    expect(await check('report:9 editor user:ada')).toMatchObject({ result: 'authorized', is_implicit: true });
    expect(await check('folder:9 owner user:ada')).toMatchObject({ result: 'not_authorized' });
  });

  test('fails after the warrant is deleted', async () => {
    const { send, check } = await startWith('report:7 editor user:ada');

    const before = await check('report:7 editor user:ada');
    await send('POST /fga/v1/warrants', { ...fact('report:7 editor user:ada'), op: 'delete' });
    const after = await check('report:7 editor user:ada');

    expect([before.result, after.result]).toEqual(['authorized', 'not_authorized']);
    expect(after.warrant_token).not.toBe(before.warrant_token);
  });

  test.each([
    ['all_of', ['report:7 editor user:ada', 'report:7 viewer user:ada'], 'authorized', true],
    ['all_of', ['report:7 editor user:ada', 'report:8 editor user:ada'], 'not_authorized', false],
    ['any_of', ['report:8 editor user:ada', 'report:7 editor user:ada'], 'authorized', false],
    ['any_of', ['report:8 editor user:ada', 'report:9 editor user:ada'], 'not_authorized', false],
  ])('with the op %s and the checks %j returns %s', async (op, checks, result, isImplicit) => {
    const { send } = await startWith('report:7 editor user:ada');

    const { body } = await send('POST /fga/v1/check', { op, checks: checks.map(fact) });

    expect(body).toMatchObject({ result, is_implicit: isImplicit });
  });

  test('with the op batch returns the results in the order of the checks', async () => {
    const { send } = await startWith('report:7 editor user:ada');

    const { status, body } = await send('POST /fga/v1/check', {
      op: 'batch',
      checks: [fact('report:8 editor user:ada'), fact('report:7 editor user:ada'), fact('report:7 viewer user:ada')],
    });

    expect(status).toBe(200);
    expect(body).toMatchObject([
      { result: 'not_authorized', is_implicit: false },
      { result: 'authorized', is_implicit: false },
      { result: 'authorized', is_implicit: true },
    ]);
  });

  test('returns a decision tree if `debug` is true', async () => {
    const { send } = await startWith('report:7 parent folder:a', 'folder:a viewer user:ada');
    const asked = { checks: [fact('report:7 viewer user:ada')] };

    const { body } = await send('POST /fga/v1/check', { ...asked, debug: true });

    const node = (text: string, decision: string, ...children: object[]) => ({ check: fact(text), decision, children });
    expect(body.debug_info).toEqual({
      decision_tree: node(
        'report:7 viewer user:ada',
        'matched',
        node('report:7 editor user:ada', 'not_matched'),
        node('folder:a viewer user:ada', 'matched'),
      ),
    });
    expect((await send('POST /fga/v1/check', asked)).body).not.toHaveProperty('debug_info');
  });

  test.each([
    ['an empty list of checks', { checks: [] }, 'checks', 'required'],
    [
      'several checks but no op',
      { checks: ['report:7 editor user:ada', 'report:8 editor user:ada'] },
      'op',
      'required',
    ],
    ['an unknown op', { op: 'none_of', checks: ['report:7 editor user:ada'] }, 'op', 'invalid_value'],
    ['an unknown type', { checks: ['page:7 editor user:ada'] }, 'checks.0.resource_type', 'unknown_resource_type'],
    ['an unknown relation', { checks: ['report:7 admin user:ada'] }, 'checks.0.relation', 'unknown_relation'],
    [
      'an unknown subject type',
      { checks: ['report:7 editor team:x'] },
      'checks.0.subject.resource_type',
      'unknown_resource_type',
    ],
    [
      'an unknown subject relation',
      { checks: ['report:7 editor group:eng#boss'] },
      'checks.0.subject.relation',
      'unknown_relation',
    ],
  ])('with %s is rejected', async (_, { checks, ...rest }: { checks: string[]; op?: string }, field, code) => {
    const { send } = await startWith();

    const { status, body } = await send('POST /fga/v1/check', { ...rest, checks: checks.map(fact) });

    expect([status, body.errors[0]]).toMatchObject([422, { field, code }]);
  });

  test('takes about as long with 10,000 warrants as with 200', async () => {
    const timeWith = async (members: number): Promise<{ readonly ms: number; readonly results: readonly string[] }> => {
      const { send } = await startWith('report:7 parent folder:a', 'folder:a owner group:eng#member');
      for (let from = 0; from < members; from += 1_000)
        await send(
          'POST /fga/v1/warrants',
          Array.from({ length: Math.min(1_000, members) }, (_, at) => fact(`group:eng member user:${from + at}`)),
        );
      const checks = Array.from({ length: 300 }, (_, at) => fact(`report:7 viewer user:${members - 150 + at}`));
      const started = performance.now();
      const { body } = await send('POST /fga/v1/check', { op: 'batch', checks });
      return { ms: performance.now() - started, results: body.map(({ result }: { result: string }) => result) };
    };
    await timeWith(200);

    const few = await timeWith(200);
    const many = await timeWith(10_000);

    const expected = [...Array(150).fill('authorized'), ...Array(150).fill('not_authorized')];
    expect([few.results, many.results]).toEqual([expected, expected]);
    // A linear search would take about fifty times longer with fifty times the warrants.
    expect(many.ms).toBeLessThan(few.ms * 10 + 50);
  });
});

describe('a warrant query', () => {
  const facts = [
    'folder:a owner user:ada',
    'report:1 parent folder:a',
    'report:2 editor user:ada',
    'report:3 viewer group:eng#member',
    'group:eng member user:ada',
    'group:eng member user:bob',
    'report:4 owner user:bob',
  ];

  test('finds the resources that a subject has a relation to', async () => {
    const { found } = await startWith(...facts);

    expect(await found('select report where user:ada is viewer')).toEqual([
      'report:1 viewer implicitly',
      'report:2 viewer implicitly',
      'report:3 viewer',
    ]);
    expect(await found('select report, folder where user:ada is owner,editor')).toEqual([
      'folder:a owner',
      'report:2 editor',
    ]);
    expect(await found('select report where user:eve is viewer')).toEqual([]);
  });

  test('finds the subjects that have a relation to a resource', async () => {
    const { found } = await startWith(...facts);

    expect(await found('select viewer of type user for report:3')).toEqual(['user:ada viewer', 'user:bob viewer']);
    expect(await found('select viewer of type user for report:1')).toEqual(['user:ada viewer implicitly']);
    expect(await found('select * of type user for report:4')).toEqual([
      'user:bob editor implicitly',
      'user:bob owner',
      'user:bob publisher implicitly',
      'user:bob viewer implicitly',
    ]);
    expect(await found('select parent of type * for report:1')).toEqual(['folder:a parent']);
  });

  test('with `explicit` finds only relations that warrants grant directly', async () => {
    const { found } = await startWith(...facts);

    expect(await found('select explicit report where user:ada is viewer')).toEqual(['report:3 viewer']);
    expect(await found('select explicit * where user:bob is *')).toEqual([
      'group:eng member',
      'report:3 viewer',
      'report:4 owner',
    ]);
  });

  test('finds every resource of a type if a warrant applies to the whole type', async () => {
    const { found, send } = await startWith(...facts);
    await send('POST /fga/v1/warrants', fact('report:* owner user:eve'));

    expect(await found('select report where user:eve is owner')).toEqual([
      'report:1 owner',
      'report:2 owner',
      'report:3 owner',
      'report:4 owner',
    ]);
  });

  test('returns the warrant for each result, and the meta of a resource', async () => {
    const { query, send } = await startWith(...facts);
    await send('PUT /fga/v1/resources/report/1', { meta: { Title: 'One' } });

    const resources = await query('select report where user:ada is viewer');
    const subjects = await query('select viewer of type user for report:3');

    expect(resources.body.data[0]).toEqual({
      resource_type: 'report',
      resource_id: '1',
      relation: 'viewer',
      warrant: fact('report:1 parent folder:a'),
      is_implicit: true,
      meta: { Title: 'One' },
    });
    expect(subjects.body.data[1]).toEqual({
      resource_type: 'user',
      resource_id: 'bob',
      relation: 'viewer',
      warrant: fact('group:eng member user:bob'),
      is_implicit: false,
    });
  });

  test('continues after a cursor even if warrants are created and deleted between pages', async () => {
    const { query, send } = await startWith(...['1', '2', '3', '4', '5'].map((id) => `report:${id} owner user:ada`));
    const ids = ({ body }: Awaited<ReturnType<typeof query>>): string[] =>
      body.data.map(({ resource_id }: { resource_id: string }) => resource_id);
    const q = 'select report where user:ada is owner';

    const first = await query(q, '&limit=2');
    const { after } = first.body.list_metadata;
    await send('POST /fga/v1/warrants', [
      { ...fact('report:2 owner user:ada'), op: 'delete' },
      fact('report:0 owner user:ada'),
    ]);
    const second = await query(q, `&limit=2&after=${encodeURIComponent(after)}`);
    const back = await query(q, `&limit=2&before=${encodeURIComponent(second.body.list_metadata.before)}`);
    const last = await query(q, '&limit=2&order=desc');

    expect(ids(first)).toEqual(['1', '2']);
    expect(first.body.list_metadata.before).toBeNull();
    expect(ids(second)).toEqual(['3', '4']);
    expect(ids(back)).toEqual(['0', '1']);
    expect(back.body.list_metadata.before).toBeNull();
    expect(ids(last)).toEqual(['5', '4']);
    expect((await query(q, '&after=report')).body.code).toBe('invalid_cursor');
  });

  test('accepts a context only as JSON', async () => {
    const { query } = await startWith(...facts);

    const good = await query('select report where user:ada is owner', `&context=${encodeURIComponent('{"a":1}')}`);
    const bad = await query('select report where user:ada is owner', '&context=region');

    expect([good.status, bad.status, bad.body.errors[0].field]).toEqual([200, 422, 'context']);
  });

  test.each([
    ['that is empty', 'the parameter', '', 'is required'],
    ['with an unknown keyword', 'the keyword', 'find report', 'starts with "find" instead of select'],
    [
      'with an unknown type',
      'the type',
      'select page where user:ada is owner',
      'must be a resource type that exists; create "page" first',
    ],
    [
      'with an unknown subject type',
      'the type',
      'select report where team:x is owner',
      'must be a resource type that exists; create "team" first',
    ],
    [
      'with an unknown relation',
      'the relation',
      'select report where user:ada is admin',
      'must use a relation of report instead of "admin"',
    ],
    [
      'with an unknown relation of the resource',
      'the resource type',
      'select admin of type user for report:1',
      'must be a relation of report',
    ],
  ])('%s is rejected with an error that names %s', async (_what, _named, q, problem) => {
    const { query } = await startWith(...facts);

    const { status, body } = await query(q);

    expect([status, body.errors[0].field]).toEqual([422, 'q']);
    expect(body.message).toContain(problem);
  });
});
