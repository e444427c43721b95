import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../../src/emulator/index.js';
import { stage } from '../../../stage.js';

const event = {
  action: 'invoice.viewed',
  occurred_at: '2026-01-01T00:00:00.000Z',
  actor: { type: 'user', id: 'user_ada', name: 'Ada Lovelace', metadata: { role: 'admin' } },
  targets: [{ type: 'invoice', id: 'inv_42', metadata: { total: 120 } }],
  context: { location: '203.0.113.7', user_agent: 'Firefox' },
  metadata: { page: 3 },
};

const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const schema = {
  actor: { metadata: object({ role: { type: 'string', enum: ['admin', 'member'] } }, 'role') },
  targets: [{ type: 'invoice', metadata: object({ total: { type: 'number' } }) }, { type: 'customer' }],
  metadata: object({ page: { type: 'integer', minimum: 1 } }, 'page'),
};

/** An emulator with one organization. */
async function startWithAcme(options: EmulatorOptions = {}) {
  const { emulator, send } = await stage(options);
  const { body } = await send('POST /organizations', { name: 'Acme' });
  const id: string = body.id;
  const log = (changes: object = {}) =>
    send('POST /audit_logs/events', { organization_id: id, event: { ...event, ...changes } });
  const range = { range_start: '2025-01-01T00:00:00.000Z', range_end: '2027-01-01T00:00:00.000Z' };
  const requestExport = (changes: object = {}) =>
    send('POST /audit_logs/exports', { organization_id: id, ...range, ...changes });
  const file = async (url: string): Promise<string> => (await emulator.fetch(url)).text();
  /** The rows of a finished export, without the header. */
  const rows = async (changes: object = {}): Promise<string[]> => {
    const { body: asked } = await requestExport(changes);
    const { body: ready } = await send(`GET /audit_logs/exports/${asked.id}`);
    return (await file(ready.url)).trimEnd().split('\n').slice(1);
  };
  return { emulator, send, id, log, requestExport, file, rows };
}

