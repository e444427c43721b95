import { expect, test } from 'vitest';
import { parseWarrantQuery } from '../../src/emulator/rooms/fga/query.js';
import type { Refusal } from '../../src/emulator/world/refusal.js';

test('resources are selected by a subject and the relations it has', () => {
  expect(parseWarrantQuery('select report where user:ada is editor')).toEqual({
    select: 'resources',
    types: ['report'],
    relations: ['editor'],
    entity: { resourceType: 'user', resourceId: 'ada' },
    explicit: false,
  });
});

test('subjects are selected by a resource and the relations they have to it', () => {
  expect(parseWarrantQuery('select owner, editor of type user,group for report:q3:2026')).toEqual({
    select: 'subjects',
    types: ['user', 'group'],
    relations: ['owner', 'editor'],
    entity: { resourceType: 'report', resourceId: 'q3:2026' },
    explicit: false,
  });
});

test('a star stands for all, keywords have any case, and explicit restricts to what warrants say', () => {
  expect(parseWarrantQuery('  SELECT Explicit *\n WHERE user:ada@acme.test IS * ')).toEqual({
    select: 'resources',
    types: '*',
    relations: '*',
    entity: { resourceType: 'user', resourceId: 'ada@acme.test' },
    explicit: true,
  });
  expect(parseWarrantQuery('select * of type * for report:7')).toMatchObject({
    select: 'subjects',
    types: '*',
    relations: '*',
  });
});

test.each([
  ['', 'starts with "" instead of select'],
  ['find report', 'starts with "find" instead of select'],
  ['select', 'ends where a type or a relation should follow'],
  ['select report', 'ends where where or of type should follow'],
  ['select report wher user:ada is editor', 'has "wher" where where or of type should stand'],
  ['select report, where user:ada is editor', 'has "user:ada" where where or of type should stand'],
  ['select re/port where user:ada is editor', 'has "re/port" where a type or a relation should stand'],
  ['select report where ada is editor', 'has "ada" where a subject should stand'],
  ['select report where user:* is editor', 'has "user:*" where a subject should stand'],
  ['select report where user:ada has editor', 'has "has" where is should stand'],
  ['select report where user:ada is', 'ends where a relation should follow'],
  ['select editor of type user', 'has "" where for should stand'],
  ['select editor of type user for report', 'has "report" where a resource should stand'],
  ['select report where user:ada is editor or owner', 'goes on with "or" where it should end'],
])('%j is refused, and the refusal says that it %s', (query, problem) => {
  const refused = (): unknown => parseWarrantQuery(query);

  expect(refused).toThrow(
    expect.objectContaining<Partial<Refusal>>({
      status: 422,
      code: 'invalid_query',
      message: expect.stringContaining(`q ${problem}`),
    }),
  );
});
