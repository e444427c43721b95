import { expect, test } from 'vitest';
import { parseWarrantQuery } from '../../../../src/emulator/rooms/fga/query.js';
import type { EmulatorRefusal } from '../../../../src/emulator/store/refusal.js';

test('a warrant query can select the resources that a subject has relations to', () => {
  expect(parseWarrantQuery('select report where user:ada is editor')).toEqual({
    select: 'resources',
    types: ['report'],
    relations: ['editor'],
    entity: { resourceType: 'user', resourceId: 'ada' },
    explicit: false,
  });
});

test('a warrant query can select the subjects that have relations to a resource', () => {
  expect(parseWarrantQuery('select owner, editor of type user,group for report:q3:2026')).toEqual({
    select: 'subjects',
    types: ['user', 'group'],
    relations: ['owner', 'editor'],
    entity: { resourceType: 'report', resourceId: 'q3:2026' },
    explicit: false,
  });
});

test('a warrant query can contain `*`, keywords in any case, and `explicit`', () => {
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
  ['select', 'ends where a type or a relation is expected'],
  ['select report', 'ends where "where" or "of type" is expected'],
  ['select report wher user:ada is editor', 'has "wher" instead of "where" or "of type"'],
  ['select report, where user:ada is editor', 'has "user:ada" instead of "where" or "of type"'],
  ['select re/port where user:ada is editor', 'has "re/port" instead of a type or a relation'],
  ['select report where ada is editor', 'has "ada" instead of a subject such as user:ada'],
  ['select report where user:* is editor', 'has "user:*" instead of a subject such as user:ada'],
  ['select report where user:ada has editor', 'has "has" instead of "is"'],
  ['select report where user:ada is', 'ends where a relation is expected'],
  ['select editor of type user', 'has "" instead of "for"'],
  ['select editor of type user for report', 'has "report" instead of a resource such as report:7'],
  ['select report where user:ada is editor or owner', 'has "or" after its end'],
])('the error for the warrant query %j says that the query %s', (query, problem) => {
  const refused = (): unknown => parseWarrantQuery(query);

  expect(refused).toThrow(
    expect.objectContaining<Partial<EmulatorRefusal>>({
      status: 422,
      code: 'invalid_query',
      message: expect.stringContaining(`q ${problem}`),
    }),
  );
});
