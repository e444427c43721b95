import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { schemaFile } from '../../../scripts/seed/schema.js';
import { createEmulator } from '../../../src/emulator/index.js';
import { seedParts } from '../../../src/emulator/registry.js';
import { describeSeed } from '../../../src/emulator/seed/description.js';
import { declaredSlots } from '../../../src/emulator/world/memory.js';

const textOf = (file: string | URL): string => readFileSync(file, 'utf8');
const schema = JSON.parse(textOf(schemaFile));
const fits = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);

/** Whether the schema accepts a seed, and whether the emulator accepts it. */
async function acceptedBy(seed: object) {
  const error = await createEmulator({ seed }).then(
    (emulator) => emulator.close(),
    (reason: Error) => reason.message,
  );
  return { schema: fits(seed), emulator: error === undefined };
}

describe('the seed schema', () => {
  test('accepts examples/company.yaml, whose first line links to the schema', () => {
    const company = textOf('examples/company.yaml');

    expect(fits(parse(company)), JSON.stringify(fits.errors)).toBe(true);
    expect(company.split('\n')[0]).toBe('# yaml-language-server: $schema=../seed.schema.json');
  });

  test('contains the description, type and allowed values of each field', () => {
    const { properties, required, additionalProperties } = schema.definitions.OrganizationSeed;

    expect(properties.external_id).toEqual({
      description: 'Your own id for the organization; must be unique.',
      type: ['string', 'null'],
    });
    expect(properties.retention_period_in_days.enum).toEqual([30, 365, null]);
    expect([required, additionalProperties]).toEqual([['name'], false]);
    expect(schema.definitions.UserSeed.properties.password.description).toContain('`password_hash`');
  });

  test('has a description for every field', () => {
    const objects: { properties: Record<string, { description: string }> }[] = [
      schema,
      ...Object.values<never>(schema.definitions),
    ];
    const bare = objects.flatMap(({ properties }) =>
      Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : name)),
    );

    expect(bare).toEqual([]);
  });

  test.each<[string, object]>([
    ['an empty seed', {}],
    ['a section that is null', { users: null }],
    ['a `$schema` field', { $schema: './seed.schema.json', users: [] }],
    ['a field of another dialect', { organizations: [{ name: 'A', stripe_customer_id: 'cus_1' }] }],
    ['a new value of an open enum', { connections: [{ connection_type: 'NewSAML' }] }],
    ['any key in metadata', { users: [{ email: 'a@a.test', metadata: { anyKey: 'x' } }] }],
    [
      'an authentication factor and an authentication policy',
      {
        organizations: [
          {
            name: 'A',
            domain_data: [{ domain: 'a.test', state: 'verified' }],
            authentication_policy: { sso_required: true },
          },
        ],
        users: [{ email: 'a@a.test', auth_factors: [{ type: 'sms', phone_number: '+15005550006' }] }],
      },
    ],
  ])('accepts %s, as the emulator does', async (_what, seed) => {
    expect(await acceptedBy(seed)).toEqual({ schema: true, emulator: true });
  });

  test.each<[string, object]>([
    ['an unknown section', { user: [] }],
    ['an unknown field', { organizations: [{ name: 'A', externalId: 'x' }] }],
    [
      'an unknown field in a nested object',
      { users: [{ email: 'a@a.test', auth_factors: [{ type: 'totp', secret: 'x' }] }] },
    ],
    ['a missing field', { organizations: [{}] }],
    ['a value of the wrong type', { users: [{ email: 'a@a.test', first_name: 12 }] }],
    [
      'a value outside the enum',
      { organizations: [{ name: 'A', domain_data: [{ domain: 'a.test', state: 'verifed' }] }] },
    ],
    ['a number out of range', { invitations: [{ email: 'a@a.test', expires_in_days: 31 }] }],
    ['null in a field that cannot be null', { users: [{ email: 'a@a.test', email_verified: null }] }],
    ['a list instead of an object', []],
  ])('rejects %s, as the emulator does', async (_what, seed) => {
    expect(await acceptedBy(seed)).toEqual({ schema: false, emulator: false });
  });
});

test('each object of a seed is created after the objects it refers to', () => {
  const planted = new Set<string>();
  const early: string[] = [];

  for (const { name, entry, collection, children } of describeSeed(seedParts).sections) {
    const kinds = [
      { entry, collection },
      ...Object.entries(children).map(([field, child]) => ({ ...child, entry: entry.model!.shape[field]! })),
    ];
    for (const { entry, collection } of kinds) {
      const { model } = entry.element ?? entry;
      for (const [field, to] of Object.entries(collection?.references ?? {}))
        if (model!.shape[field] && !planted.has(to)) early.push(`${name} names a ${to}`);
      planted.add(collection?.name ?? '');
    }
  }

  expect(early).toEqual([]);
  expect(planted).toContain('organization membership');
});

test('every reference declared by a collection names an existing collection', () => {
  const slots = [...declaredSlots.values()];
  const names = new Set(slots.map(({ name }) => name));
  const references = slots.flatMap(({ name, references = {} }) =>
    Object.entries(references).map(([field, to]) => ({ field: `${name}.${field}`, to })),
  );

  expect(references.filter(({ to }) => !names.has(to))).toEqual([]);
  expect(references).toContainEqual({ field: 'refresh token.sessionId', to: 'session' });
});
