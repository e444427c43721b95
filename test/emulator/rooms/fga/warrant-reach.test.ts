import { describe, expect, test } from 'vitest';
import { evaluate, type Facts, type Scope } from '../../../../src/emulator/rooms/fga/engine.js';
import { type Entity, entityName, grantName, type Relationship } from '../../../../src/emulator/rooms/fga/names.js';
import { grantsOf, subjectsOf } from '../../../../src/emulator/rooms/fga/reach.js';
import type { RelationDefinition } from '../../../../src/service/fga.js';
import fc, { runs } from '../../../runner/property.js';

type Schema = Readonly<Record<string, Readonly<Record<string, RelationDefinition>>>>;

/** Facts with an index, and the number of lookups in them. */
function facts(schema: Schema, warrants: readonly Relationship[]) {
  let lookups = 0;
  const index = new Map<string, Relationship[]>();
  const onEvery = new Set(warrants.flatMap(({ resourceType, resourceId }) => (resourceId === '*' ? resourceType : [])));
  for (const warrant of warrants) {
    const name = grantName(warrant, warrant.relation);
    const own = index.get(name);
    if (own) own.push(warrant);
    else index.set(name, [warrant]);
  }
  const on = (resource: Entity, relation: string): readonly Relationship[] => {
    lookups++;
    return index.get(grantName(resource, relation)) ?? [];
  };
  const known: Facts = {
    definition: (type, relation) => schema[type]?.[relation],
    warrant: (resource, relation, who) =>
      [...on(resource, relation), ...on({ ...resource, resourceId: '*' }, relation)].find(
        ({ subject }) => !subject.relation && entityName(subject) === entityName(who),
      ),
    everyOf: ({ resourceType, resourceId }) =>
      resourceId === '*' || !onEvery.has(resourceType) ? undefined : { resourceType, resourceId: '*' },
    groupWarrants: (resource, relation) => on(resource, relation).filter(({ subject }) => subject.relation),
    warrantsOfType: (resource, relation, type) =>
      on(resource, relation).filter(({ subject }) => !subject.relation && subject.resourceType === type),
  };
  return { known, lookups: () => lookups };
}

const entity = (resourceType: string, id: number | string): Entity => ({ resourceType, resourceId: String(id) });

