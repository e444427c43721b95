import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptionAt, driftFrom } from '../../scripts/drift.js';
import { serve } from '../servers/server.js';

const field = { type: 'string' };
const answer = (status: string, schema: object) => ({
  responses: { [status]: { content: { 'application/json': { schema } } } },
});
const described = (paths: object) => ({
  paths,
  components: { schemas: { Base: { properties: { id: field, kid: field } } } },
});

describe('the comparison with the public description', () => {
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

  test('names new operations, and leaves out the known gaps', () => {
    expect(drift.filter((line) => / is new$/.test(line) && line.includes('/'))).toEqual(['GET /parrots is new']);
  });

  test('names new fields of a resource and of the items of a list', () => {
    expect(drift.filter((line) => line.includes('the field'))).toEqual([
      'organizations.get: the field kid is new',
      'organizations.get: the field tier is new',
      'users.list: the field shoe_size is new',
    ]);
  });

  test('names another status of success', () => {
    expect(drift.filter((line) => line.includes('the status'))).toEqual([
      'organizations.delete: the status is 204, and not 202',
    ]);
  });

  test('names operations that the public description does not have', () => {
    expect(drift).toContain('POST /organizations (organizations.create) is not in the public description');
    expect(drift.filter((line) => line.includes('(organizations.get)'))).toEqual([]);
  });

  test('takes a file or an address, and refuses what is not a description', async () => {
    const file = join(tmpdir(), `description-${process.pid}.yaml`);
    writeFileSync(file, 'paths:\n  /parrots:\n    get: {}\n');
    const server = await serve({ body: '{"paths":{"/parrots":{"get":{}}}}' }, { body: 'a page' });

    expect(driftFrom(await descriptionAt(file))).toContain('GET /parrots is new');
    expect(driftFrom(await descriptionAt(server.url))).toContain('GET /parrots is new');
    await expect(descriptionAt(server.url)).rejects.toThrow('is not a description in OpenAPI: it has no paths');
  });
});
