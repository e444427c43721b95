import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

/** Functions that send a schema for metadata, and an event with metadata. */
async function startWithAcme() {
  const { send } = await stage();
  const { body } = await send('POST /organizations', { name: 'Acme' });
  return {
    schema: (metadata: object, targets: readonly object[] = []) =>
      send('POST /audit_logs/actions/a.b/schemas', { targets, metadata }),
    event: (metadata: object, targets: readonly object[] = []) =>
      send('POST /audit_logs/events', {
        organization_id: body.id,
        event: {
          action: 'a.b',
          occurred_at: '2026-01-01T00:00:00Z',
          actor: { type: 'user', id: 'ada' },
          context: { location: '::1' },
          targets,
          metadata,
        },
      }),
  };
}

describe('a pattern in the schema for an audit log action', () => {
  test.each([
    ['matches an emoji as one character', '^.\\p{L}$', '\u{1F600}é', '\u{1F600}'],
    ['can contain a backreference', '^(a|b)\\1$', 'bb', 'ab'],
    ['can contain a lookbehind', '(?<=#)\\d+', '#7', '7'],
  ])('%s', async (_, pattern, match, other) => {
    const { schema, event } = await startWithAcme();
    expect((await schema({ properties: { note: { type: 'string', pattern } } })).status).toBe(200);

    expect((await event({ note: match })).status).toBe(200);
    expect(await event({ note: other })).toMatchObject({
      status: 400,
      body: { code: 'invalid_audit_log', errors: [{ instancePath: '/metadata/note' }] },
    });
  });

  test('in patternProperties also applies to a property that is listed in `properties`', async () => {
    const { schema, event } = await startWithAcme();
    const names = { properties: { aa: {} }, patternProperties: { '^a+$': { type: 'number' } } };
    expect((await schema({ ...names, additionalProperties: false })).status).toBe(200);

    expect((await event({ aa: 1 })).status).toBe(200);
    expect((await event({ aa: 'x' })).status).toBe(400);
    expect((await event({ b: 1 })).status).toBe(400);
  });

  test('is rejected if it is not a regular expression', async () => {
    const { schema } = await startWithAcme();

    expect(await schema({ properties: { a: { pattern: '(' } } })).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining('Invalid regular expression'),
        errors: [{ field: 'metadata', code: 'invalid_json_schema' }],
      },
    });
  });
});

test('the schemas for an audit log action have a maximum total length', async () => {
  const { schema } = await startWithAcme();
  const half = { enum: ['x'.repeat(16_384)] };

  expect((await schema(half)).status).toBe(200);
  expect(await schema(half, [{ type: 'page', metadata: half }])).toMatchObject({
    status: 422,
    body: {
      message: expect.stringMatching(/The schemas of an action must have at most 32768 characters as JSON, not \d+\.$/),
      errors: [{ field: '', code: 'out_of_range' }],
    },
  });
});

test("an audit log event is rejected if the action's schema has circular references", async () => {
  const { schema, event } = await startWithAcme();
  const circle = { $ref: '#/$defs/circle' };
  expect((await schema({ ...circle, $defs: { circle: { allOf: [circle] } } })).status).toBe(200);

  expect(await event({})).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_audit_log',
      errors: [
        {
          instancePath: '/metadata',
          message: 'cannot be checked: the schema has references that lead back to themselves',
        },
      ],
    },
  });
});

test('an audit log schema can use $ref for properties', async () => {
  const { schema, event } = await startWithAcme();
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, { $ref: '#/$defs/word' }]));
  await schema({ properties, $defs: { word: { type: 'string', pattern: '^\\w+$' } } });

  expect((await event(Object.fromEntries(Object.keys(properties).map((name) => [name, 'ada'])))).status).toBe(200);
  expect(await event({ f7: '-' })).toMatchObject({ status: 400, body: { errors: [{ instancePath: '/metadata/f7' }] } });
});

test('an audit log schema can have a long enum in draft-07', async () => {
  const { schema } = await startWithAcme();
  const $schema = 'http://json-schema.org/draft-07/schema#';

  const { status } = await schema({
    $schema,
    properties: { a: { enum: Array.from({ length: 5_000 }, (_, at) => at) } },
  });

  expect(status).toBe(200);
});

test('an audit log schema can be nested 55 levels deep', async () => {
  const { schema } = await startWithAcme();
  let metadata: object = {};
  for (let level = 0; level < 55; level++) metadata = { not: metadata };

  expect((await schema(metadata)).status).toBe(200);
});
