import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

/** Sends a schema of metadata, and then an event with metadata. */
async function logging() {
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

const letters = `${'a'.repeat(400)}!`;

describe('a pattern with nested repetitions is compared at once', () => {
  test.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])(
    'in a schema of %s',
    async ($schema) => {
      const { schema, event } = await logging();
      expect((await schema({ $schema, properties: { note: { type: 'string', pattern: '^(a+)+$' } } })).status).toBe(
        200,
      );

      expect(await event({ note: letters })).toMatchObject({
        status: 400,
        body: { code: 'invalid_audit_log', errors: [{ instancePath: '/metadata/note' }] },
      });
      expect((await event({ note: 'aaa' })).status).toBe(200);
    },
  );

  test('for the names of fields', async () => {
    const { schema, event } = await logging();
    const names = { properties: { [letters]: {} }, patternProperties: { '^(a+)+$': { type: 'number' } } };

    expect((await schema({ ...names, additionalProperties: false })).status).toBe(200);

    expect((await event({ aaa: 1 })).status).toBe(200);
    expect((await event({ aaa: 'x' })).status).toBe(400);
    expect((await event({ [`${'a'.repeat(39)}!`]: 1 })).status).toBe(400);
  });

  test('for property names', async () => {
    const { schema, event } = await logging();

    await schema({ propertyNames: { pattern: '^(a|a)*$' } });

    expect((await event({ [`${'a'.repeat(39)}!`]: 1 })).status).toBe(400);
    expect((await event({ aaaa: 1 })).status).toBe(200);
  });
});

describe('a schema is refused', () => {
  test.each([
    [
      'with a back-reference',
      { properties: { a: { pattern: '(a)\\1' } } },
      /pattern "\(a\)\\\\1" must not use back-ref/,
    ],
    ['with a pattern that is not one', { properties: { a: { pattern: '(' } } }, /Invalid regular expression/],
  ])('%s', async (_, metadata, message) => {
    const { schema } = await logging();

    const { status, body } = await schema(metadata);

    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ field: 'metadata', code: 'invalid_json_schema' }] });
    expect(body.message).toMatch(message);
  });
});

test('schemas that are too long together are refused', async () => {
  const { schema } = await logging();
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

describe('an event is refused', () => {
  const tooMuch = {
    status: 400,
    body: {
      code: 'invalid_audit_log',
      errors: [{ instancePath: '', message: expect.stringContaining('Use simpler') }],
    },
  };

  test('when its schema follows references without an end', async () => {
    const { schema, event } = await logging();

    const circle = { $ref: '#/$defs/circle' };

    expect((await schema({ ...circle, $defs: { circle: { allOf: [circle] } } })).status).toBe(200);

    expect(await event({})).toMatchObject(tooMuch);
  });

  test.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])(
    'when references double the work, in a schema of %s',
    async ($schema) => {
      const { schema, event } = await logging();
      const twice = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] });
      const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`d${at}`, at < 59 ? twice(at + 1) : {}]));

      await schema({ $schema, $defs, ...twice(0) });

      expect(await event({})).toMatchObject(tooMuch);
    },
  );

  test('when its patterns take too many steps', async () => {
    const { schema, event } = await logging();
    const allOf = Array.from({ length: 200 }, (_, at) => ({ pattern: `(?=.*(?=.*(?=.*b${at})))` }));
    await schema({ properties: { note: { allOf } } });

    expect(await event({ note: letters })).toMatchObject(tooMuch);
  });

  test('when it has thousands of targets of a long schema', async () => {
    const { schema, event } = await logging();
    const allOf = Array.from({ length: 800 }, (_, at) => ({ not: { required: [`field${at}`] } }));
    expect((await schema({}, [{ type: 'page', metadata: { allOf } }])).status).toBe(200);

    expect(await event({}, Array(20_000).fill({ type: 'page', id: '7' }))).toMatchObject(tooMuch);
    expect((await event({}, Array(50).fill({ type: 'page', id: '7' }))).status).toBe(200);
  });
});

test('references may be used for the fields of a schema', async () => {
  const { schema, event } = await logging();
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, { $ref: '#/$defs/word' }]));
  await schema({ properties, $defs: { word: { type: 'string', pattern: '^\\w+$' } } });

  expect((await event(Object.fromEntries(Object.keys(properties).map((name) => [name, 'ada'])))).status).toBe(200);
  expect(await event({ f7: '-' })).toMatchObject({ status: 400, body: { errors: [{ instancePath: '/metadata/f7' }] } });
});

test('a schema with a long list of values in draft-07 is compiled at once', async () => {
  const { schema } = await logging();
  const $schema = 'http://json-schema.org/draft-07/schema#';

  const { status } = await schema({
    $schema,
    properties: { a: { enum: Array.from({ length: 5_000 }, (_, at) => at) } },
  });

  expect(status).toBe(200);
});

test('a schema with 55 levels is compiled', async () => {
  const { schema } = await logging();
  let metadata: object = {};
  for (let level = 0; level < 55; level++) metadata = { not: metadata };

  expect((await schema(metadata)).status).toBe(200);
});
