import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { driftFrom } from '../../scripts/drift.js';
import { serve } from '../servers/server.js';
import { publicOperations } from '../spec/public-operations.js';

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
    expect(drift.filter((line) => /the field \w+ is new$/.test(line))).toEqual([
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

  test('names operations that the public description no longer has, and leaves out those that it never had', () => {
    expect(drift).toContain('POST /organizations (organizations.create) is not in the public description');
    expect(drift.filter((line) => line.includes('(organizations.get)') || line.includes('fga.'))).toEqual([]);
  });

  test('names fields that are gone, and fields of another type', () => {
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

describe('the program that compares a public description', () => {
  /** The operations of the public service, as its description lists them. */
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of publicOperations) {
    const name = path.replace(/:(\w+)/g, '{$1}');
    paths[name] = { ...paths[name], [method.toLowerCase()]: {} };
  }
  const changed = { ...paths, '/parrots': { get: {} } };

  const run = (place: string) =>
    new Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>((resolve) =>
      execFile(process.execPath, ['--import', 'tsx', 'scripts/drift.ts', place], (error, out, err) =>
        resolve({ code: error ? error.code : 0, out, err }),
      ),
    );

  function fileWith(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-drift-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'description.yaml'), text);
    return join(folder, 'description.yaml');
  }

  test('reports a difference in a file and at an address, and fails', async () => {
    const server = await serve({ body: JSON.stringify({ paths: changed }) });
    const expected = { code: 1, out: '- GET /parrots is new\n', err: '' };

    expect(await run(fileWith(JSON.stringify({ paths: changed })))).toEqual(expected);
    expect(await run(server.url)).toEqual(expected);
  }, 60_000);

  test('reports nothing of an equal description in a file and at an address', async () => {
    const server = await serve({ body: JSON.stringify({ paths }) });
    const expected = { code: 0, out: '', err: '' };

    expect(await run(fileWith(JSON.stringify({ paths })))).toEqual(expected);
    expect(await run(server.url)).toEqual(expected);
  }, 60_000);

  test('refuses a page and an error response, and reports nothing', async () => {
    const server = await serve({ status: 500, body: 'later' });
    const page = await run(fileWith('a page'));
    const failure = await run(server.url);

    expect([page.code, page.out, failure.code, failure.out]).toEqual([1, '', 1, '']);
    expect(page.err).toContain('description.yaml is not a description in OpenAPI: it has no paths');
    expect(failure.err).toContain(`${server.url} answered with status 500`);
  }, 60_000);
});