describe('an audit log event', () => {
  test('is accepted for an organization', async () => {
    const { log } = await startWithAcme();

    const { status, body } = await log();

    expect([status, body]).toEqual([200, { success: true }]);
  });

  test('is rejected if the organization is unknown', async () => {
    const { send } = await startWithAcme();

    const { status, body } = await send('POST /audit_logs/events', { organization_id: 'org_nobody', event });

    expect([status, body.code]).toEqual([404, 'entity_not_found']);
  });

  test('that is sent twice with one idempotency key is logged only once', async () => {
    const { send, id, rows } = await startWithAcme();

    for (let time = 0; time < 2; time++)
      await send('POST /audit_logs/events', { organization_id: id, event }, { 'idempotency-key': 'one' });

    expect(await rows()).toHaveLength(1);
  });

  test.each([
    ['no action', { action: undefined }, '/action', 'is required'],
    ['no actor', { actor: undefined }, '/actor', 'is required'],
    ['no actor id', { actor: { type: 'user' } }, '/actor/id', 'is required'],
    ['no target type', { targets: [{ id: 'inv_42' }] }, '/targets/0/type', 'is required'],
    ['no context', { context: undefined }, '/context', 'is required'],
    ['no occurrence time', { occurred_at: undefined }, '/occurred_at', 'is required'],
    ['an invalid occurrence time', { occurred_at: 'yesterday' }, '/occurred_at', 'must be an ISO 8601 timestamp'],
    ['an invalid version', { version: 'one' }, '/version', 'must be an integer'],
    [
      'nested metadata',
      { metadata: { page: { number: 3 } } },
      '/metadata/page',
      'must be a string or number or boolean',
    ],
  ])(
    'with %s is rejected with status 400 and an error that contains the path of the invalid field',
    async (_, changes, instancePath, message) => {
      const { log } = await startWithAcme();

      const { status, body } = await log(changes);

      expect([status, body.code, body.errors]).toEqual([400, 'invalid_audit_log', [{ instancePath, message }]]);
      expect(body.message).toContain(`${instancePath} ${message}`);
    },
  );

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key ${at}`, 'v']));
  const metadataFields = {
    '/metadata': (metadata: object) => ({ metadata }),
    '/actor/metadata': (metadata: object) => ({ actor: { ...event.actor, metadata } }),
    '/targets/0/metadata': (metadata: object) => ({ targets: [{ ...event.targets[0], metadata }] }),
  };

  test.each(Object.entries(metadataFields))(
    'is rejected if %s exceeds 50 keys, 40 characters per key or 500 characters per value',
    async (path, at) => {
      const { log } = await startWithAcme();

      const within = [keys(50), { ['k'.repeat(40)]: 'v' }, { key: 'v'.repeat(500) }];
      const beyond = [keys(51), { ['k'.repeat(41)]: 'v' }, { key: 'v'.repeat(501) }];

      for (const metadata of within) expect((await log(at(metadata))).status).toBe(200);
      for (const metadata of beyond) {
        const { status, body } = await log(at(metadata));
        expect([status, body.code, body.errors.length, body.errors[0].instancePath]).toEqual([
          400,
          'invalid_audit_log',
          1,
          path,
        ]);
      }
    },
  );
});

describe('the schema for an audit log action', () => {
  test('creates the action, and each later schema gets the next version number', async () => {
    const { emulator, send } = await startWithAcme();

    const first = await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);
    await emulator.clock.advance('1s');
    const second = await send('POST /audit_logs/actions/invoice.viewed/schemas', { targets: [{ type: 'invoice' }] });
    const { body: actions } = await send('GET /audit_logs/actions');

    expect([first.status, first.body]).toEqual([
      200,
      {
        object: 'audit_log_schema',
        version: 1,
        ...schema,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    expect(second.body).toMatchObject({ version: 2, actor: {}, targets: [{ type: 'invoice' }] });
    expect(actions.data).toEqual([
      {
        object: 'audit_log_action',
        name: 'invoice.viewed',
        schema: second.body,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:01.000Z',
      },
    ]);
  });

  test('keeps the spelling of property names', async () => {
    const { send } = await startWithAcme();
    const metadata = { type: 'object', properties: { someKey: { type: 'string' }, other_key: { type: 'string' } } };

    const { body } = await send('POST /audit_logs/actions/a.b/schemas', { targets: [], metadata });

    expect(body.metadata).toEqual(metadata);
  });

  test('is created with status 201 in the workos dialect', async () => {
    const { send } = await startWithAcme({ dialect: 'workos' });

    expect((await send('POST /audit_logs/actions/a.b/schemas', { targets: [] })).status).toBe(201);
  });

  test('is listed with previous versions, newest first and with cursors', async () => {
    const { send } = await startWithAcme();
    for (let time = 0; time < 3; time++) await send('POST /audit_logs/actions/a.b/schemas', { targets: [] });
    await send('POST /audit_logs/actions/c.d/schemas', { targets: [] });
    const versions = ({ body }: { body: { data: { version: number }[] } }) => body.data.map(({ version }) => version);

    const first = await send('GET /audit_logs/actions/a.b/schemas?limit=2');
    const rest = await send(`GET /audit_logs/actions/a.b/schemas?after=${first.body.list_metadata.after}`);
    const actions = await send('GET /audit_logs/actions');

    expect(versions(first)).toEqual([3, 2]);
    expect(versions(rest)).toEqual([1]);
    expect(actions.body.data.map(({ name }: { name: string }) => name)).toEqual(['c.d', 'a.b']);
  });

  test('cannot be listed if the action is unknown', async () => {
    const { send } = await startWithAcme();

    expect((await send('GET /audit_logs/actions/a.b/schemas')).status).toBe(404);
  });

  test.each([
    ['actor.metadata', { actor: { metadata: { type: 'strin' } }, targets: [] }],
    ['targets.1.metadata', { targets: [{ type: 'a' }, { type: 'b', metadata: { required: 'role' } }] }],
    ['metadata', { targets: [], metadata: { properties: { pattern: { type: 'string', pattern: '(' } } } }],
    ['metadata', { targets: [], metadata: { role: 'string' } }],
    ['metadata', { targets: [], metadata: { $ref: 'https://example.com/schema.json' } }],
    ['metadata', { targets: [], metadata: { $schema: 'http://json-schema.org/draft-03/schema#' } }],
    ['metadata', { targets: [], metadata: { $async: true } }],
  ])('is rejected if %s is not a valid JSON Schema', async (field, body) => {
    const { send } = await startWithAcme();

    const refused = await send('POST /audit_logs/actions/a.b/schemas', body);

    expect([refused.status, refused.body.errors.length]).toEqual([422, 1]);
    expect(refused.body.errors[0]).toMatchObject({ field, code: 'invalid_json_schema' });
    expect((await send('GET /audit_logs/actions')).body.data).toEqual([]);
  });

  test('with an unknown keyword is rejected with an error that names the keyword', async () => {
    const { send } = await startWithAcme();

    const { body } = await send('POST /audit_logs/actions/a.b/schemas', { targets: [], metadata: { role: 'string' } });

    expect(body.errors[0].message).toBe('must be a JSON schema: unknown keyword: "role"');
  });

  test('can name a JSON Schema draft, repeat an `$id` and use formats', async () => {
    const { send } = await startWithAcme();
    const metadata = (draft: string) => ({
      $schema: draft,
      $id: 'https://acme.test/schema',
      properties: { at: { type: 'string', format: 'date-time' } },
    });

    for (const draft of [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2020-12/schema',
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      const { status } = await send('POST /audit_logs/actions/a.b/schemas', { targets: [], metadata: metadata(draft) });
      expect(status).toBe(200);
    }
  });

  test('cannot repeat a target type', async () => {
    const { send } = await startWithAcme();

    const { status, body } = await send('POST /audit_logs/actions/a.b/schemas', {
      targets: [{ type: 'invoice' }, { type: 'invoice' }],
    });

    expect([status, body.errors[0]]).toMatchObject([422, { field: 'targets.1.type', code: 'duplicate_value' }]);
  });
});

describe('the schema check for audit log events', () => {
  test('accepts an event that matches the schema', async () => {
    const { send, log } = await startWithAcme();
    await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);

    expect((await log()).status).toBe(200);
    expect((await log({ version: 1 })).status).toBe(200);
    expect((await log({ targets: [{ type: 'customer', id: 'cus_1', metadata: { any: 'thing' } }] })).status).toBe(200);
  });

  test.each([
    [
      'an invalid value in actor metadata',
      { actor: { ...event.actor, metadata: { role: 'boss' } } },
      {
        instancePath: '/actor/metadata/role',
        message: 'must be equal to one of the allowed values: ["admin","member"]',
      },
    ],
    [
      'missing actor metadata',
      { actor: { type: 'user', id: 'user_ada' } },
      { instancePath: '/actor/metadata', message: "must have required property 'role'" },
    ],
    [
      'an invalid value in target metadata',
      {
        targets: [
          { type: 'customer', id: 'cus_1' },
          { type: 'invoice', id: 'inv_1', metadata: { total: 'much' } },
        ],
      },
      { instancePath: '/targets/1/metadata/total', message: 'must be number' },
    ],
    [
      'an unknown target type',
      { targets: [{ type: 'team', id: 'team_1' }] },
      { instancePath: '/targets/0/type', message: 'must be a target type of the schema: invoice, customer' },
    ],
    [
      'an invalid value in metadata',
      { metadata: { page: 0.5 } },
      { instancePath: '/metadata/page', message: 'must be integer' },
      { instancePath: '/metadata/page', message: 'must be >= 1' },
    ],
    [
      'an unknown property in metadata',
      { metadata: { page: 1, colour: 'red' } },
      { instancePath: '/metadata', message: 'must NOT have additional properties: "colour"' },
    ],
    [
      'missing metadata',
      { metadata: undefined },
      { instancePath: '/metadata', message: "must have required property 'page'" },
    ],
  ])('rejects %s', async (_, changes, ...errors) => {
    const { send, log, rows } = await startWithAcme();
    await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);

    const { status, body } = await log(changes);

    expect([status, body.code]).toEqual([400, 'invalid_audit_log']);
    expect(body.errors).toEqual(expect.arrayContaining(errors));
    expect(body.errors).toHaveLength(errors.length);
    expect(await rows()).toEqual([]);
  });

  test('uses the latest schema version unless the event names a version', async () => {
    const { send, log } = await startWithAcme();
    await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);
    await send('POST /audit_logs/actions/invoice.viewed/schemas', { targets: [{ type: 'team' }] });
    const team = { targets: [{ type: 'team', id: 'team_1' }] };

    expect((await log(team)).status).toBe(200);
    expect((await log({ ...team, version: 2 })).status).toBe(200);
    expect((await log({ ...team, version: 1 })).status).toBe(400);
    expect((await log()).status).toBe(400);
    expect((await log({ version: 1 })).status).toBe(200);
  });

  test('rejects an unknown schema version', async () => {
    const { send, log } = await startWithAcme();
    await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);

    const unknown = await log({ version: 2 });
    const none = await log({ action: 'invoice.paid', version: 1 });

    expect([unknown.status, unknown.body.errors]).toEqual([
      400,
      [{ instancePath: '/version', message: "must be a version of the action's schema, 1 to 1, not 2" }],
    ]);
    expect([none.status, none.body.errors[0].instancePath]).toEqual([400, '/version']);
  });

  test('skips an event for an action without a schema', async () => {
    const { send, log } = await startWithAcme();
    await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);

    expect((await log({ action: 'invoice.paid', targets: [{ type: 'team', id: 'team_1' }] })).status).toBe(200);
  });
});

describe('an audit log export', () => {
  test('is pending at first, and then links to a CSV file that can be read without an API key', async () => {
    const { emulator, send, id, log, requestExport } = await startWithAcme();
    await log();

    const asked = await requestExport();
    const ready = await send(`GET /audit_logs/exports/${asked.body.id}`);
    const file = await emulator.fetch(ready.body.url);

    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    const shown = { object: 'audit_log_export', id: expect.stringMatching(/^audit_log_export_/), ...times };
    expect([asked.status, asked.body]).toEqual([200, { ...shown, state: 'pending' }]);
    expect(ready.body).toEqual({ ...shown, state: 'ready', url: expect.stringContaining(emulator.url) });
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${asked.body.id}.csv"`);
    expect(await file.text()).toMatch(
      new RegExp(
        [
          '^id,organization_id,action,occurred_at,version,actor_type,actor_id,actor_name,actor_metadata,targets,location,user_agent,metadata',
          `audit_log_event_[0-9A-Z]+,${id},invoice.viewed,2026-01-01T00:00:00.000Z,,user,user_ada,Ada Lovelace,"\\{""role"":""admin""\\}","\\[\\{""type"":""invoice"",""id"":""inv_42"",""metadata"":\\{""total"":120\\}\\}\\]",203.0.113.7,Firefox,"\\{""page"":3\\}"`,
          '$',
        ].join('\\n'),
      ),
    );
  });

  test('becomes ready after the configured delay, with the events logged before the end of the delay', async () => {
    const { emulator, send, log, requestExport, file } = await startWithAcme({ auditExportAfterMs: 60_000 });
    await log({ action: 'in.time' });
    const { body: asked } = await requestExport();
    const now = async () => (await send(`GET /audit_logs/exports/${asked.id}`)).body;

    await emulator.clock.advance('59s');
    const early = await now();
    await emulator.clock.advance('2m');
    await log({ action: 'too.late' });
    const ready = await now();
    const csv = await file(ready.url);

    expect([early.state, early.url]).toEqual(['pending', undefined]);
    expect([ready.state, ready.updated_at]).toEqual(['ready', '2026-01-01T00:01:00.000Z']);
    expect(csv).toContain('in.time');
    expect(csv).not.toContain('too.late');
  });

  test('has a link that expires after ten minutes, and gets a new link on every read', async () => {
    const { emulator, send, requestExport } = await startWithAcme();
    const { body: asked } = await requestExport();
    const link = async (): Promise<string> => (await send(`GET /audit_logs/exports/${asked.id}`)).body.url;
    const status = async (url: string): Promise<number> => (await emulator.fetch(url)).status;

    const first = await link();
    await emulator.clock.advance(599_999);
    const second = await link();
    const alive = await status(first);
    await emulator.clock.advance(1);
    const dead = await emulator.fetch(first);

    expect(second).not.toBe(first);
    expect(alive).toBe(200);
    expect([dead.status, (await dead.json()).code]).toEqual([410, 'link_expired']);
    expect(await status(second)).toBe(200);
    expect(await status(await link())).toBe(200);
    expect(await status(`${emulator.url}/audit_logs/files/nobody-was-given-this`)).toBe(404);
  });

  test('can be made to fail while pending', async () => {
    const { emulator, send, requestExport } = await startWithAcme();
    const { body: failing } = await requestExport();
    const { body: ready } = await requestExport();
    await send(`GET /audit_logs/exports/${ready.id}`);

    await emulator.failAuditExport(failing.id);
    const { body } = await send(`GET /audit_logs/exports/${failing.id}`);

    expect([body.state, body.url]).toEqual(['error', undefined]);
    await expect(emulator.failAuditExport(ready.id)).rejects.toMatchObject({ code: 'export_already_ready' });
    await expect(emulator.failAuditExport('audit_log_export_nobody')).rejects.toMatchObject({ status: 404 });
  });

  test("contains the organization's events in the time range, in order of occurrence", async () => {
    const { send, log, rows } = await startWithAcme();
    const other = await send('POST /organizations', { name: 'Other' });
    await send('POST /audit_logs/events', { organization_id: other.body.id, event: { ...event, action: 'of.other' } });
    for (const [action, occurred_at] of [
      ['d.last', '2026-01-04T00:00:00Z'],
      ['c.end', '2026-01-03T00:00:00.000Z'],
      ['b.start', '2026-01-01T23:00:00.000-01:00'],
      ['a.before', '2026-01-01T23:59:59.999Z'],
    ])
      await log({ action, occurred_at });

    const found = await rows({ range_start: '2026-01-02T00:00:00.000Z', range_end: '2026-01-03T00:00:00Z' });

    expect(found.map((row) => row.split(',')[2])).toEqual(['b.start', 'c.end']);
    expect(found.map((row) => row.split(',')[3])).toEqual(['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']);
  });

  test('can be filtered by action, actor name, actor id and target type', async () => {
    const { log, rows } = await startWithAcme();
    const actor = (name?: string) => ({ type: 'user', id: `user_${name ?? 'none'}`, ...(name && { name }) });
    await log({ action: 'a.a', actor: actor('Ada'), targets: [{ type: 'invoice', id: '1' }] });
    await log({
      action: 'b.b',
      actor: actor('Bob'),
      targets: [
        { type: 'team', id: '2' },
        { type: 'invoice', id: '3' },
      ],
    });
    await log({ action: 'c.c', actor: actor(), targets: [] });
    const actions = async (changes: object) => (await rows(changes)).map((row) => row.split(',')[2]);

    expect(await actions({ actions: ['a.a', 'c.c'] })).toEqual(['a.a', 'c.c']);
    expect(await actions({ actors: ['Bob'] })).toEqual(['b.b']);
    expect(await actions({ actor_names: ['Ada'] })).toEqual(['a.a']);
    expect(await actions({ actor_ids: ['user_Bob', 'user_none'] })).toEqual(['b.b', 'c.c']);
    expect(await actions({ actor_ids: ['user_Bob'], actor_names: ['Ada'] })).toEqual([]);
    expect(await actions({ actor_ids: [] })).toEqual(['a.a', 'b.b', 'c.c']);
    expect(await actions({ targets: ['invoice'] })).toEqual(['a.a', 'b.b']);
    expect(await actions({ targets: ['team'], actors: ['Ada'] })).toEqual([]);
    expect(await actions({ actions: [] })).toEqual(['a.a', 'b.b', 'c.c']);
  });

  test('contains the schema version that each event was checked against', async () => {
    const { send, log, rows } = await startWithAcme();
    await send('POST /audit_logs/actions/invoice.viewed/schemas', schema);
    await log();

    expect((await rows())[0]?.split(',')[4]).toBe('1');
  });

  test('escapes spreadsheet formulas and quotes values with commas', async () => {
    const { log, rows } = await startWithAcme();
    await log({
      actor: { type: 'user', id: '@SUM(A1)', name: '=HYPERLINK("https://evil.test","x")' },
      context: { location: '+1', user_agent: 'a,b' },
    });

    const [row] = await rows();

    expect(row).toContain(`'@SUM(A1),"'=HYPERLINK(""https://evil.test"",""x"")"`);
    expect(row).toContain(`'+1,"a,b"`);
  });

  test('omits expired events even if the retention period is extended later', async () => {
    const { emulator, send, id, log, rows } = await startWithAcme();
    await log({ action: 'old.one' });
    await emulator.clock.advance('31d');

    await send(`PUT /organizations/${id}/audit_logs_retention`, { retention_period_in_days: 365 });
    await log({ action: 'new.one', occurred_at: '2026-02-01T00:00:00.000Z' });

    expect((await rows()).map((row) => row.split(',')[2])).toEqual(['new.one']);
  });

  test('omits events that expired when the retention period was shortened, even if it is extended later', async () => {
    const { emulator, send, id, log, rows } = await startWithAcme();
    await send(`PUT /organizations/${id}/audit_logs_retention`, { retention_period_in_days: 365 });
    await log({ action: 'old.one' });
    await emulator.clock.advance('31d');
    await log({ action: 'new.one', occurred_at: '2026-02-01T00:00:00.000Z' });

    const long = await rows();
    await send(`PUT /organizations/${id}/audit_logs_retention`, { retention_period_in_days: 30 });
    const short = await rows();
    await send(`PUT /organizations/${id}/audit_logs_retention`, { retention_period_in_days: 365 });
    const gone = await rows();

    expect(long).toHaveLength(2);
    expect(short.map((row) => row.split(',')[2])).toEqual(['new.one']);
    expect(gone).toEqual(short);
  });

  test.each([
    ['an unknown organization', { organization_id: 'org_nobody' }, 404, undefined],
    ['no end time', { range_end: undefined }, 422, 'range_end'],
    ['an invalid start time', { range_start: 'yesterday' }, 422, 'range_start'],
    ['an end time before the start time', { range_end: '2024-12-31T00:00:00.000Z' }, 422, 'range_end'],
  ])('with %s is rejected', async (_, changes, status, field) => {
    const { requestExport } = await startWithAcme();

    const answer = await requestExport(changes);

    expect([answer.status, answer.body.errors?.[0].field]).toEqual([status, field]);
  });

  test('with an unknown id returns 404', async () => {
    const { send } = await startWithAcme();

    expect((await send('GET /audit_logs/exports/audit_log_export_nobody')).status).toBe(404);
  });

  test('is deleted with the organization, and the link expires', async () => {
    const { emulator, send, id, requestExport } = await startWithAcme();
    const { body: asked } = await requestExport();
    const { body: ready } = await send(`GET /audit_logs/exports/${asked.id}`);

    await send(`DELETE /organizations/${id}`);

    expect((await send(`GET /audit_logs/exports/${asked.id}`)).status).toBe(404);
    expect((await emulator.fetch(ready.url)).status).toBe(410);
  });
});
