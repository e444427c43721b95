import { describe, expect, test } from 'vitest';
import { driftFrom } from '../../scripts/drift.js';

const field = { type: 'string' };
const answer = (status: string, schema: object) => ({
  responses: { [status]: { content: { 'application/json': { schema } } } },
});
const described = (paths: object) => ({
  paths,
  components: { schemas: { Base: { properties: { id: field, kid: field } } } },
});

describe('the comparison of the API with the public description', () => {
  const drift = driftFrom(
    described({
      '/organizations/{id}': {
        get: answer('200', {
          allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { name: field, tier: field } }],
        }),
        delete: { responses: { '204': {} } },
      },
      '/user_management/users': {
        get: answer('200', { properties: { data: { items: { properties: { id: field, shoe_size: field } } } } }),
      },
      '/api_keys/validations': { post: {} },
      '/parrots': { get: {} },
    }),
  );

  test('reports new operations except known gaps', () => {
    expect(drift.filter((line) => / is new$/.test(line) && line.includes('/'))).toEqual(['GET /parrots is new']);
  });

  test('reports new fields in a resource and in list items', () => {
    expect(drift.filter((line) => /the field \w+ is new$/.test(line))).toEqual([
      'organizations.get: the field kid is new',
      'organizations.get: the field tier is new',
      'users.list: the field shoe_size is new',
    ]);
  });

  test('reports a changed success status code', () => {
    expect(drift.filter((line) => line.includes('the status'))).toEqual([
      'organizations.delete: the status is 204, and not 202',
    ]);
  });

  test('reports operations that were removed, but not operations that were never public', () => {
    expect(drift).toContain('POST /organizations (organizations.create) is not in the public description');
    expect(drift.filter((line) => line.includes('(organizations.get)') || line.includes('fga.'))).toEqual([]);
  });

  test('reports removed fields and fields with a changed type', () => {
    const schema = {
      properties: {
        id: { $ref: '#/components/schemas/Number' },
        name: { type: ['string', 'null'] },
        created_at: field,
        updated_at: field,
        metadata: { type: 'object' },
        domains: { type: 'string' },
      },
    };
    const description = {
      ...described({ '/organizations/{id}': { get: answer('200', schema) } }),
      components: { schemas: { Number: { type: 'number' } } },
    };

    expect(driftFrom(description).filter((line) => line.startsWith('organizations.get:'))).toEqual([
      'organizations.get: the field allow_profiles_outside_organization is gone',
      'organizations.get: the type of the field domains is string',
      'organizations.get: the type of the field id is number',
    ]);
  });
});