describe('a search for grants or subjects', () => {
  const schema: Schema = {
    user: {},
    team: { member: {}, lead: { inherit_if: 'member' } },
    page: {
      parent: {},
      approved: {},
      owner: {},
      editor: {
        inherit_if: 'any_of',
        rules: [{ inherit_if: 'owner' }, { inherit_if: 'editor', of_type: 'page', with_relation: 'parent' }],
      },
      publisher: {
        inherit_if: 'all_of',
        rules: [
          { inherit_if: 'editor' },
          { inherit_if: 'approved' },
          { inherit_if: 'member', of_type: 'team', with_relation: 'owner' },
        ],
      },
      viewer: {
        inherit_if: 'any_of',
        rules: [{ inherit_if: 'publisher' }, { inherit_if: 'viewer', of_type: 'page', with_relation: 'parent' }],
      },
    },
  };
  const ids = ['1', '2', '3'];
  const relations = Object.entries(schema).flatMap(([type, own]) =>
    Object.keys(own).flatMap((relation) => ids.map((id) => ({ resource: entity(type, id), relation }))),
  );
  const subject = fc.oneof(
    fc.constantFrom(...['user', 'team', 'page'].flatMap((type) => ids.map((id) => entity(type, id)))),
    fc.constantFrom(...relations).map(({ resource, relation }) => ({ ...resource, relation })),
  );
  const warrant = fc
    .record({ grant: fc.constantFrom(...relations), subject, every: fc.nat(5) })
    .map(({ grant, subject, every }) => ({
      ...grant.resource,
      ...(every === 0 && { resourceId: '*' }),
      relation: grant.relation,
      subject,
    }));

  test('finds the same as single evaluations, for any combination of warrants', () => {
    fc.assert(
      fc.property(
        fc.array(warrant, { maxLength: 25 }),
        fc.constantFrom<Scope>('explicit', 'everything'),
        (warrants, scope) => {
          const { known } = facts(schema, warrants);
          const holds = (grant: { resource: Entity; relation: string }, who: Entity): boolean =>
            evaluate(known, { ...grant.resource, relation: grant.relation, subject: who }, scope).isSatisfied;
          for (const id of ids) {
            const found = grantsOf(known, entity('user', id), relations, scope);
            const expected = relations.filter((grant) => holds(grant, entity('user', id)));
            expect([...found.keys()].sort()).toEqual(
              expected.map((one) => grantName(one.resource, one.relation)).sort(),
            );
          }
          for (const grant of relations) {
            const found = subjectsOf(known, grant, ['user', 'team'], scope);
            const who = ['user', 'team'].flatMap((type) => ids.map((id) => entity(type, id)));
            expect([...found.keys()].sort()).toEqual(
              who
                .filter((one) => holds(grant, one))
                .map(entityName)
                .sort(),
            );
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test('returns the first warrant of a shortest path for a grant, and the last one for a subject', () => {
    const member = (team: string, subject: Relationship['subject']): Relationship => ({
      ...entity('team', team),
      relation: 'member',
      subject,
    });
    const far = member('all', { ...entity('team', 'eng'), relation: 'member' });
    const middle = member('eng', { ...entity('team', 'api'), relation: 'member' });
    const near = member('all', { ...entity('team', 'ops'), relation: 'member' });
    const ada = member('ops', entity('user', 'ada'));
    const { known } = facts(schema, [far, middle, near, member('api', entity('user', 'ada')), ada]);
    const all = { resource: entity('team', 'all'), relation: 'member' };

    expect(grantsOf(known, entity('user', 'ada'), [all], 'explicit').get('team:all#member')).toBe(near);
    expect(subjectsOf(known, all, ['user'], 'explicit').get('user:ada')).toBe(ada);
  });
});

describe.each([1_000, 20_000])('%i nested teams', (count) => {
  const schema: Schema = {
    user: {},
    team: {
      member: {},
      approved: {},
      guest: { inherit_if: 'all_of', rules: [{ inherit_if: 'member' }, { inherit_if: 'approved' }] },
    },
  };
  const at = Array.from({ length: count }, (_, index) => index);
  const warrants: Relationship[] = at.flatMap((index) => [
    { ...entity('team', index), relation: 'member', subject: { ...entity('team', index + 1), relation: 'member' } },
    { ...entity('team', index), relation: 'member', subject: entity('user', index) },
  ]);
  const grants = at.map((index) => ({ resource: entity('team', index), relation: 'member' }));

  test('are found for the user in the last team with a linear number of lookups', () => {
    const { known, lookups } = facts(schema, warrants);

    const found = grantsOf(known, entity('user', count - 1), grants, 'everything');

    expect(found.size).toBe(count);
    expect(lookups()).toBeLessThan(4 * count);
  });

  test('are searched for users with a linear number of lookups', () => {
    const { known, lookups } = facts(schema, warrants);

    const found = subjectsOf(known, grants[0]!, ['user', 'team'], 'everything');

    expect(found.size).toBe(count);
    expect(lookups()).toBeLessThan(5 * count);
  });

  test('are searched for users of the last team by a rule with two conditions', () => {
    const last = at.map(
      (index): Relationship => ({
        ...entity('team', count),
        relation: 'member',
        subject: entity('user', `last_${index}`),
      }),
    );
    const approved = at.map(
      (index): Relationship => ({
        ...entity('team', 0),
        relation: 'approved',
        subject: entity('user', `last_${index}`),
      }),
    );
    const nested = warrants.filter(({ subject }) => subject.relation);
    const { known, lookups } = facts(schema, [...nested, ...last, ...approved]);

    const found = subjectsOf(known, { resource: entity('team', 0), relation: 'guest' }, ['user'], 'everything');

    expect(found.size).toBe(count);
    expect(lookups()).toBeLessThan(5 * count);
  });
});

test('a search reads warrants for every team once, not once for each team', () => {
  const count = 3_000;
  const schema: Schema = { user: {}, team: { member: {} } };
  const at = Array.from({ length: count }, (_, index) => index);
  const every = at.flatMap((index): Relationship[] => [
    { ...entity('team', '*'), relation: 'member', subject: { ...entity('team', index), relation: 'member' } },
    { ...entity('team', '*'), relation: 'member', subject: entity('user', index) },
  ]);
  const { known, lookups } = facts(schema, every);
  const grants = at.map((index) => ({ resource: entity('team', index), relation: 'member' }));

  const teams = grantsOf(known, entity('user', 7), grants, 'everything');
  const users = subjectsOf(known, grants[0]!, ['user'], 'everything');

  expect([teams.size, users.size]).toEqual([count, count]);
  expect(lookups()).toBeLessThan(10 * count);
});
