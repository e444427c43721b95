import { describe, expect, test } from 'vitest';
import { rowOf } from '../../src/mirror/kinds.js';

describe('a mirrored row', () => {
  test('contains the fields of a directory, and a JSON copy without the API key or previous values', () => {
    const record = {
      id: 'directory_1',
      organizationId: 'org_1',
      name: 'Okta',
      type: 'okta scim v2.0',
      state: 'linked',
      apiKey: 'secret_1',
      previousAttributes: { name: 'Old' },
      createdAt: '2026-05-04T08:00:00.000Z',
      updatedAt: '2026-05-04T09:00:00Z',
    };

    expect(rowOf('directories', record, '2026-05-04T10:00:00.000Z')).toEqual([
      'directory_1',
      'org_1',
      'Okta',
      'okta scim v2.0',
      'linked',
      '2026-05-04T08:00:00.000Z',
      '{"id":"directory_1","organizationId":"org_1","name":"Okta","type":"okta scim v2.0","state":"linked","createdAt":"2026-05-04T08:00:00.000Z","updatedAt":"2026-05-04T09:00:00Z"}',
      '2026-05-04T09:00:00.000Z',
      '2026-05-04T10:00:00.000Z',
    ]);
  });

  test('replaces characters that PostgreSQL rejects', () => {
    const record = { id: 'org_1', name: 'a\0b', note: 'c\ud800d \\u0000' };

    const data = rowOf('organizations', record, '2026-05-04T10:00:00.000Z')[4];

    expect(JSON.parse(data!)).toEqual({ id: 'org_1', name: 'a\ufffdb', note: 'c\ufffdd \\u0000' });
  });
});
